"""The options of endpoint kits: meaning, values and defaults."""

from __future__ import annotations

from plugwright_conformance.subject.declared_keys import DeclaredKey, settings_problem, word_key

__all__ = [
    "COMMON_KEYS",
    "DIRECTORY_KEYS",
    "FILE_KEYS",
    "HTTP_KEYS",
    "OBJECTS_KEYS",
    "QUEUE_KEYS",
    "TABLE_KEYS",
]


def _text(name: str, default: str, meaning: str, example: str) -> DeclaredKey:
    def problem(_: str, value: object) -> str:
        return "" if isinstance(value, str) and value else f"must be text, found {value!r}"

    return DeclaredKey(name, "text", default, meaning, f'"{example}"', problem)


def _number(name: str, default: int, meaning: str, example: int) -> DeclaredKey:
    def problem(_: str, value: object) -> str:
        fits = isinstance(value, int) and not isinstance(value, bool) and value > 0
        return "" if fits else f"must be a whole number above 0, found {value!r}"

    return DeclaredKey(name, "whole number", f"`{default}`", meaning, str(example), problem)


def _constants(name: str, meaning: str) -> DeclaredKey:
    example = '{ kind = "order", priority = 3 }'
    described = "table of text and whole numbers"
    return DeclaredKey(name, described, "none", meaning, example, _constants_problem)


def _constants_problem(_: str, value: object) -> str:
    if isinstance(value, dict) and all(type(each) in (str, int) for each in value.values()):
        return ""
    return f"must be a table of text and whole numbers, found {value!r}"


def _storage_problem(_: str, value: object) -> str:
    return "" if isinstance(value, dict) else f"must be a table, found {value!r}"


def _foreign_problem(_: str, value: object) -> str:
    if isinstance(value, dict) and set(value) == {"value", "words"}:
        words = value["words"]
        if isinstance(words, list) and words and all(isinstance(each, str) for each in words):
            return ""
    return f"must be a table of a value and a list of words, found {value!r}"


COMMON_KEYS = (
    DeclaredKey("kit", "a name from this page", "none", "The kit.", '"directory"'),
    DeclaredKey(
        "settings",
        "table of text",
        "none",
        "The connector settings that refer to the endpoint, by the kit's placeholders.",
        '{ "orders.directory" = "{directory}" }',
        lambda _, value: settings_problem(value),
    ),
    _text(
        "value",
        "the value itself",
        "The field or column that holds the seeded value, if there are several.",
        "body",
    ),
    DeclaredKey(
        "foreign",
        "table of `value` and `words`",
        "none",
        "For sources: a value of a type that the connector does not declare, and texts that the "
        "error about it must contain.",
        '{ value = 7, words = ["int", "expected text"] }',
        _foreign_problem,
    ),
)
"""The options of every kit."""

_FORMAT = word_key(
    "format",
    "`text`",
    "How values are written: as they are, or as JSON, which is an object if `value` is given.",
    "text",
    "json",
)
_CONTENT = word_key(
    "content",
    "`lines`",
    "What a file or object contains: one value per line, or a single value.",
    "lines",
    "value",
)
_SUFFIX = _text("suffix", "`.txt`", "The end of the names; others are not read back.", ".jsonl")

FILE_KEYS = (_FORMAT, _text("name", "`lines.txt`", "The name of the file.", "orders.csv"))
DIRECTORY_KEYS = (
    _FORMAT,
    _CONTENT,
    _SUFFIX,
    _number("files", 1, "With `lines`: how many files the values are spread over.", 3),
)
TABLE_KEYS = (
    _text(
        "url",
        "a new SQLite file",
        "The database. Its driver must be installed.",
        "postgresql+psycopg://app@localhost/orders",
    ),
    _text(
        "table",
        "`lines`, or `lines_{run}` with a `url`",
        "The name of the table; `{run}` is unique for each run.",
        "orders_{run}",
    ),
    _text("number", "`id`", "The column that numbers the rows.", "number"),
    _text("timestamp", "none", "A column with the records' timestamps in ms.", "created_ms"),
    _constants("columns", "Other columns, and what each seeded row has in them."),
)
HTTP_KEYS = (
    _text("path", "`/items`", "The path of the items.", "/v1/orders"),
    _text("items", "the answer itself", "The key of the list in an answer.", "items"),
    _constants("fields", "With `value`: other keys of an item, and what each has in them."),
    _text("id", "`id`", "With `value`: the key of an item's number, which starts at 1.", "number"),
    _text("after", "`after`", "The query parameter: how many items to skip.", "offset"),
    _text("limit", "`limit`", "The query parameter: how many items to return at most.", "size"),
    _number("page", 100, "The maximum number of items in an answer.", 20),
    _text("token", "none", "The token that requests must have in `Authorization`.", "sesame"),
)
OBJECTS_KEYS = (
    _text(
        "url", "required", "The store and a prefix, below which each run has its own.", "s3://b/p"
    ),
    DeclaredKey(
        "storage",
        "table",
        "none",
        "The options of the file system, as fsspec takes them.",
        '{ endpoint_url = "http://127.0.0.1:9000" }',
        _storage_problem,
    ),
    _FORMAT,
    _CONTENT,
    _SUFFIX,
)
QUEUE_KEYS = (_FORMAT, _text("key", "`queue`", "The key of the list.", "orders"))
