# People, hooks and CI use the same targets. `make` alone lists them.

SHELL := /bin/sh
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
# Two more than the cores of a small machine: tests wait for servers, browsers and other programs.
WORKERS ?= 4
# Each worker begins with tests that stand together, as they share servers and browsers, and ends by helping another.
SPREAD := -n $(WORKERS) --dist worksteal
IMAGE ?= localhost/payment-sandbox

# The lock holds for every system and Python that the package runs on, each file with its digest. It names extras:
# an older pip holds a package with an extra only to a line that names the extra too.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-strip-extras \
    --upgrade --custom-compile-command 'make lock'
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCKED := $(INSTALL) --require-hashes -r requirements/build.txt -r requirements/run.txt

# Tests start hundreds of Pythons. Where compiled code is not kept, as in many images, each would compile all anew.
unexport PYTHONDONTWRITEBYTECODE

# An environment whose Python has gone is no environment: its stamps go too.
$(shell test -x $(BIN)/python || rm -f $(VENV)/.made $(VENV)/.installed $(VENV)/.installed-dev)

.PHONY: help
help: ## list all targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: $(VENV)/.installed ## start the sandbox on this machine (settings: PAYMENT_SANDBOX_…)
	@exec $(BIN)/payment-sandbox serve

.PHONY: test
test: $(VENV)/.installed-dev ## run every test (COVERAGE=yes: with branch coverage)
	$(BIN)/python -m pytest $(SPREAD) $(if $(COVERAGE),--cov --cov-report=term)

.PHONY: quick
quick: $(VENV)/.installed-dev ## check style, types and the tests that your change touches, within a minute (SINCE= names a revision)
	@$(BIN)/python -m tests.quick $(SINCE)

.PHONY: check
check: lint types docs-check site ## run all checks: lint, types, docs, tests with branch coverage
	@$(MAKE) --no-print-directory test COVERAGE=yes

.PHONY: lint
lint: $(VENV)/.installed-dev ## check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

.PHONY: types
types: $(VENV)/.installed-dev ## check types
	$(BIN)/mypy

.PHONY: docs-check
docs-check: $(VENV)/.installed-dev ## check that the generated tables in the docs are up to date
	$(BIN)/python docs/generate.py --check
	$(BIN)/python docs/record_examples.py --check

.PHONY: docs
docs: $(VENV)/.installed-dev ## generate the tables in the docs
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/record_examples.py

.PHONY: lock
lock: $(VENV)/.installed-dev ## update the locked versions in requirements/
	$(COMPILE) pyproject.toml --extra tls --extra postgresql -o requirements/run.txt
	$(COMPILE) requirements/build.in -c requirements/run.txt -o requirements/build.txt
	$(COMPILE) pyproject.toml --extra dev -c requirements/run.txt -c requirements/build.txt -o requirements/dev.txt

.PHONY: audit
audit: $(VENV)/.installed-dev ## check the locked versions for known vulnerabilities
	$(BIN)/pip-audit --disable-pip --progress-spinner off -r requirements/run.txt -r requirements/build.txt -r requirements/dev.txt

.PHONY: site
site: $(VENV)/.installed-dev ## build the docs as a site, into build/site
	$(BIN)/python docs/build_site.py

.PHONY: format
format: $(VENV)/.installed-dev ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: pictures
pictures: $(VENV)/.installed-dev ## take screenshots of every page, into build/pictures
	$(BIN)/python -m pytest tests/browser/test_shown.py tests/browser/test_dashboard_shown.py \
	    tests/browser/test_checkout_shown.py tests/browser/test_checkout_link.py tests/browser/test_docs_pictures.py \
	    --pictures build/pictures

.PHONY: soak
soak: $(VENV)/.installed-dev ## run every test with high counts
	PAYMENT_SANDBOX_SOAK=1 $(BIN)/python -m pytest $(SPREAD) --timeout 1800

.PHONY: npm
npm: tests/npm/node_modules/.package-lock.json examples/checkout/node_modules/.package-lock.json ## install the npm packages for tests (without them, these tests are not collected)

%/node_modules/.package-lock.json: %/package.json %/package-lock.json
	npm ci --prefix $* --ignore-scripts --no-audit --no-fund --no-progress --loglevel error
	@touch $@

.PHONY: image
image: ## build the container image with podman or docker (BASE= selects another base)
	@engine=$$(sh .ci/container-engine) && version=$$(sed -n 's/^__version__ = "\(.*\)"/\1/p' mock_server/__init__.py) && \
	BUILDAH_FORMAT=docker "$$engine" build $(if $(BASE),--build-arg BASE=$(BASE)) --build-arg VERSION="$$version" \
	    --tag $(IMAGE) .

.PHONY: image-test
image-test: image image-check ## build the container image and test it

.PHONY: image-check
image-check: $(VENV)/.installed-dev ## test an existing image (IMAGE= selects it)
	PAYMENT_SANDBOX_IMAGE=$(IMAGE) $(BIN)/python -m pytest tests/container --timeout 300

.PHONY: wheel-test
wheel-test: $(VENV)/.installed-dev ## build the wheel and test it in fresh environments
	@rm -rf build/wheel
	$(BIN)/python -m build --no-isolation --outdir build/wheel
	PAYMENT_SANDBOX_WHEEL=$$(ls build/wheel/*.whl) $(BIN)/python -m pytest tests/wheel --timeout 300

.PHONY: bench
bench: $(VENV)/.installed-dev ## measure beside other servers, print the table, update docs/performance.md (ten minutes)
	$(BIN)/python -m benchmarks --write

.PHONY: bench-peers
bench-peers: ## download the other servers for `make bench`
	sh benchmarks/fetch-peers build/peers

.PHONY: bench-soak
bench-soak: $(VENV)/.installed-dev ## ten minutes of mixed load: check for memory growth and unexpected errors
	$(BIN)/python -m benchmarks.soak

.PHONY: bench-micro
bench-micro: $(VENV)/.installed-dev ## measure single important functions
	$(BIN)/python -m pytest benchmarks/micro -o python_files='bench_*.py' -o python_functions='bench_* test_*' -p no:xdist --benchmark-columns=min,median,ops --benchmark-sort=name

.PHONY: clean
clean: ## remove the environment and temporary files
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.* htmlcov

# The stamps are newer than what says what is installed, or the install runs again. A failed install leaves none.
$(VENV)/.installed: pyproject.toml requirements/run.txt requirements/build.txt | $(VENV)/.made
	@echo "installing the sandbox into $(VENV) (once, and after its requirements change)"
	@$(LOCKED)
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml requirements/run.txt requirements/build.txt requirements/dev.txt | $(VENV)/.made
	@echo "installing the sandbox and its development tools into $(VENV) (once, and after its requirements change)"
	@$(LOCKED) -r requirements/dev.txt
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.installed

$(VENV)/.made:
	@sh .ci/make-venv $(VENV)
	@touch $@
