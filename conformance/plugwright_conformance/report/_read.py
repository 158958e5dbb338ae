"""Reads ``results.json`` strictly, for verification."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from plugwright.errors import ConnectError
from plugwright_conformance.evidence.outcome import (
    CheckResult,
    Level,
    LiveEvent,
    Outcome,
    Severity,
    TableCell,
)
from plugwright_conformance.report.results import FORMAT, FORMER_FORMAT, RunResults
from plugwright_conformance.subject.engines import ENGINES
from plugwright_conformance.subject.plugin_under_test import PluginUnderTest
from plugwright_conformance.subject.waivers import Waiver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_E = TypeVar("_E", bound=Enum)

_INT64_DIGITS = 20
_DERIVED_KEYS = frozenset(
    {"badges", "complete", "format", "level", "obstacles", "profile_note", "why_not_more"}
)
_WAIVER_KEYS = frozenset(field.name for field in fields(Waiver))
_RUN_KEYS = _DERIVED_KEYS | {field.name for field in fields(RunResults)} - {"invalid"}
_PLUGIN_KEYS = frozenset(field.name for field in fields(PluginUnderTest))
_CELL_KEYS = frozenset(field.name for field in fields(TableCell))
_EVENT_KEYS = frozenset(field.name for field in fields(LiveEvent))
_RESULT_KEYS = frozenset(field.name for field in fields(CheckResult)) - {"ending"}


def read_json(text: str | bytes) -> RunResults:
    """The results of a run from the text of its ``results.json``.

    Values derived from the results, such as ``level`` and ``badges``, must be present but are
    ignored: the returned value computes them again.

    Raises:
        ConnectError: ``report.unreadable`` if the text is not JSON or has another format, or if a
            field is missing, duplicate, unknown or of the wrong type; ``facts["where"]`` is its
            path.
    """
    return _run(_Node("", _parsed(text)))


def _parsed(text: str | bytes) -> object:
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_repeats,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_int64,
        )
    except (ValueError, RecursionError) as error:
        _refuse("", "a JSON document", str(error) or type(error).__name__, error)


def _without_repeats(pairs: Sequence[tuple[str, object]]) -> Mapping[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"the key {repeated[0]!r} more than once in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, which is not JSON")


def _finite(literal: str) -> float:
    number = float(literal)
    if not math.isfinite(number):
        raise ValueError(f"the number {literal[:20]}, which exceeds the range of a double")
    return number


def _int64(literal: str) -> int:
    if len(literal) > _INT64_DIGITS:
        raise ValueError(f"an integer of {len(literal)} digits")
    return int(literal)


def _refuse(where: str, expected: str, found: str, cause: BaseException | None = None) -> NoReturn:
    place = f" at {where}" if where else ""
    raise ConnectError(
        f"the results cannot be read{place}: expected {expected}, found {found}",
        code="report.unreadable",
        hint="use the original results.json, or repeat the certification",
        facts={"where": where, "expected": expected, "found": found},
    ) from cause


@dataclass(frozen=True, slots=True)
class _Node:
    """A value in the document with its path."""

    where: str
    value: Any

    def __getitem__(self, name: str) -> _Node:
        return _Node(f"{self.where}.{name}" if self.where else name, self.value[name])

    def mapping(self, keys: frozenset[str] | None = None) -> _Node:
        """This value, if it is an object with exactly these keys, or with any keys."""
        if not isinstance(self.value, dict):
            self._refuse("an object")
        if keys is not None and self.value.keys() != keys:
            self._refuse_keys(keys)
        return self

    def text(self) -> str:
        if not isinstance(self.value, str):
            self._refuse("a string")
        return self.value

    def integer(self) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self._refuse("an integer")
        return self.value

    def number(self) -> int | float:
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            self._refuse("a number")
        return self.value

    def truth(self) -> bool:
        if not isinstance(self.value, bool):
            self._refuse("true or false")
        return self.value

    def engine(self) -> str:
        if (name := self.text()) not in ("", *ENGINES):
            self._refuse(f"one of {', '.join(ENGINES)}, or an empty string")
        return name

    def count(self) -> int | str:
        return self.text() if isinstance(self.value, str) else self.integer()

    def figure(self) -> int | float | str:
        return self.text() if isinstance(self.value, str) else self.number()

    def items(self) -> Sequence[_Node]:
        if not isinstance(self.value, list):
            self._refuse("an array")
        return [_Node(f"{self.where}[{n}]", item) for n, item in enumerate(self.value)]

    def members(self) -> Mapping[str, _Node]:
        return {name: self[name] for name in self.mapping().value}

    def one_of(self, choices: Mapping[str, _E]) -> _E:
        name = self.text()
        if name not in choices:
            self._refuse(f"one of {', '.join(choices)}")
        return choices[name]

    def _refuse(self, expected: str) -> NoReturn:
        _refuse(self.where, expected, _shown(self.value))

    def _refuse_keys(self, keys: frozenset[str]) -> NoReturn:
        missing, strange = sorted(keys - self.value.keys()), sorted(self.value.keys() - keys)
        wanted, found = (missing[0], "no such key") if missing else ("", repr(strange[0]))
        _refuse(self.where, f"the key {wanted!r}" if wanted else "only known keys", found)


def _shown(value: object) -> str:
    return type(value).__name__ if isinstance(value, dict | list) else ascii(value)[:60]


def _run(node: _Node) -> RunResults:
    if (layout := node.mapping().value.get("format")) not in (FORMAT, FORMER_FORMAT):
        _refuse("format", repr(FORMAT), _shown(layout))
    keys = _RESULT_KEYS - ({"engine"} if layout == FORMER_FORMAT else set())
    node.mapping(_RUN_KEYS | node.value.keys() & {"invalid"})  # absent in valid runs
    return RunResults(
        plugin=_plugin(node["plugin"].mapping(_PLUGIN_KEYS)),
        environment={name: item.text() for name, item in node["environment"].members().items()},
        seed=node["seed"].text(),
        started=node["started"].text(),
        duration_s=float(node["duration_s"].number()),
        command=node["command"].text(),
        results=tuple(_result(item.mapping(keys)) for item in node["results"].items()),
        registry=tuple(item.text() for item in node["registry"].items()),
        selection=tuple(item.text() for item in node["selection"].items()),
        catalogue={name: item.integer() for name, item in node["catalogue"].members().items()},
        profile=node["profile"].text(),
        waivers=tuple(_waiver(item.mapping(_WAIVER_KEYS)) for item in node["waivers"].items()),
        workers=node["workers"].integer(),
        setup_s=float(node["setup_s"].number()),
        quality={name: item.count() for name, item in node["quality"].members().items()},
        invalid=node["invalid"].text() if "invalid" in node.value else "",
    )


def _waiver(node: _Node) -> Waiver:
    return Waiver(**{name: node[name].text() for name in sorted(_WAIVER_KEYS)})


def _plugin(node: _Node) -> PluginUnderTest:
    return PluginUnderTest(
        name=node["name"].text(),
        version=node["version"].text(),
        plugin_class=node["plugin_class"].text(),
        type=node["type"].text(),
        location=node["location"].text(),
        digest=node["digest"].text(),
        capabilities=node["capabilities"].mapping().value,
    )


def _result(node: _Node) -> CheckResult:
    return CheckResult(
        id=node["id"].text(),
        title=node["title"].text(),
        group=node["group"].text(),
        revision=node["revision"].integer(),
        severity=node["severity"].one_of({s.value: s for s in Severity}),
        level=node["level"].one_of({level.name: level for level in Level}),
        outcome=node["outcome"].one_of({o.value: o for o in Outcome}),
        observations=node["observations"].integer(),
        seed=node["seed"].text(),
        duration_s=float(node["duration_s"].number()),
        message=node["message"].text(),
        replay=node["replay"].text(),
        expected=node["expected"].text(),
        observed=node["observed"].text(),
        scenario=node["scenario"].text(),
        likely=node["likely"].text(),
        mend=node["mend"].text(),
        figures={name: item.figure() for name, item in node["figures"].members().items()},
        digest=node["digest"].text(),
        cells=tuple(_cell(item.mapping(_CELL_KEYS)) for item in node["cells"].items()),
        begun_s=float(node["begun_s"].number()),
        events=tuple(_event(item.mapping(_EVENT_KEYS)) for item in node["events"].items()),
        engine=node["engine"].engine() if "engine" in node.value else "",
    )


def _cell(node: _Node) -> TableCell:
    texts = {name: node[name].text() for name in sorted(_CELL_KEYS - {"sound"})}
    return TableCell(**texts, sound=node["sound"].truth())


def _event(node: _Node) -> LiveEvent:
    return LiveEvent(float(node["at_s"].number()), node["kind"].text(), node["text"].text())
