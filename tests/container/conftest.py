"""The image under test, and one container of it that most tests share.

`make image-test` builds the image and names it in PAYMENT_SANDBOX_IMAGE; `make test` leaves this folder out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.container.engine import Container, Engine, found_engine


@pytest.fixture(scope="session")
def engine() -> Engine:
    image = os.environ.get("PAYMENT_SANDBOX_IMAGE")
    if not image:
        pytest.skip("PAYMENT_SANDBOX_IMAGE names no image: make image-test builds one")
    program = found_engine()
    if program is None:
        pytest.skip("neither podman nor docker answers here")
    return Engine(program, image)


@pytest.fixture(scope="session")
def plain(engine: Engine) -> Iterator[Container]:
    """A container as everybody starts it, without flag and variable."""
    with engine.running() as container:
        yield container.healthy()
