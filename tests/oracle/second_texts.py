"""Odd texts: numbers at the borders, moments with zones, containers with blanks and escapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

__all__ = ["NUMBERS", "number_text", "odd_text"]

NUMBERS = (
    "0", "-0", "+0", "00", "007", "+7", "-7", "127", "128", "-128", "-129", "32767", "32768",
    "-32769", "2147483647", "2147483648", "-2147483649", "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "1e3", "1E3", "1e+3", "1e-3", "1.", ".5", "-.5",
    "1.0", "1.50", "0.1", "1e400", "-1e400", "1e-400", "3.4028235e38", "3.4028236e38", "3.5e38",
    "1.7976931348623157e308", "1.8e308", "4.9e-324", "1d", "1D", "1f", "1F", "1L", "0x10", "0x1p3",
    "0X1P-3", "NaN", "nan", "Infinity", "-Infinity", "+Infinity", "inf", "\uff11\uff12", "٣",
    "1_000",
    "1,000",
    "1 000", " 1", "1 ", "\t1\n", "1\u00a0", "\u20031", "true", "TRUE", "True", "false", "yes", "",
    " ", "--1", "+-1", "1e", "e1", "1.2.3", "0b1", "1e3f", "1.5d", "1e5000", "0e0", "1E-45",
)  # fmt: skip
_MOMENTS = (
    "2020-02-29", "2020-02-30", "2020-2-9", "0001-01-01", "9999-12-31", "1582-10-10",
    "14:34:54.346Z",
    "14:34:54Z", "14:34:54.346+02:00", "14:34:54.346+0200", "14:34:54.346-08", "14:34",
    "2019-08-23T14:34:54.346Z", "2019-08-23T14:34:54.346+0200", "2019-08-23T14:34:54.346-08:00",
    "2019-08-23T14:34:54Z", "2019-08-23 14:34:54.346Z", "2019-08-23T14:34:54.346", "24:00:00.000Z",
    "2019-08-23T14\\:34\\:54.346Z", "14\\:34\\:54.346Z", "2019-08-23T14:34:54.346z", "-0001-01-01",
)  # fmt: skip
_WORDS = (
    "a", "abc", "a b", "é", "\U0001d4b3", "\\", '\\"', "\\n", "\\\\", "a\\,b", "x:y", "tru", "nul",
    "null", "NULL", "true", "False", "\u0000", "\u2028", "\r\n", "'", "''", "a'b", "/", "#", "$x",
)  # fmt: skip
_BLANKS = ("", "", "", " ", "  ", "\t", "\n", "\u00a0", "\f")


def number_text(random: Random) -> str:
    """A text that is a number, or nearly one."""
    return random.choice(NUMBERS)


def odd_text(random: Random, depth: int = 3) -> str:
    """A text as a header may hold: mostly well formed, with blanks wherever they may stand."""
    made = _node(random, depth)
    if random.random() < 0.15:
        made = _broken(random, made)
    return random.choice(_BLANKS) + made + random.choice(_BLANKS)


def _broken(random: Random, text: str) -> str:
    place = random.randint(0, len(text))
    if random.random() < 0.5:
        return text[:place] + text[place + 1 :]
    return text[:place] + random.choice('[]{},:"\\ ') + text[place:]


def _node(random: Random, depth: int) -> str:
    kind = random.choice("lllaam" if depth else "l")
    if kind == "l":
        return _leaf(random)
    blank = random.choice(_BLANKS)
    if kind == "a":
        alike = random.random() < 0.5
        source = random.choice((NUMBERS[:30], _MOMENTS, _WORDS)) if alike else None
        parts = [
            random.choice(source) if source else _node(random, depth - 1)
            for _ in range(random.randint(0, 4))
        ]
        return f"[{blank}{f'{blank},{blank}'.join(parts)}{blank}]"
    parts = [
        f"{_leaf(random)}{blank}:{blank}{_node(random, depth - 1)}"
        for _ in range(random.randint(0, 3))
    ]
    return "{" + blank + f",{blank}".join(parts) + blank + "}"


def _leaf(random: Random) -> str:
    plain = random.choice(random.choice((NUMBERS, _MOMENTS, _WORDS)))
    if random.random() < 0.4:
        return '"' + plain.replace('"', '\\"') + '"'
    return plain
