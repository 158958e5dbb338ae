"""Records the golden files anew: asks Kafka Connect's own Java classes every case."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.oracle.golden import DIRECTORY
from tests.oracle.tables import all_cases, golden_name

from plugwright.cache import cache_directory
from plugwright.java import find_java
from plugwright.kafka.brokers import IvyResolver, PinnedSet, class_path, jars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ask", "cached_jars", "connect_jars", "main"]

_HERE = Path(__file__).parent
_NAME = "connect-4.3.1"
_PINS = _HERE / f"{_NAME}.sha256"
_SECONDS = 300
_OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dfile.encoding=UTF-8",
    "-Duser.timezone=UTC",
    "-Duser.language=en",
    "-Duser.country=US",
)


def connect_jars() -> tuple[Path, ...]:
    """The jars of Kafka Connect, checked by content, fetched if the cache lacks them."""
    return jars(_pins(), cache_directory(), IvyResolver(), _tell)


def cached_jars() -> tuple[Path, ...]:
    """The jars that are in the cache already; none if any of them is missing."""
    paths = _pins().paths(cache_directory() / "jars" / _NAME)
    return paths if all(path.exists() for path in paths) else ()


def _pins() -> PinnedSet:
    return PinnedSet.parse(_NAME, _PINS.read_text("utf-8"))


def _tell(message: str) -> None:
    sys.stderr.write(f"{message}\n")


def ask(cases: Sequence[Mapping[str, Any]], paths: Sequence[Path]) -> list[dict[str, Any]]:
    """What Java answers, one answer a case, after one that names Kafka's version."""
    java = find_java().executable
    command: list[str | Path] = [java, *_OPTIONS, "-cp", class_path(paths), _HERE / "Oracle.java"]
    done = subprocess.run(
        command,
        input="".join(f"{json.dumps(case)}\n" for case in cases),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"},
        timeout=_SECONDS,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _write(name: str, head: dict[str, Any], lines: Mapping[str, dict[str, Any]]) -> None:
    rows = [head, *(lines[key] for key in sorted(lines))]
    text = "".join(f"{json.dumps(row, separators=(',', ':'))}\n" for row in rows)
    (DIRECTORY / f"{name}.jsonl").write_text(text, "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the golden files; files that no case belongs to any more are removed."""
    argparse.ArgumentParser(prog="python -m tests.oracle.record", description=__doc__).parse_args(
        arguments
    )
    table = all_cases()
    head, *answers = ask(list(table.values()), connect_jars())
    files: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for (key, case), result in zip(table.items(), answers, strict=True):
        files[golden_name(case)][key] = {"id": key, "case": case, "result": result}
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for path in DIRECTORY.glob("*.jsonl"):
        path.unlink()
    for name, lines in files.items():
        _write(name, head, lines)
    _tell(f"{len(table)} cases in {len(files)} files under {DIRECTORY}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
