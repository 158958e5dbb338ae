"""Values as text: Kafka's spelling, never failing, and secrets hidden."""

from __future__ import annotations

from plugwright.config._password import HIDDEN, Password
from plugwright.config._types import Type
from plugwright.java_text import float_text


def printed(value: object) -> str:
    """Any value as messages, logs and documentation show it.

    Java's spelling (``null``, ``true``, ``1.0E-5``, ``[a, b]``); never raises, and the text can
    always be encoded: what UTF-8 cannot hold is escaped.

    >>> printed([True, None, float("nan"), "a"])
    '[true, null, NaN, a]'
    """
    try:
        text = _spelled(value)
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    except Exception:  # noqa: BLE001  # a foreign __str__ may raise anything
        return f"<{type_name(value)}>"
    return text


def type_name(value: object) -> str:
    """The name of the type of a value, where Java prints the name of its class."""
    return type(value).__name__


def convert_to_string(value: object, type: Type | None) -> str | None:  # noqa: A002  # Kafka's name
    """A parsed value as text, as Kafka's ``ConfigDef.convertToString`` gives it.

    ``None`` stays ``None``; list elements are joined with commas; a class becomes its name, nested
    ones after ``$``; a password is hidden.
    """
    if value is None:
        return None
    if type is Type.LIST and isinstance(value, list | tuple):
        return ",".join(printed(element) for element in value)
    return printed(value)


def hidden_if_secret(value: object, type: Type | None) -> object:  # noqa: A002  # Kafka's name
    """The value, unless it belongs to a password setting: then only that it is hidden."""
    return HIDDEN if type is Type.PASSWORD and value is not None else value


def _spelled(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Password):
        return HIDDEN
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, type):
        return class_name(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(printed(element) for element in value)}]"
    return str(value)


def class_name(cls: type) -> str:
    """The name that loads a class again: ``package.module.Outer$Nested``."""
    return f"{cls.__module__}.{cls.__qualname__.replace('.', '$')}"
