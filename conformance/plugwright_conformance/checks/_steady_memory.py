"""Check that a task holds no more memory the longer it runs."""

from __future__ import annotations

import inspect
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    PATIENCE_S,
    config_with_work,
    running_sink,
    running_source,
    seeds,
)
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotRunError,
)
from plugwright_conformance.processes.isolated_process import run_in_child
from plugwright_conformance.subject.allocations import Line, held_by_lines, tracing
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.endpoint import load_driver
from plugwright_conformance.subject.names import HOME
from plugwright_conformance.subject.retained import kept_by, let_go, limited_by, names_pruned

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSink, SteppedSource
    from plugwright_conformance.subject.endpoint import OpenEndpoint
    from plugwright_conformance.subject.subject import Subject

_PORTION, _PORTIONS = 50, 10
_VALUES = _PORTION * _PORTIONS
_WINDOWS = 8
_LEAST = 6 * _VALUES
"""Bytes that a line holds more after each window: less than one reference for each value."""
_LOOKED_AT = (3, _WINDOWS)
"""Windows after which what has a limit is compared with the window before."""
_TURNS = 4
_PATIENCE_S = 30.0


@registered
class MemoryIsSteady(Check):
    """What the plugin's lines hold stops growing while values go through."""

    id = "CON-RES-04"
    level = Level.C3
    wave = 2
    budget_s = 180.0
    skips_waits = True
    title = "Memory is bounded in steady flow"
    why = "A task runs for months: whatever stays of each record fills its memory some day."
    mend = "Let go of what belongs to a record once it is committed, or give what you keep a limit."
    origin = "pubsub#204; FAU bounded_memory"

    def run(self, bench: Bench) -> Evidence:
        """Move windows of values until no line holds more than after the window before.

        All is acknowledged or committed before memory is measured. Caches that are full, such as
        those of database drivers, end their growth within the windows. A plugin that fills
        something with a limit, or something that its code takes elements out of, is left alone:
        the limit may be higher. So is memory that is not free when the plugin lets all go: Python
        reuses what it has freed without noting the new owner.
        """
        with tracing(), bench.endpoint() as endpoint:
            windows = self._windows(bench, endpoint)
            before, moved = next(windows), 1
            growing: Mapping[Line, int] | None = None
            for number, held in enumerate(windows, 2):
                growing = _still_growing(growing, before.lines, held.lines)
                if number in _LOOKED_AT and held.fills_more_than(before):
                    growing = {}
                if number == _WINDOWS:
                    growing = _owned(growing, held.owned)
                before, moved = held, number
                if not growing:
                    break
        if growing:
            raise self._failure(growing)
        return Evidence(moved * _VALUES, figures={"values": moved * _VALUES})

    def _windows(self, bench: Bench, endpoint: OpenEndpoint) -> Iterator[_Held]:
        """What is held after each window; the first one warms up."""
        config = config_with_work(bench, endpoint)
        driver = _files_of_driver(bench.subject)
        if bench.subject.kind == "source":
            with running_source(bench, config, SourceContext(), settled=True) as source:
                for number in range(1, _WINDOWS + 1):
                    _read(bench, endpoint, source)
                    yield _held_by(bench, source, driver, number)
        else:
            with running_sink(bench, config, [HOME]) as sink:
                for number in range(1, _WINDOWS + 1):
                    _write(bench, sink, (number - 1) * _VALUES)
                    yield _held_by(bench, sink, driver, number)

    @staticmethod
    def _failure(growing: Mapping[Line, int]) -> CheckFailedError:
        """Of the line that held the most more."""
        worst = max(growing, key=lambda line: growing[line])
        each = growing[worst] // (_VALUES * (_WINDOWS - 1))
        return CheckFailedError(
            expected=f"a limit of what is held, within {_WINDOWS} times {_VALUES} values",
            observed=f"{Path(worst.file).name}:{worst.number} holds about {each} bytes more for "
            f"each value, after each of the last {_WINDOWS - 1} times",
            scenario=f"{_WINDOWS} times {_VALUES} values, {_PORTION} at once; all of them done",
            likely="what this line makes for a record stays until the task stops",
        )


