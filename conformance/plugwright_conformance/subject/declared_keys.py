"""The keys of ``conformance.toml``: meaning, values and defaults."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from plugwright_conformance.subject.boundaries import TYPE_NAMES
from plugwright_conformance.subject.engines import ENGINES, RESIDENT, engines_problem
from plugwright_conformance.subject.shape import RowShape

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

__all__ = [
    "CAPABILITY_KEYS",
    "LONGEST_S",
    "MOST_BUFFERED",
    "MOST_SEEDED",
    "PLUGIN_KEYS",
    "TOP_KEYS",
    "DeclaredKey",
    "capability_problems",
    "meant_word",
    "settings_problem",
    "unknown_keys",
    "word_key",
]

LONGEST_S = 30.0
"""The maximum of ``visible_after_s``, in seconds."""

MOST_BUFFERED = 100_000
"""The default of ``max_buffered``: two hundred batches of the default size."""
MOST_SEEDED = 20_000
"""How many values may wait at the endpoint of a source, at most."""


@dataclass(frozen=True, slots=True)
class DeclaredKey:
    """One key of the file.

    Attributes:
        values: description of the valid values.
        default: description of the default.
        example: a value as TOML.
        problem: describes what is wrong with a value for a source or sink; empty if valid.
    """

    name: str
    values: str
    default: str
    meaning: str
    example: str
    problem: Callable[[str, object], str] = lambda _kind, _value: ""


def unknown_keys(given: Iterable[str], known: Collection[str], where: str) -> list[str]:
    """A message for each unknown key, with the closest match.

    Args:
        given: the keys of a table.
        known: the valid keys.
        where: the table, as written in TOML.
    """
    return [_unknown(key, known, where) for key in given if key not in known]


def capability_problems(kind: str, capabilities: object) -> list[str]:
    """All problems of declared capabilities, in file order.

    Args:
        kind: ``source`` or ``sink``.
        capabilities: the table, or another value found in its place.
    """
    if not isinstance(capabilities, dict):
        return [f"capabilities must be a table, found {capabilities!r}"]
    known = {key.name: key for key in CAPABILITY_KEYS}
    found = []
    for name, value in capabilities.items():
        if name not in known:
            found.append(_unknown(name, known, "[plugin.capabilities]"))
        elif problem := known[name].problem(kind, value):
            found.append(f"{name} {problem}")
    return found or _rows_problems(capabilities)


def _rows_problems(capabilities: Mapping[str, object]) -> list[str]:
    """Rows without a text, of a plugin whose values are rows alone: nothing can be followed."""
    if "fields" not in capabilities or capabilities.get("types"):
        return []
    if RowShape.parse(_table(capabilities["fields"])).text_field:
        return []
    return ["fields must have one of type string, unless types are declared for other values"]


def _unknown(key: str, known: Collection[str], where: str) -> str:
    meant = meant_word(key, known) or f"valid keys are {', '.join(known)}"
    return f"{where} has no key {json.dumps(key, ensure_ascii=False)}: {meant}"


def meant_word(word: str, known: Collection[str]) -> str:
    """A question about the closest match of an unknown word; empty if nothing is close."""
    near = get_close_matches(word, known, 1)
    return f"did you mean {near[0]}?" if near else ""


def settings_problem(value: object) -> str:
    """What is wrong with a table of connector settings; empty if nothing is."""
    if not isinstance(value, dict):
        return f"must be a table of text, found {value!r}"
    wrong = [name for name, text in value.items() if not isinstance(text, str)]
    return f"must be text, these are not: {', '.join(wrong)}" if wrong else ""


def word_key(name: str, default: str, meaning: str, *words: str) -> DeclaredKey:
    """A key whose value is one of several words.

    Args:
        name: the key.
        default: description of the default.
        meaning: what the key is for.
        words: the values; the last one is the example.
    """
    said = " or ".join(words)

    def problem(_: str, value: object) -> str:
        return "" if value in words else f"must be {said}, found {value!r}"

    shown = " or ".join(f"`{word}`" for word in words)
    return DeclaredKey(name, shown, default, meaning, f'"{words[-1]}"', problem)


def _flag(name: str, meaning: str) -> DeclaredKey:
    def problem(_: str, value: object) -> str:
        return "" if isinstance(value, bool) else f"must be true or false, found {value!r}"

    return DeclaredKey(name, "`true` or `false`", "`false`", meaning, "true", problem)


def _text_problem(_: str, value: object) -> str:
    return "" if isinstance(value, str) else f"must be text, found {value!r}"


def _texts_problem(_: str, value: object) -> str:
    fits = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return "" if fits else f"must be a list of text, found {value!r}"


def _types_problem(kind: str, value: object) -> str:
    if (problem := _texts_problem(kind, value)) or not isinstance(value, list):
        return problem
    strange = [
        f"{name} ({meant_word(name, TYPE_NAMES) or 'no such type'})"
        for name in value
        if name not in TYPE_NAMES
    ]
    return f"must be among {', '.join(TYPE_NAMES)}, found {', '.join(strange)}" if strange else ""


def _fields_problem(_: str, value: object) -> str:
    try:
        RowShape.parse(_table(value))
    except (ValueError, AttributeError, TypeError) as error:
        return f"must be a table of names and types: {error}"
    return ""


def _table(value: object) -> Mapping[str, str]:
    if isinstance(value, dict):
        return value
    raise TypeError(f"found {value!r}")


def _bound_problem(_: str, value: object) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and 0 < value <= LONGEST_S:  # type: ignore[operator]  # it is a number
        return ""
    return f"must be seconds, above 0 and up to {LONGEST_S:g}, found {value!r}"


def _count_problem(_: str, value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return ""
    return f"must be a whole number from 1 on, found {value!r}"


def _polled_problem(kind: str, value: object) -> str:
    if (problem := _count_problem(kind, value)) or not isinstance(value, int):
        return problem
    return "" if value < MOST_SEEDED else f"must be below {MOST_SEEDED}, as more cannot be tried"


def _engines_problem(kind: str, value: object) -> str:
    return engines_problem(kind, value).removeprefix("engines ")


TOP_KEYS = (
    DeclaredKey("format", "`1`", "none", "The format of the file.", "1"),
    DeclaredKey(
        "plugin",
        "tables",
        "none",
        "A table `[[plugin]]` for each connector, or several, with a `configuration` each.",
        "",
    ),
)
"""The keys at the top of the file."""

PLUGIN_KEYS = (
    DeclaredKey(
        "class",
        "text",
        "none",
        "The connector class, as in the entry point.",
        '"orders_sink.OrdersSinkConnector"',
    ),
    DeclaredKey(
        "configuration",
        "small letters, digits and hyphens",
        "none",
        "The name of this table, if the connector has several. Each is certified by itself, as "
        "`orders_sink.OrdersSinkConnector[avro]`.",
        '"avro"',
    ),
    DeclaredKey(
        "endpoint",
        "`module:Class`, or a table",
        "none",
        "The endpoint driver: the class that starts, seeds and reads the external system; or an "
        "endpoint kit with its options, see below.",
        '"orders_sink.testing:ShopEndpoint"',
    ),
    DeclaredKey(
        "config",
        "table of text",
        "empty",
        "All required settings that the driver's `start` does not return; `{topic}` stands for "
        "the topic of a run.",
        '{ topics = "{topic}" }',
    ),
    DeclaredKey("capabilities", "table", "empty", "The connector's capabilities; see below.", ""),
    DeclaredKey(
        "waiver",
        "tables",
        "none",
        "Permission to fail one check until a date: `id`, `reason`, `owner`, `created`, "
        "`expires` and optionally `issue`.",
        "",
    ),
)
"""The keys of a table ``[[plugin]]``."""

CAPABILITY_KEYS = (
    word_key(
        "delivery",
        "`at-least-once`",
        "The delivery guarantee after crashes.",
        "at-least-once",
        "exactly-once",
    ),
    DeclaredKey(
        "types",
        f"list of {', '.join(f'`{name}`' for name in TYPE_NAMES)}",
        "`string`; none with `fields`",
        "The types of values that are not rows.",
        '["string", "int64"]',
        _types_problem,
    ),
    DeclaredKey(
        "fields",
        "table of names and types",
        "none",
        "The fields of values that are rows. Types are those above; `decimal(2)` has a scale of "
        "2, `string?` is optional, and `string? = new` has the default `new`. Fields may be "
        "nested: `array<string?>`, `map<string, int64>`, `struct<x: int64, y: date?>`. Without "
        "`types` every value is a row; most checks follow texts, then in the first string field.",
        '{ id = "int64", amount = "decimal(2)", note = "string?" }',
        _fields_problem,
    ),
    DeclaredKey(
        "excluded_characters",
        "list of text",
        "none",
        "Characters that the external system cannot store in a string.",
        '["\\n"]',
        _texts_problem,
    ),
    _flag("schemaless", "A sink writes values without a schema: maps, numbers, booleans."),
    word_key(
        "headers",
        "none: headers are ignored or rejected",
        "How a sink handles record headers.",
        "stored",
        "ignored",
    ),
    DeclaredKey(
        "visible_after_s",
        f"seconds, up to {LONGEST_S:g}",
        "at once",
        "The delay until the external system shows written values.",
        "0.5",
        _bound_problem,
    ),
    DeclaredKey(
        "max_buffered",
        "whole number from 1 on",
        f"{MOST_BUFFERED}",
        "The most records that a sink's own threads may have in memory before it holds back.",
        "50000",
        _count_problem,
    ),
    DeclaredKey(
        "max_poll_records",
        f"whole number from 1 on, below {MOST_SEEDED}",
        "not tried",
        "The most records that one `poll()` of a source returns.",
        "2000",
        _polled_problem,
    ),
    DeclaredKey(
        "tombstones",
        "text; `refused…` or `error…` declares that they are rejected, a text with `delete` or "
        "`remove` that they delete the value of their key, `written as null` that they are nulls",
        "not said",
        "How a sink handles tombstones, records whose value is null.",
        '"written as null"',
        _text_problem,
    ),
    word_key(
        "order",
        "`none`",
        "Whether values keep their order: not at all, per partition, or per key.",
        "none",
        "partition",
        "key",
    ),
    word_key("keys", "`optional`", "Whether a sink requires record keys.", "optional", "required"),
    word_key(
        "resumes",
        "`offsets`",
        "Where a source resumes: at its stored offsets, or where the external system resumes.",
        "offsets",
        "endpoint",
    ),
    DeclaredKey(
        "engines",
        f"list of {', '.join(f'`{name}`' for name in ENGINES)}",
        f"`{RESIDENT}`",
        "The engines that can run the connector; sources have resident tasks only.",
        '["resident", "stream"]',
        _engines_problem,
    ),
    _flag("parallel", "The connector divides its work among its tasks."),
    _flag("dlq", "A sink reports records that it cannot write (KIP-610)."),
    _flag("async", "The connector uses its own threads."),
    _flag("network", "The connector accesses the external system over a network."),
    _flag("upsert", "A sink overwrites a record that is delivered again."),
    _flag("evolution", "The fields of rows may change while the connector runs."),
    _flag("snapshot", "A source first reads all that is there, and then what changes."),
    _flag("alter_offsets", "A source validates offsets altered by an operator."),
)
"""The keys of a table ``[plugin.capabilities]``."""
