"""The catalog of a tap: which streams there are, and which are selected."""

from __future__ import annotations

import copy
import hashlib
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import (
    AbstractConfig,
    ConfigError,
    ConfigType,
    ConnectError,
    Password,
    RetriableError,
)
from plugwright_singer.environment import command_of
from plugwright_singer.lines import END, TOO_LONG
from plugwright_singer.run import ChildRun
from plugwright_singer.settings import TAP, limits_of, shared_definition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright_singer.run import Command, Limits

__all__ = ["StreamRecommender", "catalog_file", "discovered", "selected", "stream_names"]

_ALL = "*"
_STEP_S = 0.1
_RECOMMENDING_S = 10.0
_KNOWN_S = 30.0


@dataclass(frozen=True, slots=True)
class _Known:
    """The streams of the tap that was asked last.

    Attributes:
        digest: of its command, which has secrets.
        streams: their names.
        until: reading of the clock after which the tap is asked again.
    """

    digest: bytes
    streams: Sequence[str]
    until: float


class StreamRecommender:
    """Proposes the streams that the tap discovers with the settings so far.

    They are remembered for half a minute, and so is that discovery has failed: a form validates at
    each change, and taps take seconds to begin.

    Args:
        clock: which time it is, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: _Known | None = None

    def valid_values(self, _name: str, parsed: Mapping[str, object], /) -> Sequence[object]:
        """The names of the streams; empty if discovery fails, which is not an error here."""
        given = {
            name: value.value if isinstance(value, Password) else str(value)
            for name, value in parsed.items()
            if value is not None
        }
        definition = shared_definition().define(TAP, ConfigType.STRING, default="")
        try:
            settings = AbstractConfig(definition, given, log_values=False)
            command = command_of(settings, TAP, installs=False)
            return self._streams(command, limits_of(settings))
        except ConnectError:
            return []

    def visible(self, _name: str, _parsed: Mapping[str, object], /) -> bool:
        """Always."""
        return True

    def _streams(self, command: Command, limits: Limits) -> Sequence[str]:
        said = json.dumps([command.program, command.directory, command.files], sort_keys=True)
        digest, known = hashlib.sha256(said.encode()).digest(), self._known
        if known is None or known.digest != digest or self._clock() >= known.until:
            streams = _names_or_none(command, limits)
            self._known = known = _Known(digest, streams, self._clock() + _KNOWN_S)
        return known.streams


def _names_or_none(command: Command, limits: Limits) -> Sequence[str]:
    try:
        return stream_names(discovered(command, limits, _RECOMMENDING_S))
    except ConnectError:
        return []


def discovered(
    command: Command,
    limits: Limits,
    timeout_s: float,
    stopped: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """The catalog that the tap discovers.

    Raises:
        ConnectError: if the tap fails, takes too long, or writes something else.
        RetriableError: if it is stopped meanwhile.
    """
    run = ChildRun(replace(command, flags=("--discover",)), limits)
    try:
        text = b"\n".join(_output(run, timeout_s, stopped))
        if run.exit_code():
            raise run.failure()
    finally:
        run.stop()
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("streams"), list):
        raise ConnectError(
            f"{command.name} --discover has not written a catalog{run.last_words()}",
            code="singer.no-catalog",
            hint="name a catalog with singer.catalog, or leave singer.select out if the tap has "
            "no discovery",
            facts={"program": command.program},
        )
    return found


def catalog_file(path: str) -> dict[str, Any]:
    """The catalog of a file.

    Raises:
        ConfigError: if it cannot be read or is not a catalog.
    """
    try:
        found = json.loads(Path(path).read_text("utf-8"))
        reason = "" if isinstance(found.get("streams"), list) else "it has no list of streams"
    except (OSError, ValueError, AttributeError) as error:
        found, reason = {}, getattr(error, "strerror", None) or "it is not a JSON object"
    if reason:
        raise ConfigError(
            f"singer.catalog names {path}, which cannot be used: {reason}",
            code="singer.catalog",
            hint="name a file that the tap's discovery has written",
            facts={"file": path},
        )
    return dict(found)


def stream_names(catalog: Mapping[str, Any]) -> list[str]:
    """The names of the streams of a catalog, in its order."""
    streams = (entry for entry in catalog["streams"] if isinstance(entry, dict))
    return [_name(entry) for entry in streams]


def selected(
    catalog: Mapping[str, Any], names: Sequence[str], said: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The catalog with these streams selected and no others; each with all of its fields.

    A field that the catalog says something else about keeps that.

    Args:
        catalog: is not changed.
        names: of streams, or ``*``.
        said: what the metadata of each selected stream says besides.

    Raises:
        ConfigError: if there is no such stream.
    """
    known = stream_names(catalog)
    strange = [name for name in names if name not in {*known, _ALL}]
    if strange:
        raise ConfigError(
            f"there is no stream {', '.join(strange)}; there are {', '.join(known[:20]) or 'none'}",
            code="singer.no-stream",
            hint="correct singer.select",
            facts={"streams": tuple(strange)},
        )
    made = copy.deepcopy(dict(catalog))
    for entry in made["streams"]:
        wanted = _ALL in names or _name(entry) in names
        entry["selected"] = wanted
        metadata = entry.setdefault("metadata", [])
        stream = _mark(metadata, [], selected=wanted, keep=False)
        if wanted:
            stream.update(said or {})
            for field in (entry.get("schema") or {}).get("properties") or {}:
                _mark(metadata, ["properties", field], selected=True, keep=True)
    return made


def _name(entry: Mapping[str, Any]) -> str:
    return str(entry.get("tap_stream_id") or entry.get("stream") or "")


def _mark(
    metadata: list[dict[str, Any]], breadcrumb: list[str], *, selected: bool, keep: bool
) -> dict[str, Any]:
    """Select what is at a place, or not; the metadata of the place."""
    for item in metadata:
        if item.get("breadcrumb") == breadcrumb:
            found: dict[str, Any] = item.setdefault("metadata", {})
            if found.get("inclusion") != "unsupported" and not (keep and "selected" in found):
                found["selected"] = selected
            return found
    made = {"selected": selected}
    metadata.append({"breadcrumb": breadcrumb, "metadata": made})
    return made


def _output(run: ChildRun, timeout_s: float, stopped: Callable[[], bool]) -> list[bytes]:
    """Every line until the end."""
    lines: list[bytes] = []
    deadline = time.monotonic() + timeout_s
    while not stopped():
        line = run.lines.take(_STEP_S)
        if line == END:
            return lines
        if line == TOO_LONG:
            raise _endless(run)
        if line is not None:
            lines.append(line)
        elif time.monotonic() > deadline:
            raise _slow(run, timeout_s)
    raise RetriableError(f"the discovery of {run.command.name} was stopped", code="singer.stopped")


def _endless(run: ChildRun) -> ConnectError:
    return ConnectError(
        f"{run.command.name} --discover has written a line of more than singer.line.max.bytes",
        code="singer.line-too-long",
        hint="raise singer.line.max.bytes",
    )


def _slow(run: ChildRun, timeout_s: float) -> ConnectError:
    return ConnectError(
        f"{run.command.name} --discover took more than {timeout_s:g} seconds{run.last_words()}",
        code="singer.hangs",
        hint="raise singer.start.timeout.ms, or name a catalog with singer.catalog",
    )
