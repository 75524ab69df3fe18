"""A test suite whose sandbox is a container: the fixture, and an app that its webhooks reach."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mock_server.testing import Sandbox
from tests.architecture.sources import ROOT
from tests.container.engine import Container
from tests.running import environment
from tests.wheel.test_wheel import readme_test


def test_the_readmes_test_passes(plain: Container, tmp_path: Path) -> None:
    (tmp_path / "test_shop.py").write_text(readme_test(), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--payment-sandbox-url", plain.base],
        cwd=tmp_path,
        env=environment(PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"payment sandbox: {plain.base}" in done.stdout


def test_webhooks_reach_an_app_of_the_test(plain: Container) -> None:
    heard: list[str] = []

    def app(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        heard.append(environ["PATH_INFO"])
        start_response("200 OK", [])
        return []

    with Sandbox(plain.base) as workspace:
        workspace.webhooks.connect(app, path="/hooks", host=plain.machine())
        paid = workspace.client.pay()
        workspace.webhooks.wait_for("payment_succeeded", payment_id=paid["payment_id"], timeout=600)
    assert "/hooks" in heard
