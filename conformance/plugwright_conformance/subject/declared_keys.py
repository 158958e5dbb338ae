"""The keys of ``conformance.toml``: meaning, values and defaults."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from plugwright_conformance.subject.engines import ENGINES, RESIDENT, engines_problem
from plugwright_conformance.subject.shape import TYPE_NAMES, RowShape

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

__all__ = [
    "CAPABILITY_KEYS",
    "LONGEST_S",
    "PLUGIN_KEYS",
    "TOP_KEYS",
    "DeclaredKey",
    "capability_problems",
    "unknown_keys",
]

LONGEST_S = 30.0
"""The longest that an endpoint may take to show what was written."""


@dataclass(frozen=True, slots=True)
class DeclaredKey:
    """One key of the file.

    Attributes:
        values: what it may be, in words.
        default: what counts where the key is left out, in words.
        example: a value as TOML.
        problem: says what is wrong with a value for a source or a sink, or nothing.
    """

    name: str
    values: str
    default: str
    meaning: str
    example: str
    problem: Callable[[str, object], str] = lambda _kind, _value: ""


def unknown_keys(given: Iterable[str], known: Collection[str], where: str) -> list[str]:
    """What is wrong with keys that there are none of, each with the key that was meant.

    Args:
        given: the keys of a table.
        known: those that it may have.
        where: the table, as TOML writes it.
    """
    return [_unknown(key, known, where) for key in given if key not in known]


def capability_problems(kind: str, capabilities: object) -> list[str]:
    """Everything that is wrong with declared capabilities, in the order of the file.

    Args:
        kind: ``source`` or ``sink``.
        capabilities: the table, or what stands in its place.
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
    return found


def _unknown(key: str, known: Collection[str], where: str) -> str:
    near = get_close_matches(key, known, 1)
    meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
    return f"{where} has no key {json.dumps(key, ensure_ascii=False)}: {meant}"


def _words(name: str, default: str, meaning: str, *words: str) -> DeclaredKey:
    """A key whose value is one of some words."""
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
    strange = [f"{name} ({_near_type(name)})" for name in value if name not in TYPE_NAMES]
    return f"must be among {', '.join(TYPE_NAMES)}, found {', '.join(strange)}" if strange else ""


def _near_type(name: str) -> str:
    near = get_close_matches(name, TYPE_NAMES, 1)
    return f"did you mean {near[0]}?" if near else "no such type"


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


def _engines_problem(kind: str, value: object) -> str:
    return engines_problem(kind, value).removeprefix("engines ")


TOP_KEYS = (
    DeclaredKey("format", "`1`", "none", "The format of the file.", "1"),
    DeclaredKey("plugin", "tables", "none", "One table `[[plugin]]` for each connector.", ""),
)
"""The keys at the top of the file."""

PLUGIN_KEYS = (
    DeclaredKey(
        "class",
        "text",
        "none",
        "The class of the connector, as the entry point names it.",
        '"orders_sink.OrdersSinkConnector"',
    ),
    DeclaredKey(
        "endpoint",
        "`module:Class`",
        "none",
        "The endpoint driver: the class that starts, seeds and reads back the other side.",
        '"orders_sink.testing:ShopEndpoint"',
    ),
    DeclaredKey(
        "config",
        "table of text",
        "empty",
        "Every required setting that the driver's `start` does not return; `{topic}` stands for "
        "the topic of a run.",
        '{ topics = "{topic}" }',
    ),
    DeclaredKey("capabilities", "table", "empty", "What the connector promises; see below.", ""),
    DeclaredKey(
        "waiver",
        "tables",
        "none",
        "Leave to fail one check for a while: `id`, `reason`, `owner`, `created`, `expires` and, "
        "if there is one, `issue`.",
        "",
    ),
)
"""The keys of a table ``[[plugin]]``."""

CAPABILITY_KEYS = (
    _words(
        "delivery",
        "`at-least-once`",
        "What arrives after crashes: everything, or everything once.",
        "at-least-once",
        "exactly-once",
    ),
    DeclaredKey(
        "types",
        f"list of {', '.join(f'`{name}`' for name in TYPE_NAMES)}",
        "`string`",
        "The types that a value may have which is not a row.",
        '["string", "int64"]',
        _types_problem,
    ),
    DeclaredKey(
        "fields",
        "table of names and types",
        "none",
        "The fields of a value that is a row. Types are those above; `decimal(2)` has two digits "
        "after its point, `string?` may be missing, and `string? = new` then stands for `new`.",
        '{ id = "int64", amount = "decimal(2)", note = "string?" }',
        _fields_problem,
    ),
    DeclaredKey(
        "excluded_characters",
        "list of text",
        "none",
        "Characters that a string value cannot hold on the other side.",
        '["\\n"]',
        _texts_problem,
    ),
    _flag("schemaless", "A sink writes values without a schema: maps, numbers, booleans."),
    _words(
        "headers",
        "not said: no trace of them, or a refusal",
        "What a sink does with the headers of a record.",
        "stored",
        "ignored",
    ),
    DeclaredKey(
        "visible_after_s",
        f"seconds, up to {LONGEST_S:g}",
        "at once",
        "How late the other side shows what was written.",
        "0.5",
        _bound_problem,
    ),
    DeclaredKey(
        "tombstones",
        "text; one that begins with `refused` or `error` says that they are refused",
        "not said",
        "What a sink does with a value that is null.",
        '"written as null"',
        _text_problem,
    ),
    _words(
        "order",
        "`none`",
        "Whose values stay in order: nobody's, those of a partition, or those of a key.",
        "none",
        "partition",
        "key",
    ),
    _words("keys", "`optional`", "Whether a sink needs a key.", "optional", "required"),
    _words(
        "resumes",
        "`offsets`",
        "Where a source goes on: after the stored offsets, or where its system says.",
        "offsets",
        "endpoint",
    ),
    DeclaredKey(
        "engines",
        f"list of {', '.join(f'`{name}`' for name in ENGINES)}",
        f"`{RESIDENT}`",
        "The engines that run the connector on Spark; a source has resident tasks only.",
        '["resident", "stream"]',
        _engines_problem,
    ),
    _flag("parallel", "The connector divides its work among its tasks."),
    _flag("dlq", "A sink reports records that it cannot write (KIP-610)."),
    _flag("async", "The connector works in threads of its own."),
    _flag("network", "The connector reaches its system over a network."),
    _flag("upsert", "A sink writes a record that comes again over the first one."),
    _flag("evolution", "The fields of rows may change while the connector runs."),
    _flag("alter_offsets", "A source checks offsets that an operator alters."),
)
"""The keys of a table ``[plugin.capabilities]``."""
