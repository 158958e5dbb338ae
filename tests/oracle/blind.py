"""A blind comparison: random cases through Java's classes and ours, and how often both agree.

``python -m tests.oracle.blind --seed 1 --cases 5000`` in the root of the repository; with
``--drawing second`` cases of the kinds that the first drawing lacks.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

from tests.oracle import steps
from tests.oracle.golden import Line
from tests.oracle.notation import NotRepresentableError, is_representable, read_schema, read_value
from tests.oracle.random_cases import random_cases
from tests.oracle.record import ask, connect_jars
from tests.oracle.second_cases import second_cases
from tests.runtime.config import comparing as config
from tests.runtime.converters import comparing as converters
from tests.runtime.schema import comparing_projector, comparing_values
from tests.runtime.transforms import comparing as transforms

from plugwright.errors import ConnectError
from plugwright.schema import validate_value

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["compared", "main"]

_BY_KIND: dict[str, Any] = {
    "converter": converters.outcome,
    "transform": transforms.outcome,
    "predicate": transforms.outcome,
    "values": comparing_values.outcome,
    "projector": comparing_projector.outcome,
    "definition": config.outcome,
    **dict.fromkeys(steps.KINDS, steps.outcome),
}
_DRAWINGS = {"first": random_cases, "second": second_cases}


def compared(line: Line) -> str:
    """``same``, ``message``, ``error`` or ``value``; ``none`` where Python has no such value."""
    try:
        if "error" not in line.result and not is_representable(line):
            return "none"
        if line.case["kind"] == "validate":
            return _validated(line)
        return str(_BY_KIND[line.case["kind"]](line))
    except NotRepresentableError:
        return "none"
    except ConnectError:
        # The value of the case itself does not fit its schema; nothing was asked of the class.
        return "same" if line.result.get("stage") == "configure" else "error"


def _validated(line: Line) -> str:
    schema = read_schema(line.case["schema"])
    assert schema is not None, "every such case has one"
    try:
        validate_value(schema, read_value(line.case["value"], schema))
    except ConnectError:
        return "same" if "error" in line.result else "error"
    return "value" if "error" in line.result else "same"


def _name(case: dict[str, Any]) -> str:
    """What a case asks of: a class, a method of ``Values``, or the kind of the case."""
    part = case.get("class", case.get("method", "") if case["kind"] == "values" else "")
    return " ".join((case["kind"], part.partition("$")[0])).strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print the agreement and every case that differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.blind", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--drawing", choices=_DRAWINGS, default="first")
    options = parser.parse_args(arguments)
    drawn = _DRAWINGS[options.drawing](Random(options.seed), options.cases)  # noqa: S311  # no secret
    cases = list(drawn)
    _, *answers = ask(cases, connect_jars())
    found: Counter[str] = Counter()
    kinds: Counter[tuple[str, str]] = Counter()
    for number, (case, result) in enumerate(zip(cases, answers, strict=True)):
        outcome = compared(Line(f"blind/{options.seed}/{number}", case, result))
        found[outcome] += 1
        kinds[_name(case), outcome] += 1
        if outcome not in {"same", "none"}:
            row = {"id": number, "outcome": outcome, "case": case, "result": result}
            sys.stdout.write(f"{json.dumps(row)}\n")
    asked = options.cases - found["none"]
    agreed = found["same"] / asked
    for (name, outcome), times in sorted(kinds.items()):
        sys.stderr.write(f"{name}: {times} {outcome}\n")
    sys.stderr.write(f"seed {options.seed}: {asked} cases, {agreed:.2%} agree; {dict(found)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
