"""The sandbox as a container that a test run starts, with Testcontainers (extra `testcontainers`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

try:
    from testcontainers.core.container import DockerContainer
    from testcontainers.core.wait_strategies import HttpWaitStrategy
except ImportError as missing:
    raise ImportError(
        f"{missing}: the container needs Testcontainers, which the extra payment-sandbox[testcontainers] brings,"
        " or pip install testcontainers"
    ) from missing

from mock_server.settings import ROWS, load
from mock_server.testing.sandbox import Sandbox
from mock_server.testing.servers import RunningServer, as_texts

PORT: Final = 12190
READY: Final = "/_sandbox/readyz"
FOLDER: Final = "/scenarios"
STARTS_WITHIN_S: Final = 30
"""How long the container can take to be ready, once the image is there (ours)."""
IMAGE: Final = "localhost/payment-sandbox"
"""The image of `make image`."""


class SandboxContainer(DockerContainer):
    """A container of the sandbox, with its port published on a free one.

    `config` has settings by name, `scenarios` is a directory that the container's user can read; the default of `image`
    is PAYMENT_SANDBOX_IMAGE. Everything else is as in Testcontainers. Raises SettingsRefused for unknown settings.
    """

    def __init__(
        self,
        image: str | None = None,
        *,
        config: Mapping[str, Any] | None = None,
        scenarios: str | Path | None = None,
        **options: Any,
    ) -> None:
        texts = as_texts(config or {})
        load({name: text for name, text in texts.items() if not text}, {}, str)  # refused here: in a variable, unset
        super().__init__(image or os.environ.get("PAYMENT_SANDBOX_IMAGE") or IMAGE, **options)
        self.token = texts.get("control_token")
        self.with_exposed_ports(PORT)
        for name, text in texts.items():
            self.with_env(ROWS[name].variable, text)
        if scenarios is not None:
            self.with_volume_mapping(str(Path(scenarios).resolve()), FOLDER, "ro")
        ready = HttpWaitStrategy(PORT, READY).for_status_code(200)
        ready.with_startup_timeout(STARTS_WITHIN_S)
        self.waiting_for(ready.with_header("X-Sandbox-Token", self.token) if self.token else ready)

    @property
    def url(self) -> str:
        """The base URL of the API, from this machine."""
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"

    def server(self) -> RunningServer:
        """The server in it, for the fixture `payment_sandbox_server`."""
        return RunningServer(self.url, self.token)

    def sandbox(self, **begins: Any) -> Sandbox:
        """A workspace in it, with the parameters of `Sandbox`."""
        return Sandbox(server=self.server(), **begins)
