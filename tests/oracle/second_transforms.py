"""A second drawing: transformations with settings and records that the first one lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.random_data import value
from tests.oracle.second_records import content as drawn_content
from tests.oracle.second_records import record as drawn_record
from tests.oracle.second_texts import number_text, odd_text

if TYPE_CHECKING:
    from random import Random

__all__ = ["second_predicate", "second_transform"]

_TYPES = ("int8", "int16", "int32", "int64", "float32", "float64", "boolean", "string")
_FORMATS = (
    "yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "HH:mm:ss", "S", "yy-M-d",
    "EEE, d MMM yyyy HH:mm:ss Z", "D yyyy", "hh:mm a", "kk:mm", "yyyy.MM.dd G", "MMMM d", "'x'yyyy",
    "dd/MM/yyyy HH:mm z", "yyyyMMddHHmmssSSS", "X", "u", "", "yyyy''MM", "b", "'", "F MM", "K",
)  # fmt: skip
_TIME_TEXTS = (
    "2020-02-29", "2020-02-30", "20-2-9", "2020-02-29 23:59:60", "2020-02-29T12:00:00.123+02:00",
    "2020-02-29T12:00:00.123Z", "23:59:59", "24:00:00", "7", "-1",
    "Sat, 29 Feb 2020 12:00:00 +0100",
    "sat, 29 feb 2020 12:00:00 -0000", "366 2020", "12:30 PM", "00:30 am", "24:10", "2020.02.29 AD",
    "44.03.15 BC", "February 29", "feb 29", "x2020", "29/02/2020 12:00 GMT", "29/02/2020 12:00 CET",
    "29/02/2020 12:00 EST", "20200229123456789", "+01", "3", "", " ", "2020-02-29 ", " 2020-02-29",
    "2020'02", "99-12-31", "0000-00-00", "12345-01-01", "-2020-01-01", "٢٠٢٠-٠٢-٢٩", "2020-02-29x",
)  # fmt: skip
_INSTANTS = (
    0, 1, -1, 999, 1000, -1001, 86_399_999, 86_400_000, 1_582_934_399_999, 1_582_934_400,
    1_582_934_400_000_000, 1_582_934_400_000_000_123, -62_135_596_800_000, -62_135_596_800_001,
    253_402_300_799_999, 253_402_300_800_000, 2**31, 2**63 - 1, -(2**63), -12_219_292_800_000,
    -12_219_292_800_001, 951_782_400_123,
)  # fmt: skip
_PRECISIONS = ("milliseconds", "seconds", "microseconds", "nanoseconds", "minutes", "")
_PATHS = (
    "a", "b", "a.b", "a.b.c", "`a.b`", "`a.b`.c", "a.`b.c`", "a..b", ".a", "a.", "`a", "a`b", "``",
    "`a`b`", "`a`", "a.`b`", "`a``b`", "`a.b", "a.b`", "\\`a`", "a\\.b", "`a\\`b`", "`a\\`.b`",
    " a",
    "a. b", "`", "`a`.`b`.`c`", "x.y", "a.x", "a.b.x", "`a b`.c", "é.`è`", "a.0", "", "`a`.",
    "a.``",
)  # fmt: skip


def second_transform(random: Random) -> dict[str, Any]:
    """One transformation of a record, or only its configuration."""
    content = drawn_content(random)
    name, settings, made = random.choice(_TRANSFORMS)(random, content)
    if random.random() < 0.3:
        settings["replace.null.with.default"] = random.choice(
            ("true", "false", "true", " TRUE ", "x")
        )
        if name not in _REPLACING:
            del settings["replace.null.with.default"]
    side = random.choice(("Value", "Value", "Key"))
    plugin = name if name in _SIDELESS else f"{name}${side}"
    case = {"kind": "transform", "class": plugin, "settings": settings}
    return {**case, "record": drawn_record(random, made, by_key=plugin.endswith("$Key"))}


def _leaves(content: dict[str, Any]) -> list[str]:
    node = content.get("schema")
    if isinstance(node, dict) and node["type"] == "struct":
        return [name for name, _ in node["fields"]]
    plain = content["value"]
    return [key for key in plain if not key.startswith("$")] if isinstance(plain, dict) else []


def _name(random: Random, content: dict[str, Any]) -> str:
    return random.choice([*_leaves(content) * 3, "zip", "a"])


def _listed(random: Random, content: dict[str, Any]) -> str:
    names = [_name(random, content) for _ in range(random.randint(1, 3))]
    return random.choice((",", ", ", ",,", " ,")).join(names)


def _times(random: Random, content: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, Any]]:
    target = random.choice(("string", "unix", "Date", "Time", "Timestamp", "Timestamp", "date", ""))
    settings = {"target.type": target, "format": random.choice(_FORMATS)}
    if random.random() < 0.15:
        del settings["format"]
    if random.random() < 0.5:
        settings["unix.precision"] = random.choice(_PRECISIONS)
    made = _moment(random)
    if random.random() < 0.6:
        settings["field"] = random.choice(("when", "when", "when", "x", ""))
        made = _around(random, made)
    return "TimestampConverter", settings, made


def _moment(random: Random) -> dict[str, Any]:
    """A value of a kind that a time may come in, with or without its schema."""
    kind = random.choice(("string", "int64", "date", "time", "timestamp", "int32", "float64"))
    if kind == "string":
        plain: Any = random.choice(_TIME_TEXTS)
    elif kind in {"int64", "int32", "float64"}:
        plain = random.choice(_INSTANTS) if kind == "int64" else random.choice((0, 86_400, -5))
    elif kind == "time":
        plain = {"$date": random.choice((0, 1, 86_399_999))}
    elif kind == "date":
        plain = {
            "$date": 86_400_000 * random.choice((0, 1, -1, 18_321, -719_162, 2_932_896, -141_428))
        }
    else:
        plain = {"$date": random.choice([each for each in _INSTANTS if abs(each) < 6 * 10**13])}
    if random.random() < 0.3:
        return {"value": plain}
    node: dict[str, Any] = {"type": kind, "optional": random.random() < 0.5}
    if random.random() < 0.25:
        node["default"] = plain
    if node["optional"] and random.random() < 0.4:
        plain = None
    return {"schema": node, "value": plain}


def _around(random: Random, inner: dict[str, Any]) -> dict[str, Any]:
    if "schema" not in inner:
        return {"value": {"when": inner["value"], "more": random.choice((1, None, "x"))}}
    node: dict[str, Any] = {
        "type": "struct",
        "fields": [["when", inner["schema"]], ["more", {"type": "int32", "default": 5}]],
        "optional": random.random() < 0.4,
    }
    if random.random() < 0.3:
        node |= {"name": "T", "version": 4, "doc": "d", "parameters": {"p": "q"}}
    fields = {} if inner["value"] is None else {"when": inner["value"]}
    content = {**fields, "more": 1}
    if random.random() < 0.35:
        node["default"] = content
    gone = (node["optional"] or "default" in node) and random.random() < 0.3
    return {"schema": node, "value": None if gone else content}


def _cast(random: Random, content: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, Any]]:
    if random.random() < 0.7:
        made, names = _castable(random)
    else:
        made, names = content, _leaves(content)
    types = (*_TYPES, *_TYPES, "bytes", "INT8", " int32", "decimal", "Date", "")
    if random.random() < 0.35 or not names:
        return "Cast", {"spec": random.choice(types)}, _scalar(random)
    pairs = [
        f"{random.choice([*names, 'zip'])}:{random.choice(types[:16])}"
        for _ in range(random.randint(1, 3))
    ]
    if random.random() < 0.15:
        pairs.append(
            random.choice((random.choice(_TYPES), "a:b:c", " ", "a", ":int8", "a:", "x: int8"))
        )
    return "Cast", {"spec": random.choice((",", " , ")).join(pairs)}, made


def _scalar(random: Random) -> dict[str, Any]:
    kind = random.choice(
        (*_TYPES, "string", "string", "date", "time", "timestamp", "decimal(2)", "bytes")
    )
    node: dict[str, Any] = {"type": kind, "optional": random.random() < 0.3}
    plain = _cast_value(random, kind)
    if random.random() < 0.2:
        node["default"] = plain
    if node["optional"] and random.random() < 0.4:
        plain = None
    return random.choice(
        ({"schema": node, "value": plain}, {"schema": node, "value": plain}, {"value": plain})
    )


def _cast_value(random: Random, kind: str) -> Any:
    if kind == "string":
        return number_text(random)
    if kind == "float64":
        return random.choice(
            (1e20, -1e20, 127.5, -128.9, 0.5, -0.0, 1e-7, 123456789.125, {"$float64": "NaN"},
             {"$float64": "Infinity"}, 1e7, 9999999.0, 3.4e38, 5e-324, 1.7976931348623157e308,
             2.0**63)
        )  # fmt: skip
    if kind == "float32":
        return random.choice((1.5, 127.5, -3e9, 1e10, 1e-5, 16777216.0, {"$float32": "-Infinity"}))
    if kind == "int64":
        return random.choice((0, 127, 128, -129, 32768, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)))
    return value(random, kind, 0.0)


def _castable(random: Random) -> tuple[dict[str, Any], list[str]]:
    parts = {name: _scalar(random) for name in random.sample(("a", "b", "c", "d.e"), 3)}
    if random.random() < 0.3:
        return {"value": {name: part["value"] for name, part in parts.items()}}, list(parts)
    fields = [[name, part.get("schema", "string?")] for name, part in parts.items()]
    content = {name: part["value"] for name, part in parts.items() if "schema" in part}
    node: dict[str, Any] = {"type": "struct", "fields": fields, "optional": random.random() < 0.3}
    kept = {name: item for name, item in content.items() if item is not None}
    if random.random() < 0.15:
        node["default"] = kept
    return {"schema": node, "value": {"$struct": {"fields": kept}}}, list(parts)


def _extract(random: Random, content: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, Any]]:
    settings = {"field": random.choice((*_PATHS, _name(random, content), _name(random, content)))}
    if random.random() < 0.8:
        settings["field.syntax.version"] = random.choice(("V2", "V2", "V2", "V1", "v2", "V3", ""))
    return "ExtractField", settings, content


def _flatten(random: Random, content: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, Any]]:
    delimiter = random.choice((".", "_", "", "..", "é", "$", " ", ","))
    return "Flatten", {"delimiter": delimiter} if random.random() < 0.7 else {}, content


def _hoist(random: Random, content: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, Any]]:
    return "HoistField", {"field": random.choice(("", " ", "a.b", "`a`", "x", "magic"))}, content


def _insert(random: Random, content: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, Any]]:
    def marked() -> str:
        return _name(random, content) + random.choice(("", "", "?", "!", "!?", "??", "!!", "?!"))

    settings = {
        f"{part}.field": marked()
        for part in ("topic", "partition", "timestamp", "offset")
        if random.random() < 0.4
    }
    if random.random() < 0.5:
        settings |= {
            "static.field": marked(),
            "static.value": random.choice(("", "v", "1", "é", " ")),
        }
    return "InsertField", settings, content


def _mask(random: Random, content: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, Any]]:
    settings = {"fields": _listed(random, content)}
    if random.random() < 0.6:
        settings["replacement"] = random.choice(
            (number_text(random), number_text(random), "", "true", "x")
        )
    return "MaskField", settings, content


def _replace(random: Random, content: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, Any]]:
    settings: dict[str, str] = {}
    if random.random() < 0.4:
        settings["exclude"] = random.choice((_listed(random, content), "", " "))
    if random.random() < 0.4:
        settings["include"] = random.choice(
            (_listed(random, content), _listed(random, content), "")
        )
    if random.random() < 0.6:
        pairs = [
            f"{_name(random, content)}:{random.choice((_name(random, content), 'new', 'x y', ''))}"
            for _ in range(random.randint(1, 3))
        ]
        settings["renames"] = random.choice((",", ", ")).join(pairs) + random.choice(
            ("", "", "", ",", ",x", ",a:b:c", ",:x")
        )
    return "ReplaceField", settings, content


def _metadata(
    random: Random, content: dict[str, Any]
) -> tuple[str, dict[str, str], dict[str, Any]]:
    settings = {}
    if random.random() < 0.7:
        settings["schema.name"] = random.choice(("", "x.Y", " ", "é"))
    if random.random() < 0.7:
        settings["schema.version"] = random.choice(("3", "-1", "2147483648", " 4 ", "1.0", "x", ""))
    return "SetSchemaMetadata", settings, content


def _to_key(random: Random, content: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, Any]]:
    return (
        "ValueToKey",
        {"fields": random.choice((_listed(random, content), _listed(random, content), ""))},
        content,
    )


def _from_headers(
    random: Random, content: dict[str, Any]
) -> tuple[str, dict[str, str], dict[str, Any]]:
    fields = [_name(random, content) for _ in range(random.randint(1, 3))]
    headers = random.choices(("h", "g", "new", ""), k=random.choice((len(fields), len(fields), 1)))
    operation = random.choice(("copy", "move", "move", "COPY", "drop", ""))
    return (
        "HeaderFrom",
        {"fields": ",".join(fields), "headers": ",".join(headers), "operation": operation},
        content,
    )


def _headers(random: Random, content: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, Any]]:
    if random.random() < 0.4:
        return (
            "DropHeaders",
            {"headers": random.choice(("h", "h,g", " h , g ", "", ",", "H", "h,h"))},
            content,
        )
    return (
        "InsertHeader",
        {"header": random.choice(("n", "h", "", " ")), "value.literal": odd_text(random)},
        content,
    )


def _router(random: Random, content: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, Any]]:
    if random.random() < 0.4:
        settings = {
            "topic.format": random.choice(("${topic}${topic}-${timestamp}", "", "${timestamp}",
            "$topic", "{topic}", "${topic}\\$1")),
            "timestamp.format": random.choice(_FORMATS),
        }  # fmt: skip
        return "TimestampRouter", settings, content
    settings = {
        "regex": random.choice(("(.*)", "", "(a)|(t)", "(?i)T", "(\\w+)-(\\d+)", "(?<n>\\w+)-.*",
        ".", "\\Q$1\\E", "(x(-\\d)+-\\d)", "[^-]+-\\d{4}", "(?:t)", "\\p{L}+", "t\\\\",
        "(.)(.)(.*)")),
        "replacement": random.choice(("x", "$1", "$1$2", "${n}-$0", "\\$1", "$10", "$2", "\\\\",
        "", "$1x$0", "é$0")),
    }  # fmt: skip
    return "RegexRouter", settings, content


_SIDELESS = {
    "ValueToKey",
    "DropHeaders",
    "InsertHeader",
    "TimestampRouter",
    "RegexRouter",
    "Filter",
}
_REPLACING = {
    "Cast", "ExtractField", "HeaderFrom", "InsertField", "MaskField", "ReplaceField",
    "TimestampConverter", "ValueToKey", "SetSchemaMetadata",
}  # fmt: skip
_TRANSFORMS = (
    _times, _times, _times, _cast, _cast, _cast, _extract, _extract, _flatten, _flatten, _hoist,
    _insert, _insert, _mask, _mask, _replace, _replace, _metadata, _to_key, _from_headers, _headers,
    _router,
)  # fmt: skip


_PATTERNS = (
    "t", "(?i)T", ".", ".*", "[^-]+-.*", "orders-(?<y>\\d{4})", "a\\.b", "a.b|t", "\\w+", "",
    "^t$", "t$",
    "(?:x-)?\\d-\\d", "\\Qa.b\\E", "(", "[a", "\\", "a{2", "\\p{Alpha}", "[a-z&&[^b]]+",
    "(?x) t # c",
    "t++", "(.)\\1", "\\Ünï", "Ü.ï", "(?u)ünï", "(?iu)ÜNÏ", "\\x74", "\\u0074", "\\z", "\\bt\\b",
    "$1", "\\$1",
)  # fmt: skip


def second_predicate(random: Random) -> dict[str, Any]:
    """A question about a record, or a filter that drops it."""
    content = random.choice(
        (drawn_content(random), {"value": None}, {"schema": "int8?", "value": None})
    )
    name, settings = random.choice(
        (
            ("HasHeaderKey", {"name": random.choice(("h", "H", "h.g", "", " h", " "))}),
            ("RecordIsTombstone", {}),
            ("TopicNameMatches", {"pattern": random.choice(_PATTERNS)}),
            ("TopicNameMatches", {"pattern": random.choice(_PATTERNS)}),
            ("Filter", {}),
        )
    )
    kind = "transform" if name == "Filter" else "predicate"
    record = drawn_record(random, content, by_key=False)
    return {"kind": kind, "class": name, "settings": settings, "record": record}
