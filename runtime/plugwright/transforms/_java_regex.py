r"""Java's regular expressions, translated into Python's.

Translated: literals, escapes (``\t \n \r \f \a \e \cX \xhh \x{h…} \uhhhh \0n``), ``\Q…\E``, dots,
anchors (``^ $ \A \z \Z \b \B``), classes with ranges, negation, union and ``&&``, the sets
``\d \w \s \h \v`` with their capitals, ``\R``, the ASCII sets of ``\p{…}``, groups (capturing,
named, ``?:``, atomic, look-around of fixed width), greedy, lazy and possessive repetition, back
references, and the flags ``(?i)`` and ``(?s)`` at the start or on a group.

Everything else is refused by name (Unicode properties, ``\G``, ``\X``, ``\b{g}``, flags d, m, u, x
and U, flags in the middle, look-behind of varying width): never does an expression mean something
else here than there. Without flags Java's letters, digits and case are those of ASCII.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from plugwright.config import invalid_value
from plugwright.transforms._java_classes import read_class, read_set
from plugwright.transforms._java_escapes import Cursor, UntranslatableError, read_character
from plugwright.transforms._java_sets import ANY_BUT_LINE_ENDS, either_case, written

if TYPE_CHECKING:
    from plugwright.transforms._java_sets import Characters

_BEFORE_LAST_LINE_END = r"(?=(?:\r\n|(?<!\r)\n|[\r\x85\u2028\u2029])?\Z)"
_LINE_BREAK = r"(?:\r\n|[\n-\r\x85\u2028\u2029])"
_QUANTIFIER = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?")
_GROUP = re.compile(r"\?(?:<(?P<name>[A-Za-z][A-Za-z0-9]*)>|(?P<kind>:|=|!|>|<=|<!))")
_FLAGS = re.compile(r"\?(?P<on>[A-Za-z]*)(?P<off>-[A-Za-z]+)?(?P<end>[:)])")
_LEADING_FLAGS = re.compile(r"\(\?([A-Za-z]+)\)")
_KNOWN_FLAGS = frozenset("is")
_ASSERTION = re.compile(r"[AzZBR]|b(?!\{g\})")
_ASSERTIONS = {
    "A": r"\A",
    "B": r"\B",
    "R": _LINE_BREAK,
    "Z": _BEFORE_LAST_LINE_END,
    "b": r"\b",
    "z": r"\Z",
}
_NEVER_REPEATED = frozenset({"^", r"\A", r"\B", r"\b", r"\Z"})
"""Assertions that Python can repeat only inside a group."""
_DOT = written(ANY_BUT_LINE_ENDS)
_LITERAL = 2
"""The length of a character and its backslash."""
_LONGEST = 20_000
"""The maximum number of consecutive parts without literals; with more Java's stack overflows."""
_MOST = 50_000
"""The maximum number of such parts in all; Python takes a tenth of a millisecond to compile one."""


def java_pattern(pattern: str, key: str) -> re.Pattern[str]:
    """The Python form of a Java regular expression.

    Args:
        pattern: as Java's ``Pattern.compile`` takes it.
        key: the setting with the expression, for messages.

    Raises:
        ConfigError: if Java would refuse it, or it has no exact counterpart; names the construct.
    """
    try:
        return re.compile(_Translator(pattern).translated(), re.ASCII)
    except UntranslatableError as error:
        raise invalid_value(key, pattern, f"Invalid regex: {error}") from None
    except (re.error, RecursionError, OverflowError) as error:
        raise invalid_value(key, pattern, f"Invalid regex: {error}") from error


