"""Checks of code execution, files written and hosts contacted."""

from __future__ import annotations

import base64
import ipaddress
import os
import re
import socket
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright_conformance.catalogue.check import Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    one_life,
    running_sink,
    running_source,
)
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotRunError
from plugwright_conformance.simulator import SimulatedCheck
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import ExperimentFactory
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_PATIENCE_S = 1.0
_EXECUTING = {"pickle.find_class", "import", "os.system", "subprocess.Popen", "os.exec"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATH = re.compile(r"/[^\s,;?'\"]*")
_ASKING = {"socket.getaddrinfo": 0, "socket.gethostbyname": 0}
_REACHING = {"socket.connect", "socket.sendto"}


@contextmanager
def _audited(see: Callable[[str, tuple[Any, ...]], None]) -> Iterator[None]:
    """Report Python's audit events meanwhile; for processes that end afterwards."""
    watching = [True]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if watching[0]:
            see(event, arguments)

    sys.addaudithook(hook)
    try:
        yield
    finally:
        watching[0] = False


def _payloads(token: str) -> Sequence[str]:
    """Texts that do harm where they are executed; all of them lead to a name of our own."""
    module = f"orders_{token}"
    plain = f"c{module}\nrun\n."
    framed = b"\x80\x04\x8c%c%s\x8c\x03run\x93." % (len(module), module.encode())
    return (
        f"__import__('{module}').run()",
        f'exec("import {module}")',
        base64.b64encode(framed).decode(),
        framed.hex(),
        framed.decode("latin-1"),
        plain,
        base64.b64encode(plain.encode()).decode(),
        f"!!python/object/apply:{module}.run []",
        f'{{"py/object": "{module}.Run", "__reduce__": ["{module}.run", []]}}',
        f"{{{{ ''.__class__.__init__.__globals__['__builtins__']['__import__']('{module}') }}}}",
    )


@registered
class DataAreNeverExecuted(SimulatedCheck):
    """Data is never executed."""

    id = "CON-SEC-06"
    level = Level.C2
    wave = 2
    title = "Data is never executed or unpickled"
    why = "Anyone who can write to the topic or table could execute code in the worker."
    mend = "Use json, or your own schema; never pickle, eval or yaml.load for data."
    origin = "NEW; faust#776"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Process texts that refer to code of a known module; watch whether it is executed."""
        bench = factory.bench
        token = f"{factory.random.getrandbits(48):012x}"
        excluded = bench.subject.declaration.excluded_characters
        payloads = [p for p in _payloads(token) if not any(c in p for c in excluded)]
        for payload in payloads:
            seen: list[str] = []

            def see(event: str, arguments: tuple[Any, ...], seen: list[str] = seen) -> None:
                if token in _executed(event, arguments):
                    seen.append(event)

            with bench.endpoint() as endpoint, suppress(Exception):  # it may be refused
                _move(bench, endpoint, payload, see)
            if seen:
                raise CheckFailedError(
                    expected="the value delivered unchanged, or rejected",
                    observed=f"{seen[0]} on its behalf",
                    scenario=f"the value {payload[:60]!r}",
                    likely="values are unpickled, evaluated or deserialized as objects",
                )
        return Evidence(len(payloads))


def _executed(event: str, arguments: tuple[Any, ...]) -> str:
    """The code about to be executed, as text; empty for other events."""
    if event == "exec":
        code = arguments[0]
        return repr((getattr(code, "co_consts", ()), getattr(code, "co_names", ())))
    return repr(arguments[:2]) if event in _EXECUTING else ""


def _move(
    bench: Bench,
    endpoint: OpenEndpoint,
    text: str,
    see: Callable[[str, tuple[Any, ...]], None],
) -> None:
    """Process one value with a task, and report audit events meanwhile."""
    if bench.subject.kind == "source":
        rows = bench.subject.declaration.rows
        endpoint.driver.seed([rows.carrying(text) if rows else text])
        with (
            _audited(see),
            running_source(bench, bench.config(endpoint), SourceContext()) as source,
        ):
            source.take(1, _PATIENCE_S)
    else:
        with _audited(see):
            _put(bench, endpoint, *sink_records([text], HOME))


def _put(bench: Bench, endpoint: OpenEndpoint, *records: SinkRecord) -> None:
    """Put records into a sink, and commit once."""
    with running_sink(bench, bench.config(endpoint), [HOME]) as sink:
        sink.put(records)
        sink.ask()


def _life_with_refusal(factory: ExperimentFactory, endpoint: OpenEndpoint) -> int:
    """A life, and for a sink one more with a value that most cannot take."""
    bench = factory.bench
    moved = one_life(bench, endpoint)
    if not factory.is_source:
        (odd,) = sink_records([{"nested": [object]}], HOME)
        odd.value_schema = None
        with suppress(Exception):  # what kind of error that is, another check asks
            _put(bench, endpoint, odd)
    return moved


@registered
class FilesAreWrittenWhereDeclared(SimulatedCheck):
    """The plugin writes only where its settings allow."""

    id = "CON-SEC-07"
    level = Level.C2
    wave = 2
    title = "Writes no file outside configured directories"
    why = "Unexpected files expose data to others and fill the worker's disk."
    mend = "Write to a configured directory, or to one created with tempfile."
    origin = "NEW"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Watch what is opened for writing during a life, and when a value is refused."""
        bench = factory.bench
        written: list[str] = []

        def see(event: str, arguments: tuple[Any, ...]) -> None:
            if path := _written(event, arguments):
                written.append(path)

        here = bench.directory()
        os.chdir(here)  # of this process, which is thrown away
        with bench.endpoint() as endpoint:
            settings = [*endpoint.settings.values(), *bench.config(endpoint).values()]
            with _audited(see):
                moved = _life_with_refusal(factory, endpoint)
        allowed = [*_roots(settings), str(endpoint.directory.resolve())]
        strange = [p for p in written if not _is_allowed(Path(p), allowed, settings, here)]
        if strange:
            raise CheckFailedError(
                expected="files below configured directories, or temporary files",
                observed=f"{strange[0]} was opened for writing",
                scenario="a life of connector and task, and a value that was refused",
            )
        return Evidence(moved, figures={"opened_for_writing": len(written)})


def _written(event: str, arguments: tuple[Any, ...]) -> str:
    """The path that is about to be written; empty for anything else."""
    if event == "open":
        path, _, flags = arguments[:3]
        if not isinstance(path, str | bytes | os.PathLike) or not (flags or 0) & _WRITING:
            return ""
        return os.fsdecode(path)
    return os.fsdecode(arguments[0]) if event == "os.mkdir" else ""


def _roots(settings: Iterable[str]) -> list[str]:
    """Where everything may be written: what settings name, temporary and cached files, devices."""
    named = [path for value in settings for path in _PATH.findall(value) if path.strip("/")]
    free = [tempfile.gettempdir(), "/dev", "/proc", str(Path("~/.cache").expanduser())]
    return [os.path.realpath(f"/{path.lstrip('/')}") for path in named] + free


def _is_allowed(path: Path, roots: Sequence[str], settings: Sequence[str], here: Path) -> bool:
    if "__pycache__" in path.parts or any(path.name in value for value in settings):
        return True
    whole = os.path.realpath(here / path)
    in_here = Path(whole).is_relative_to(os.path.realpath(here))
    below = [root for root in roots if Path(whole).is_relative_to(root)]
    return any(root != tempfile.gettempdir() or not in_here for root in below)


@registered
class NobodyElseIsAsked(SimulatedCheck):
    """The plugin connects only to configured hosts."""

    id = "CON-SEC-08"
    level = Level.C2
    wave = 2
    title = "Talks only to its endpoint"
    why = "A third host learns what data you move; behind a firewall each start waits."
    mend = "Connect only to configured hosts; do not send usage statistics."
    origin = "NEW"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Record which hosts are looked up and connected to; unnamed hosts are refused."""
        bench = factory.bench
        with bench.endpoint() as endpoint:
            settings = [*endpoint.settings.values(), *bench.config(endpoint).values()]
            visits: dict[str, bool] = {}

            def see(event: str, arguments: tuple[Any, ...]) -> None:
                host = _asked_for(event, arguments)
                if not host or _is_here(host):
                    return
                visits[host] = any(host in value for value in settings)
                if not any(visits.values()):
                    raise ConnectionRefusedError(f"{host} is not a configured host")

            try:
                with _audited(see):
                    moved = _life_with_refusal(factory, endpoint)
            except CheckFailedError:
                if not visits:
                    raise
                moved = 1
        self._judge(visits)
        return Evidence(moved, figures={"hosts": len(visits)})

    @staticmethod
    def _judge(visits: Mapping[str, bool]) -> None:
        strangers = [host for host, named in visits.items() if not named]
        if not strangers:
            return
        if any(visits.values()):
            raise NotRunError(
                f"the endpoint is on another machine and may have redirected to {strangers[0]}"
            )
        raise CheckFailedError(
            expected="connections to configured hosts only",
            observed=f"{strangers[0]} was looked up, or connected to",
            scenario="a life of connector and task; other hosts were blocked",
        )


def _asked_for(event: str, arguments: tuple[Any, ...]) -> str:
    """The host that is looked up or reached; empty for anything else."""
    if event in _ASKING:
        host = arguments[0]
        return os.fsdecode(host) if isinstance(host, str | bytes) else ""
    if event in _REACHING and isinstance(arguments[1], tuple):
        return str(arguments[1][0])
    return ""


def _is_here(host: str) -> bool:
    """Whether that is this machine."""
    if host in {"", "localhost", "localhost.localdomain", socket.gethostname()}:
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
