"""How long it takes to find plugins, against the standard library and against goals in seconds.

Three comparisons, each in one run that alternates between what is compared and repeats one of the
two under another name (A/A): a ratio means something only if it is farther from 1 than the A/A
ratio. The page cache is warm, for the first round is not counted.

* Enumeration: the manifests of one directory of 100, 1,000 and 5,000 distributions, every tenth
  with a plugin and the others with a console script, read by ``service_load`` and by
  ``importlib.metadata.entry_points()``; each call is the first one in a fresh process and is timed
  without the process's start and imports, which is the ratio that the goal is about: at least 6
  times faster. The ratio "with imports" adds on both sides what importing the library takes,
  which a program that has other uses for the library does not pay twice.
* A plugin path of 100 locations with 39 plugins each, every one in a module of its own, no
  bytecode: ``service_load`` at most 0.25 s, and a survey that proves every plugin by importing it
  at most 4 s, both timed likewise. The processor time of all processes together is given too: on
  a machine that does something else at the same time, it tells more than the clock.
* One location with one module, confirmed by a fork of a fork server that is up, and by a fresh
  interpreter. Goal: at least 5 times faster.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.plugin_paths import make_distributions, make_plugin_path

from plugwright.plugins import ConfirmLimits, locations_on
from plugwright.plugins.children import Children
from plugwright.plugins.confirming import Inquiry, confirm_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parents[2]
SIZES = (100, 1_000, 5_000)
LOCATIONS, PLUGINS = 100, 39

_FRAME = """
import os, sys, time
sys.path.insert(0, {runtime!r})
imported = time.perf_counter()
{prepare}
imported = time.perf_counter() - imported
def processor():
    return time.process_time() + sum(os.times()[2:4])
