"""What every test of the project has."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from tests import closing

if TYPE_CHECKING:
    from mock_server.cli.authority import Authority
    from tests.clocks import ManualClock
    from tests.lasting.clusters import Cluster
    from tests.wire import Wire

IN_CI: Final = "CI" in os.environ

WANTS: Final = {"container": ("PAYMENT_SANDBOX_IMAGE", "image-test"), "wheel": ("PAYMENT_SANDBOX_WHEEL", "wheel-test")}
"""Folders whose tests are about something that has to be built first: the variable that names it, the make target."""

SERVED: Final = ("127.0.0.1", "localhost", "sandbox.hyperswitch.io")
"""Hosts that tests call on this machine."""

OF_PROCESSES: Final = "COVERAGE_PROCESS_CONFIG"
"""What coverage tells the processes that are started while it measures."""
MEASURED: Final = ("cli", "openapi", "plugin", "scenarios_e2e")
"""Folders whose tests run commands that no other test reaches."""
MEASURING: Final = pytest.StashKey[str]()

MEMORY: Final = Path("/dev/shm")
ROOM: Final = 4 << 30
"""So many bytes have to be free there: a run holds some hundred megabytes, and the machine needs the rest."""

# No deadline, for an example or for making one: two workers on a busy machine make single examples slow, not wrong.
settings.register_profile("project", deadline=None, derandomize=IN_CI, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("project")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a test that was left out fail in CI: a green run there means that everything ran."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and nothing may be in CI: {report.longrepr}"
    return report


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what there is nothing to test of, unless somebody asks for it by name."""
    if collection_path.parent != Path(__file__).parent or collection_path.name not in _left_out():
        return None
    asked = [Path(one.partition("::")[0]).resolve() for one in config.args]
    return None if any(collection_path in (one, *one.parents) for one in asked) else True


def pytest_report_header() -> list[str]:
    return [f"left out: tests/{folder} (make {WANTS[folder][1]} runs it)" for folder in _left_out()]


def _left_out() -> list[str]:
    return [folder for folder, (variable, _) in WANTS.items() if not os.environ.get(variable)]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Measure other processes where they are what is tested: elsewhere it would double the time that they take."""
    if OF_PROCESSES in os.environ:
        item.config.stash[MEASURING] = os.environ.pop(OF_PROCESSES)
    if item.path.parent.name in MEASURED and MEASURING in item.config.stash:
        os.environ[OF_PROCESSES] = item.config.stash[MEASURING]


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker tell of a test only what is counted: its other messages cost as much time as a small test."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """Let the last test of a file fail if one of the file left a database open."""
    yield
    if closing.OPENED and (nextitem is None or nextitem.path != item.path):
        left = closing.left_open()
        assert not left, f"{left} databases that were opened in {item.path} are still open"


def pytest_configure() -> None:
    """Look for no garbage while tests are collected: next to all that is made then stays. Our servers have no proxy,
    and temporary files wait for no disk.
    """
    gc.disable()
    closing.watch()
    if "TMPDIR" not in os.environ and _has_room(MEMORY):
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
    if any(name.lower().endswith("_proxy") for name in os.environ):
        given = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
        os.environ["no_proxy"] = os.environ["NO_PROXY"] = ",".join(((given,) if given else ()) + SERVED)


def _has_room(folder: Path) -> bool:
    """Whether programs may be kept there too, as a container's often says no; not every system has the folder."""
    if not os.access(folder, os.W_OK):
        return False
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize >= ROOM and not found.f_flag & os.ST_NOEXEC


def pytest_collection_finish() -> None:
    """Spare the collector what stays for the whole run: some forty thousand tests with their parameters.

    What of it is garbage already stays too: two megabytes, and most of a second to look for.
    """
    gc.enable()
    gc.freeze()
    gc.set_threshold(20_000)  # what tests keep is much and passes: at 700, looking for garbage takes 8 % of their time


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority of the tests' own, which nobody trusts yet."""
    from mock_server.cli.authority import authority
    from mock_server.clock import SystemClock

    return authority(tmp_path_factory.mktemp("authority"), SystemClock().now_ms())


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL cluster of this run's own; `cluster.database()` gives the address of a new database in it."""
    from tests.lasting import clusters

    with clusters.running() as made:
        if made is None:
            pytest.skip(clusters.MISSING)
        yield made


@pytest.fixture
def clock() -> ManualClock:
    """The real time of the server under test, which stands until a test advances it."""
    from tests.clocks import ManualClock

    return ManualClock()


@pytest.fixture
def api(clock: ManualClock) -> Wire:
    """A client of a fresh server at this time, without a rate limit."""
    from tests.wire import wire

    return wire(clock=clock)
