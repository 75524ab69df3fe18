"""The pytest plugin: fixtures, markers and options. The rest of the package is imported when one of them is used."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mock_server.testing.factory import Made, SandboxFactory
    from mock_server.testing.outcomes import PaymentOutcome
    from mock_server.testing.sandbox import Sandbox
    from mock_server.testing.scenarios import Collected
    from mock_server.testing.servers import AnyServer

__tracebackhide__ = True
MADE: pytest.StashKey[list[Made]] = pytest.StashKey()
"""The workspaces of a test, a class, a module, a package or the session."""
WATCHING = ("--payment-sandbox-verdict", "--payment-sandbox-coverage", "--payment-sandbox-coverage-fail-under")
"""The options with which each workspace is evaluated at its end."""
WATCHER = "payment_sandbox_watching"
"""The name of the plugin that evaluates them."""
OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "url": ({"metavar": "URL"}, "use the sandbox at this URL (or PAYMENT_SANDBOX_URL) instead of starting one"),
    "seed": ({"metavar": "SEED"}, "seed for IDs and random choices, the same in every run; 'random' chooses a new one"),
    "verdict": ({"choices": ("warn", "error")}, "report mistakes of the client as warnings or failures (advice never)"),
    "coverage": (
        {"metavar": "FORM", "action": "append", "nargs": "?", "const": "term", "default": []},
        "report outcomes that were not tested: term (the default), json:FILE, html:FILE; can be repeated",
    ),
    "coverage-fail-under": ({"metavar": "PERCENT", "type": float}, "fail the run if less of the outcomes was tested"),
}
MARKS = (
    "payment_sandbox(scenario=None, seed=None, clock=None, dialect=None): initial state of this test's payment sandbox",
    "payment_outcomes(*outcomes, on=None, times=None): run the test once for each outcome; "
    "sets of outcomes are declines, asynchronous, challenges, faults",
    "payment_sandbox_accepts(*rules, reason): accept these findings of the verdict: the test makes them on purpose",
)


class _AsWritten:
    """Finds the modules of this package before pytest does.

    Pytest would rewrite the assertions in all files of a plugin, here the whole server, in every run and every worker.
    """

    BELOW = f"{__name__.partition('.')[0]}."

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path) if name.startswith(cls.BELOW) else None


sys.meta_path.insert(0, _AsWritten)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("payment-sandbox", "payment sandbox")
    for name, (more, said) in OPTIONS.items():
        group.addoption(f"--payment-sandbox-{name}", help=said, **more)
    parser.addini("payment_sandbox_dialect", "dialect of every workspace; by default the server's", default=None)


def pytest_configure(config: pytest.Config) -> None:
    if any(map(config.getoption, WATCHING)) and not config.getoption("collectonly"):
        from mock_server.testing.watching import Watching

        config.pluginmanager.register(Watching(config), WATCHER)
    for mark in MARKS:
        config.addinivalue_line("markers", mark)


def pytest_report_header(config: pytest.Config) -> list[str]:
    return [f"payment sandbox: {url}"] if (url := _url(config)) else []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if marks := [*metafunc.definition.iter_markers_with_node("payment_outcomes")]:
        from mock_server.testing import factory

        factory.parametrize(metafunc, [mark for node, mark in marks if node is marks[0][0]])


@pytest.fixture(scope="session")
def payment_sandbox_config() -> dict[str, Any]:
    """Settings of the server in this process, by name; override it. A server that is already running keeps its own."""
    return {}


@pytest.fixture(scope="session")
def payment_sandbox_scenarios() -> Collected:
    """Scenarios that every workspace can use: a directory, a list of files, texts by name; override it."""
    return None


@pytest.fixture(scope="session")
def payment_sandbox_server(pytestconfig: pytest.Config, payment_sandbox_config: dict[str, Any]) -> Iterator[AnyServer]:
    """The server of all tests: a thread of this process on a free port, or the one of an option."""
    from mock_server.testing import factory

    with factory.server_of(_url(pytestconfig), payment_sandbox_config) as server:
        yield server


@pytest.fixture
def payment_outcome(request: pytest.FixtureRequest) -> PaymentOutcome | None:
    """The outcome with which `payment_outcomes` runs this test; None without that marker."""
    found: PaymentOutcome | None = getattr(request, "param", None)
    return found


@pytest.fixture(scope="session")
def payment_sandbox_factory(
    pytestconfig: pytest.Config, payment_sandbox_server: AnyServer, payment_sandbox_config: dict[str, Any]
) -> SandboxFactory:
    """Makes workspaces that tests share: `payment_sandbox_factory(request)` in a fixture of any scope."""
    from mock_server.testing import factory

    seed = factory.seed_of(pytestconfig, payment_sandbox_config or {})
    dialect = pytestconfig.getini("payment_sandbox_dialect") or None
    watching = pytestconfig.pluginmanager.get_plugin(WATCHER)
    return factory.SandboxFactory(payment_sandbox_server, payment_sandbox_config, seed, MADE, dialect, watching)


@pytest.fixture
def payment_sandbox(
    request: pytest.FixtureRequest, payment_sandbox_factory: SandboxFactory, payment_outcome: PaymentOutcome | None
) -> Sandbox:
    """A workspace of this test's own."""
    return payment_sandbox_factory._make(request, "", {"outcome": payment_outcome})


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note where this test starts in the workspaces that it shares, for its report."""
    for made in _there(item):
        made.before = made.last()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Check the assertions of a test that passed, and what its client did; refuse markers without effect."""
    _refuse_unheard(item)
    result = yield
    own = item.stash.get(MADE, ())  # also what the test itself requested
    if not (any(made.has_failed for made in own) or getattr(item, "_excinfo", None)):  # where unittest keeps errors
        _refuse_unheard(item, ended=True)
        for made in own:
            made.check()
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the history of its workspaces to the report of a test that failed, also by another hook."""
    report = yield
    for made in item.stash.get(MADE, ()):
        made.has_failed |= report.failed
        made.is_judged = report.passed and not made.has_failed
    if report.failed and report.when != "teardown":
        add = getattr(report.longrepr, "addsection", lambda *section: report.sections.append(section))
        for made in _used(item):  # part of the failure, which is all that JUnit XML and editors show
            add(*made.section())
    return report


def _refuse_unheard(item: pytest.Item, *, ended: bool = False) -> None:
    """Fails a test whose own markers have no effect, or whose class's have none on any workspace that it uses."""
    __tracebackhide__ = False  # of a failure without any line pytest says so
    why, marked = "", [node for node, _ in item.iter_markers_with_node("payment_sandbox")]
    used = _used(item) if marked else []
    if used and not all(any(node in made.node.listchain() for made in used) for node in marked):
        why = f"payment_sandbox has no effect: {used[0].fixture} is shared by more tests"
    elif ended and item in marked and not used:
        why = "payment_sandbox has no effect: this test uses no workspace of the fixture"
    elif item.get_closest_marker("payment_outcomes") and not hasattr(item, "callspec"):
        why = "payment_outcomes has no effect: pytest runs a test of unittest only once; write a function"
    if why:
        pytest.fail(f"the marker {why}", pytrace=False)


def _there(item: pytest.Item) -> list[Made]:
    """The workspaces of the test, and of all that it is in."""
    return [made for node in item.listchain() for made in node.stash.get(MADE, ())]


def _used(item: pytest.Item) -> list[Made]:
    """The test's own workspaces, and those that it shares: by its fixtures, or as it called them."""
    asked = list(_definitions(item))
    return [one for one in _there(item) if one.node is item or one.definition in asked or one.last() != one.before]


def _definitions(item: pytest.Item) -> Iterator[object]:
    """What defines its fixtures; pytest says it nowhere else. Other folders have others of the same names."""
    for definitions in getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {}).values():
        for one in reversed(definitions):
            yield one
            if one.argname not in one.argnames:  # it asks for the one that it stands for
                break


def _url(config: pytest.Config) -> str | None:
    return config.getoption("--payment-sandbox-url") or os.environ.get("PAYMENT_SANDBOX_URL") or None