before, begun = processor(), time.perf_counter()
{call}
seconds, after = time.perf_counter() - begun, processor()
assert len(found) == {expected}, len(found)
print(seconds, after - before, imported)
"""
_SERVICE_LOAD = (
    "from plugwright.plugins import Plugins",
    "found = Plugins.service_load([{path!r}]).descriptors",
)
_ENTRY_POINTS = (
    "import importlib.metadata; sys.path[:] = [{path!r}, *sys.path]",
    "found = importlib.metadata.entry_points().select(group='plugwright.SinkConnector')",
)
_SURVEY = (
    "from plugwright.plugins import locations_on, survey",
    "found = [p for s in survey(locations_on([{path!r}])) for p in s.plugins if p.loadable]",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """What one call took, in seconds: by the clock, of the processors, and to import first."""

    clock: float
    processor: float = 0.0
    imports: float = 0.0


@dataclass(frozen=True, slots=True)
class Figure:
    """What one of the compared took."""

    name: str
    taken: Sequence[Sample]

    @property
    def samples(self) -> Sequence[float]:
        """What the calls took by the clock, in seconds."""
        return [each.clock for each in self.taken]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.samples)

    @property
    def busy(self) -> float:
        """The middle one of the processor time."""
        return statistics.median(each.processor for each in self.taken)

    @property
    def with_imports(self) -> float:
        """The middle one of call and import together."""
        return statistics.median(each.clock + each.imports for each in self.taken)

    def __str__(self) -> str:
        low, high = min(self.samples), max(self.samples)
        text = f"{self.name:<28} {self.median * 1e3:>9.2f} ms"
        text += f"   from {low * 1e3:.2f} to {high * 1e3:.2f}"
        if self.busy:
            text += f"   processor {self.busy * 1e3:.2f} ms"
        return text


def main() -> int:
    """Measure and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=7, help="counted rounds")
    options = parser.parse_args()
    out = sys.stdout.write
    out(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}, ")
    out(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, ")
    out(f"plugwright {importlib.metadata.version('plugwright')}; ")
    out(f"medians of {options.rounds} rounds, one more is not counted\n")
    with tempfile.TemporaryDirectory() as work:
        for size in SIZES:
            _enumeration(Path(work), size, options.rounds)
        path = Path(work) / "plugin-path"
        make_plugin_path(path, LOCATIONS, PLUGINS)
        _plugin_path(path, options.rounds)
        _confirmation(path, options.rounds)
    return 0


def _enumeration(work: Path, size: int, rounds: int) -> None:
    path = make_distributions(work / f"distributions-{size}", size)
    ours, theirs = (
        lambda parts=parts: _timed(parts, path, size // 10)
        for parts in (_SERVICE_LOAD, _ENTRY_POINTS)
    )
    names = ("service_load", "entry_points()", "service_load again (A/A)")
    _compared(f"{size} distributions", names, (ours, theirs, ours), rounds, goal=6)


def _plugin_path(path: Path, rounds: int) -> None:
    expected = LOCATIONS * PLUGINS
    sys.stdout.write(f"\n{LOCATIONS} locations, {expected} plugins\n")
    for name, parts, goal in (("service_load", _SERVICE_LOAD, 0.25), ("survey", _SURVEY, 4.0)):
        calls = [lambda parts=parts: _timed(parts, path, expected)] * 2
        one, again = _alternated((name, f"{name} again (A/A)"), calls, rounds)
        verdict = "reached" if one.median <= goal else "MISSED"
        load = os.getloadavg()[0]
        sys.stdout.write(f"  {one}   load {load:.1f}, goal {goal:g} s: {verdict}\n  {again}\n")


def _confirmation(path: Path, rounds: int) -> None:
    inquiry = Inquiry(locations_on([path])[0], {"shop_000_a.plugin_0": ()})
    with ExitStack() as stack:
        forks, fresh = (stack.enter_context(Children(forks=forks)) for forks in (True, False))

        def confirmed(children: Children) -> Sample:
            begun = time.perf_counter()
            outcome = confirm_in(children, inquiry, ConfirmLimits())
            seconds = time.perf_counter() - begun
            if len(outcome.found) != 1:
                raise RuntimeError(outcome)
            return Sample(seconds)

        calls = [lambda each=each: confirmed(each) for each in (forks, fresh, forks)]
        names = ("fork server", "fresh interpreter", "fork server again (A/A)")
        _compared("one location, one module", names, calls, rounds * 3, goal=5)


def _compared(
    title: str,
    names: Sequence[str],
    calls: Sequence[Callable[[], Sample]],
    rounds: int,
    goal: float,
) -> None:
    """Print what ours, theirs and ours again take, and the two ratios."""
    ours, theirs, again = _alternated(names, calls, rounds)
    ratio, control = theirs.median / ours.median, again.median / ours.median
    verdict = "reached" if ratio >= goal else "MISSED"
    sys.stdout.write(f"\n{title}\n  {ours}\n  {theirs}\n  {again}\n")
    load = os.getloadavg()[0]
    reported = f"{ratio:.1f} times faster (A/A {control:.2f}, load {load:.1f})"
    sys.stdout.write(f"  {reported}, goal {goal:g}: {verdict}\n")
    if any(each.imports for each in theirs.taken):
        busy, whole = theirs.busy / ours.busy, theirs.with_imports / ours.with_imports
        sys.stdout.write(f"  {busy:.1f} times by processor time; {whole:.2f} times with imports\n")


def _alternated(
    names: Sequence[str], calls: Sequence[Callable[[], Sample]], rounds: int
) -> list[Figure]:
    samples: list[list[Sample]] = [[] for _ in names]
    for number in range(rounds + 1):
        for kept, call in zip(samples, calls, strict=True):
            sample = call()
            if number:
                kept.append(sample)
    return [Figure(name, kept) for name, kept in zip(names, samples, strict=True)]


def _timed(parts: tuple[str, str], path: Path, expected: int) -> Sample:
    """What a call takes in a fresh process.

    It fails if the call does not find what it should.
    """
    prepare, call = (part.format(path=str(path)) for part in parts)
    runtime = str(ROOT / "runtime")
    text = _FRAME.format(runtime=runtime, prepare=prepare, call=call, expected=expected)
    command = [sys.executable, "-I", "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Sample(*map(float, done.stdout.split()[-3:]))


if __name__ == "__main__":
    sys.exit(main())
