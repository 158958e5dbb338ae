"""Generates the page of machine-made mutants: operators, score and survivors."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutation.operators import OPERATORS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.mutation import Operator

__all__ = ["mutants"]

_FILE = "machine_mutants.json"
_BUG = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")
_INTRODUCTION = """\
# Machine-made mutants

`plugwright mutate` changes the code of a connector in one place and tests whether a check that
needs no live system fails; see [](../../how-to/mutating-a-connector.md). This page lists the scores
of bundled connectors and of generated projects (`plugwright new q-source`), and the operators.
Survivors ran against the checks listed at the end, in these revisions, and no others; mutants that
an earlier run had killed did not run again."""


def mutants() -> str:
    """The score of the suite, what survived, and every operator."""
    file = resources.files("plugwright_conformance").joinpath(_FILE)
    document = json.loads(file.read_text("utf-8"))
    runs = document["runs"]
    parts = [_INTRODUCTION, _scores(runs), _by_operator(runs), *map(_survivors, runs)]
    return "\n\n".join([*parts, _operators(), _checks(document["checks"])]) + "\n"


def _scores(runs: Sequence[Mapping[str, Any]]) -> str:
    head = "| Connector | Made | Tried | Equivalent | Killed | Survived | Score | Seed |\n"
    rows = [_score(run["location"], run["score"], run["seed"]) for run in runs]
    total: Counter[str] = sum((Counter(run["score"]) for run in runs), Counter())
    rows.append(_score("all", total, ""))
    return f"## The score\n\n{head}|{'---|' * 8}\n" + "\n".join(rows)


def _score(name: str, score: Mapping[str, int], seed: str) -> str:
    of = score["tried"] - score["equivalent"]
    share = f"{100 * score['killed'] / of:.1f} %" if of else ""
    names = ("made", "tried", "equivalent", "killed", "survived")
    figures = " | ".join(str(score[each]) for each in names)
    return f"| {name} | {figures} | {share} | {seed} |"


def _by_operator(runs: Sequence[Mapping[str, Any]]) -> str:
    counts: dict[str, Counter[str]] = {}
    for run in runs:
        for name, count in run["operators"].items():
            counts.setdefault(name, Counter()).update(count)
    rows = [
        f"| `{name}` | {count['tried']} | {count['equivalent']} | {count['killed']} |"
        for name, count in sorted(counts.items())
    ]
    head = "| Operator | Tried | Equivalent | Killed |\n|---|---|---|---|\n"
    return "## By operator\n\n" + head + "\n".join(rows)


def _survivors(run: Mapping[str, Any]) -> str:
    shown = [f"```diff\n{each['diff']}```" for each in run["survivors"]]
    said = "\n\n".join(shown) or "None."
    return f"## Survivors of {run['location']}\n\n{said}"


def _operators() -> str:
    texts = ["## Operators"]
    for family, members in groupby(OPERATORS, key=lambda each: each.family):
        rows = "\n".join(map(_operator, members))
        texts.append(f"### {family}\n\n| Operator | Fault it reproduces |\n|---|---|\n{rows}")
    return "\n\n".join(texts)


def _operator(operator: Operator) -> str:
    linked = _BUG.sub(r"[\1#\2](https://github.com/\1/issues/\2)", operator.stands_for)
    return f"| `{operator.name}` | {linked} |"


def _checks(checks: Sequence[str]) -> str:
    return "## Checks\n\n" + ", ".join(checks) + "."