@dataclass(frozen=True, slots=True)
class _Held:
    """What a plugin holds at one time.

    Attributes:
        lines: bytes by the line that has allocated them.
        limited: how many elements there are in what has a limit, or may have one, by its name.
        owned: bytes by the line that are free once the plugin lets all go.
    """

    lines: Mapping[Line, int]
    limited: Mapping[str, int]
    owned: Mapping[Line, int]

    def fills_more_than(self, before: _Held) -> bool:
        """Whether something with a limit has more in it."""
        return any(size > before.limited.get(name, 0) for name, size in self.limited.items())


def _files_of_driver(subject: Subject) -> Collection[Path]:
    """The endpoint driver's module; its whole package, unless the plugin is in that, too."""
    driver = load_driver(subject)
    module = inspect.getmodule(driver)
    if module is None or module.__file__ is None:
        return []
    file, (package, _, _) = Path(module.__file__), module.__name__.rpartition(".")
    shared = not package or f"{subject.descriptor.class_name}.".startswith(f"{package}.")
    return [file if shared else file.parent]


def _held_by(
    bench: Bench, stepped: SteppedSource | SteppedSink, driver: Collection[Path], number: int
) -> _Held:
    """What is held after a window; what takes longer, where it is looked at."""
    root, looked_at = bench.subject.root, number in _LOOKED_AT or number + 1 in _LOOKED_AT
    return _Held(
        held_by_lines(root, driver),
        _limited(stepped.task, root) if looked_at else {},
        _freed(stepped.task, root, driver) if number == _WINDOWS else {},
    )


def _limited(task: object, root: Path) -> Mapping[str, int]:
    sizes, pruned = Counter[str](), names_pruned(root)
    for kept in kept_by(task, root).values():
        if kept.name in pruned:
            sizes[kept.name] += kept.size
    for kept in limited_by(task, root).values():
        sizes[kept.name] += kept.size
    return sizes


def _freed(task: object, root: Path, driver: Collection[Path]) -> Mapping[Line, int]:
    """What each line has no more, in a process in which the plugin has let all go."""

    def emptied(_: object) -> Sequence[tuple[str, int, int]]:
        before = held_by_lines(root, driver)
        let_go(task, root)
        after = held_by_lines(root, driver)
        return [(*line, size - after.get(line, 0)) for line, size in before.items()]

    found = run_in_child(emptied, _answer_nothing, _PATIENCE_S)
    if found is None:
        raise NotRunError("the plugin's objects could not be let go of")
    return {Line(file, number): size for file, number, size in found}


def _answer_nothing(question: object) -> None:
    """Nothing is asked."""


def _owned(growing: Mapping[Line, int], owned: Mapping[Line, int]) -> Mapping[Line, int]:
    """Lines of whose growth at least half was the plugin's."""
    return {line: grown for line, grown in growing.items() if owned.get(line, 0) >= grown // 2}


def _read(bench: Bench, endpoint: OpenEndpoint, source: SteppedSource) -> None:
    """Read a window of values; a few may be left for the next one, as in an open batch."""
    arrived = 0
    for _ in range(_PORTIONS):
        endpoint.driver.seed(seeds(bench, _PORTION))
        for _ in range(_TURNS):
            source.step()
        arrived += len(source.taken())
        source.acknowledge()
    arrived += len(source.take(_VALUES - arrived, PATIENCE_S, surplus=False))
    if arrived < _VALUES - _PORTION:
        raise NotRunError(f"{arrived} of {_VALUES} values arrived")
    source.acknowledge()
    source.step()  # in which the task hears of it
    source.taken()
    source.acknowledge()
    source.forget()


def _write(bench: Bench, sink: SteppedSink, first: int) -> None:
    """Write a window of values; a few may stay open, as in a file that is not full."""
    for portion in range(first, first + _VALUES, _PORTION):
        sink.put(sink_records(bench.ledger().enter(_PORTION), HOME, first_offset=portion))
        sink.ask()
    sink.commit()
    sink.forget()


def _still_growing(
    growing: Mapping[Line, int] | None, before: Mapping[Line, int], held: Mapping[Line, int]
) -> Mapping[Line, int]:
    """Lines that have grown enough in every window so far, with all that they have grown by."""
    grown = {line: size - before.get(line, 0) for line, size in held.items()}
    candidates: Sequence[Line] = [*held] if growing is None else [*growing]
    return {
        line: grown[line] + (growing or {}).get(line, 0)
        for line in candidates
        if grown.get(line, 0) >= _LEAST
    }
