"""A PostgreSQL cluster of the tests' own, in a temporary folder: nobody else's is touched, and no port is taken."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psutil
import psycopg

from tests.running import until

USER: Final = "postgres"
"""The first user of each cluster."""
MISSING: Final = "PostgreSQL is not installed: nothing that needs a database is tested"
_QUICK: Final = ("fsync=off", "full_page_writes=off", "listen_addresses=")


def programs() -> Path | None:
    """The folder of the newest server that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    elsewhere = shutil.which("postgres")
    if found or elsewhere is None:
        return found[-1].parent if found else None
    return Path(elsewhere).parent


def _other_user() -> pwd.struct_passwd:
    """Who runs a cluster for root, who may not: any other user, as the programs can be here without their own."""
    users = sorted(pwd.getpwall(), key=lambda user: (user.pw_name != USER, user.pw_name != "nobody"))
    return next(user for user in users if user.pw_uid != 0)


class Cluster:
    """A running cluster, reached by a socket in its own folder; every test has a place of its own in it."""

    def __init__(self, bin_folder: Path) -> None:
        self._bin = bin_folder
        self._owner = _other_user() if os.geteuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short: a socket's path has at most 107 bytes
        if self._owner is not None:
            os.chown(self.folder, self._owner.pw_uid, self._owner.pw_gid)
            self.folder.chmod(0o755)
        self._numbers = count(1)
        made = self._run("initdb", "--no-sync", "-A", "trust", "-U", USER, "-E", "UTF8", "-D", str(self._data))
        assert made.wait() == 0
        self.process = self.start()

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def url(self) -> str:
        """The address of its database; whoever knows it may do all."""
        return f"postgresql://{USER}@/{USER}?host={quote(str(self.folder))}"

    def database(self) -> str:
        """The address of a new, empty place for tables."""
        name = f"d{next(self._numbers)}"
        self.ask(f"CREATE SCHEMA {name}")  # as good as a database, and without its thousand files
        return f"{self.url()}&options=-csearch_path%3D{name}"

    def ask(self, statement: str, url: str | None = None) -> list[tuple[object, ...]]:
        """What a statement gives."""
        with psycopg.connect(url or self.url(), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def start(self) -> subprocess.Popen[bytes]:
        """Start it (again), and wait until it takes connections."""
        options = [part for option in _QUICK for part in ("-c", option)]
        self.process = self._run("postgres", "-D", str(self._data), "-k", str(self.folder), *options)
        until(self._takes_connections)
        return self.process

    def stop(self, with_signal: signal.Signals = signal.SIGINT) -> None:
        """End it, connections and all; with SIGQUIT as a machine that fails would."""
        self.process.send_signal(with_signal)
        self.process.wait()

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Let all of its processes stand still. All go on afterwards, but for one that was ending just then."""
        first = psutil.Process(self.process.pid)
        first.suspend()  # so that no other one is started
        servers = [*first.children(recursive=True), first]
        try:
            for server in servers:
                with suppress(psutil.NoSuchProcess):
                    server.suspend()
            yield
        finally:
            for server in servers:
                with suppress(psutil.NoSuchProcess):
                    server.resume()

    def end(self) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder)

    def _takes_connections(self) -> bool:
        assert self.process.poll() is None, "the cluster did not start"
        try:
            return bool(self.ask("SELECT 1"))
        except psycopg.OperationalError:
            return False

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [self._bin / program, *arguments],
            user=self._owner and self._owner.pw_uid,
            group=self._owner and self._owner.pw_gid,
            extra_groups=None if self._owner is None else [],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            start_new_session=True,  # Ctrl-C ends the tests, and they end it
        )


@contextmanager
def running() -> Iterator[Cluster | None]:
    """A cluster as long as it is wanted; None where it cannot be had."""
    folder = programs()
    if folder is None:
        yield None
        return
    cluster = Cluster(folder)
    try:
        yield cluster
    finally:
        cluster.end()
