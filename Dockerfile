# The sandbox as a container: docker build -t payment-sandbox .
# Both stages stand on the same base, because the environment built in one refers to the Python of the other.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
WORKDIR /src
COPY requirements requirements
# The locked versions, each file held to its digest. Compiled once here: the file system may be read-only where it runs.
# pip and what builds the package stay behind in this stage.
RUN ["python", "-m", "venv", "--without-pip", "/opt/payment-sandbox"]
RUN ["pip", "--python", "/opt/payment-sandbox/bin/python", "install", "--no-cache-dir", "--compile", \
     "--require-hashes", "-r", "requirements/run.txt"]
RUN ["pip", "install", "--no-cache-dir", "--require-hashes", "-r", "requirements/build.txt"]
COPY pyproject.toml README.md LICENSE ./
COPY scenarios scenarios
COPY docs/reference docs/reference
COPY mock_server mock_server
COPY payment_sandbox payment_sandbox
RUN ["pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", "/wheel", "."]
RUN ["pip", "--python", "/opt/payment-sandbox/bin/python", "install", "--no-cache-dir", "--compile", \
     "--no-deps", "--no-index", "--find-links", "/wheel", "payment-sandbox"]
# An empty folder with the rights of a place to mount at, and no file in it that could pass for a scenario.
RUN ["mkdir", "-p", "-m", "0755", "/mounted/scenarios"]
# Where `serve --tls` keeps its certificate authority, and a file of `serve --data` belongs, whoever the server runs as; a
# volume takes these rights over. Both are copied from within a folder: podman gives one that is itself copied other rights.
RUN ["mkdir", "-m", "1777", "/mounted/state"]

FROM ${BASE}
ARG VERSION=
ARG REVISION=
ARG CREATED=
ARG SOURCE=
LABEL org.opencontainers.image.title="payment-sandbox" \
      org.opencontainers.image.description="A payment processor's API on your own machine: real states, real errors, no real money." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.source="${SOURCE}"
COPY --from=build /mounted /
COPY --from=build /opt/payment-sandbox /opt/payment-sandbox
ENV PATH=/opt/payment-sandbox/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    XDG_STATE_HOME=/state \
    PAYMENT_SANDBOX_HOST=0.0.0.0 \
    PAYMENT_SANDBOX_SCENARIOS=/scenarios
# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
VOLUME ["/state"]
EXPOSE 12190
HEALTHCHECK --interval=3s --timeout=5s --start-period=10s --retries=3 CMD ["payment-sandbox", "ready"]
# After the image's name stands a command of payment-sandbox (`cards`, `--version`), or flags of `serve`.
ENTRYPOINT ["payment-sandbox"]
CMD ["serve"]
