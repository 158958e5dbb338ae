"""Sanitizes foreign text before it is displayed or parsed.

Titles, messages and figures come from plugins. A terminal obeys escape sequences in them,
bidirectional overrides reorder what a reader sees (CVE-2021-42574), and XML forbids most control
characters.
"""

from __future__ import annotations

import unicodedata

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LAYOUT = frozenset("\n\t")
_NOT_IN_XML = frozenset("\ufffe\uffff")


def visible(text: str) -> str:
    r"""The text with every control, format and lone surrogate character written as an escape.

    Line feeds and tabs stay. The result is valid in XML 1.0 and can be encoded as UTF-8.

    >>> visible("a\x1b[31mb\u202ec")
    'a\\x1b[31mb\\u202ec'
    """
    if text.isprintable():
        return text
    return "".join(_escaped(char) for char in text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The visible text with blanks for line feeds and tabs, so that it cannot fake a line."""
    return " ".join(visible(text).split())


def clip(text: str, limit: int) -> str:
    """At most ``limit`` characters of the text, with the number of omitted characters."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … ({len(text) - limit} more characters in results.json)"


def _escaped(char: str) -> str:
    if char in _LAYOUT:
        return char
    if unicodedata.category(char) in _HIDDEN_CATEGORIES or char in _NOT_IN_XML:
        return char.encode("unicode_escape").decode("ascii")
    return char