class _Translator:
    """Translates a pattern in one pass."""

    def __init__(self, pattern: str) -> None:
        self._cursor = Cursor(pattern)
        self._groups = 0
        self._parts = 0
        self._names: list[str] = []
        self._flags: frozenset[str] = frozenset()

    def translated(self) -> str:
        """The whole pattern.

        Raises:
            UntranslatableError: naming what cannot be translated.
        """
        prefix = self._leading_flags()
        body = self._alternatives()
        if not self._cursor.at_end:
            self._refuse("Unmatched closing ')'")
        return prefix + body

    def _leading_flags(self) -> str:
        while (found := self._cursor.take(_LEADING_FLAGS)) is not None:
            self._flags |= self._known(found.group(1))
        return "(?i)" if "i" in self._flags else ""

    def _alternatives(self) -> str:
        parts: list[str] = []
        repeatable = False
        length = 0
        while not self._cursor.at_end and self._cursor.peek() != ")":
            if length > _LONGEST:
                self._refuse(f"a sequence of more than {_LONGEST} parts")
            if self._parts > _MOST:
                self._refuse(f"more than {_MOST} parts that are not literals")
            quantifier = self._cursor.take(_QUANTIFIER)
            if quantifier is not None:
                if repeatable and parts[-1] in _NEVER_REPEATED:
                    parts[-1] = f"(?:{parts[-1]})"
                length += 1
                parts.append(self._repeated(quantifier.group(), repeatable=repeatable))
                repeatable = False
                continue
            atom = self._atom()
            parts.append(atom)
            is_costly = len(atom) > _LITERAL
            self._parts += is_costly
            length = 0 if atom == "|" else length + is_costly
            repeatable = atom not in {"", "|"}
        return "".join(parts)

    def _repeated(self, quantifier: str, *, repeatable: bool) -> str:
        """A quantifier; in Java braces without anything before them repeat the empty text."""
        if repeatable:
            return quantifier
        if not quantifier.startswith("{"):
            self._refuse(f"Dangling meta character '{quantifier[0]}'")
        return f"(?:){quantifier}"

    def _atom(self) -> str:
        character = self._cursor.next()
        if character == "(":
            return self._group()
        if character == "[":
            return written(read_class(self._cursor, self._folded))
        if character == "\\":
            return self._escape()
        if character == ".":
            return r"(?s:.)" if "s" in self._flags else _DOT
        if character == "$":
            return _BEFORE_LAST_LINE_END
        if character == "{":
            self._refuse("Illegal repetition")
        return character if character in "^|" else re.escape(character)

    def _group(self) -> str:
        known = self._cursor.take(_GROUP)
        if known is None and self._cursor.peek() == "?":
            return self._flag_group()
        opening = "("
        if known is None or known["name"]:
            self._groups += 1
        if known is not None and known["name"]:
            self._names.append(known["name"])
            opening = f"(?P<{known['name']}>"
        elif known is not None:
            opening = f"(?{known['kind']}"
        return self._closed(opening)

    def _flag_group(self) -> str:
        found = self._cursor.take(_FLAGS)
        if found is None or found["end"] == ")":
            self._refuse("flags in the middle of an expression, or an unknown group type")
        before = self._flags
        on, off = self._known(found["on"]), self._known((found["off"] or "-")[1:])
        self._flags = (before | on) - off
        changed = ("i" if "i" in on - off else "") + ("-i" if "i" in off else "")
        group = self._closed(f"(?{changed}:")
        self._flags = before
        return group

    def _closed(self, opening: str) -> str:
        body = self._alternatives()
        if self._cursor.at_end:
            self._refuse("Unclosed group")
        self._cursor.next()
        return f"{opening}{body})"

    def _escape(self) -> str:
        letter = self._cursor.peek()
        special = {"Q": self._quoted, "k": self._named_reference}.get(letter)
        if special is not None:
            return special()
        if letter and letter in "123456789":
            return self._reference()
        assertion = self._cursor.take(_ASSERTION)
        if assertion is not None:
            return _ASSERTIONS[assertion.group()]
        characters = read_set(self._cursor)
        if characters is not None:
            return written(self._folded(characters))
        return re.escape(read_character(self._cursor))

    def _quoted(self) -> str:
        self._cursor.next()
        text = self._cursor.until(r"\E")
        return re.escape(text)

    def _named_reference(self) -> str:
        found = self._cursor.take(re.compile(r"k<([A-Za-z][A-Za-z0-9]*)>"))
        if found is None or found.group(1) not in self._names:
            self._refuse("a reference to a named group that does not occur before it")
        return f"(?P={found.group(1)})"

    def _reference(self) -> str:
        number = int(self._cursor.next())
        while self._cursor.peek().isdecimal() and number * 10 + int(self._cursor.peek()) <= (
            self._groups
        ):
            number = number * 10 + int(self._cursor.next())
        if number > self._groups:
            self._refuse(f"a reference to group {number}, which does not occur before it")
        return f"(?:\\{number})"

    def _folded(self, characters: Characters) -> Characters:
        return either_case(characters) if "i" in self._flags else characters

    def _known(self, flags: str) -> frozenset[str]:
        unknown = set(flags) - _KNOWN_FLAGS
        if unknown:
            self._refuse(f"the flag {min(unknown)} has no exact counterpart in Python")
        return frozenset(flags)

    def _refuse(self, construct: str) -> NoReturn:
        raise self._cursor.refusal(construct)
