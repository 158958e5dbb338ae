"""Seconds to change the manifest of a large wheel: verbatim copy beside recompression.

Run it as ``python tests/benchmarks/archives.py``; it starts no JVM and opens no socket. The wheel
has the number of members and the size of pyarrow's, and packs as well. The rival reads and writes
every member with zipfile, which verifies checksums on the way and hashes nothing; it does not wait
for the disk, the copies do. A/A: the copy is measured a second time under another name; what the
two differ by is the error of the method.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import platform
import random
import statistics
import sys
import tempfile
import time
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import plugwright
from plugwright_toolkit.archives import open_artifact, require_record, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable

MEMBERS = 808
LARGE = 12
METADATA = "bench-1.0.dist-info"
MANIFEST = f"{METADATA}/entry_points.txt"
RECORD = f"{METADATA}/RECORD"
ENTRIES = b"[plugwright.SinkConnector]\na = bench:BenchSinkConnector\n"
GOALS = {"copy": 40, "verify and copy": 5}


def main() -> int:
    """Measure and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--megabytes", type=int, default=136, help="unpacked size of the wheel")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each figure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        wheel = _make_wheel(Path(directory), options.megabytes << 20)
        _print_circumstances(wheel, options.rounds)
        taken = _measured(wheel, options.rounds)
    rival = statistics.median(taken["recompress"])
    for name, seconds in taken.items():
        median, low, high = statistics.median(seconds), min(seconds), max(seconds)
        goal = f"   goal {GOALS[name]} x" if name in GOALS else ""
        spread = f"{low * 1e3:,.0f} to {high * 1e3:,.0f}"
        _say(f"{name:16}{median * 1e3:>9,.1f} ms   {spread:18}{rival / median:>6.1f} x{goal}")
    return 0


def _measured(wheel: Path, rounds: int) -> dict[str, list[float]]:
    """The seconds of all contenders, taken in turns so that drift hits all of them."""
    contenders = {
        "copy": _copy,
        "copy (A/A)": _copy,
        "verify and copy": _verify_and_copy,
        "recompress": _recompress,
    }
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    changes = _changes(wheel)
    for turn in range(rounds + 1):
        for name, run in contenders.items():
            seconds = _timed(run, wheel, changes)
            if turn:  # the first round warms up
                taken[name].append(seconds)
    return taken


def _timed(
    run: Callable[[Path, dict[str, bytes], Path], None], wheel: Path, changes: dict[str, bytes]
) -> float:
    target = wheel.with_suffix(".new")
    start = time.perf_counter()
    run(wheel, changes, target)
    seconds = time.perf_counter() - start
    target.unlink()
    return seconds


def _copy(wheel: Path, changes: dict[str, bytes], target: Path) -> None:
    rewrite(wheel, changes, target)


def _verify_and_copy(wheel: Path, changes: dict[str, bytes], target: Path) -> None:
    require_record(open_artifact(wheel))
    rewrite(wheel, changes, target)


def _recompress(wheel: Path, changes: dict[str, bytes], target: Path) -> None:
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            new.writestr(info, changes.get(info.filename) or old.read(info))


def _changes(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {MANIFEST: ENTRIES, RECORD: archive.read(RECORD)}


def _make_wheel(directory: Path, size: int) -> Path:
    """Nine tenths of the bytes in a few members, the rest in many.

    The bytes pack like those of pyarrow's libraries: 2.6 to 1, at the same speed.
    """
    chance = random.Random(1)  # noqa: S311  # the same bytes in every run
    words = [chance.randbytes(chance.randint(2, 8)) for _ in range(4000)]
    weights = [1 / (rank + 1) ** 1.2 for rank in range(len(words))]
    text = b"".join(chance.choices(words, weights, k=1_000_000))
    large, small = size * 9 // 10 // LARGE, size // 10 // (MEMBERS - LARGE)
    wheel, rows = directory / "bench-1.0-py3-none-any.whl", []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(MEMBERS - 2):
            name = f"bench/{number:03}.bin"
            data = _slice(text, large if number < LARGE else small, chance)
            archive.writestr(name, data)
            rows.append(_row(name, data))
        archive.writestr(MANIFEST, ENTRIES)
        rows += [_row(MANIFEST, ENTRIES), f"{RECORD},,"]
        archive.writestr(RECORD, "\n".join(rows))
    return wheel


def _slice(text: bytes, size: int, chance: random.Random) -> bytes:
    start = chance.randrange(len(text))
    return (text[start:] + text * (size // len(text) + 1))[:size]


def _row(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def _print_circumstances(wheel: Path, rounds: int) -> None:
    _say(f"plugwright {plugwright.__version__}, Python {platform.python_version()}")
    _say(f"zlib {zlib.ZLIB_RUNTIME_VERSION}, two threads hash")
    _say(f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors")
    megabytes = wheel.stat().st_size / 1e6
    _say(f"wheel of {MEMBERS} members and {megabytes:.1f} MB, {rounds} rounds\n")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
