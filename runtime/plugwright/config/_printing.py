"""Values as text in Kafka's spelling, with secrets hidden; never fails."""

from __future__ import annotations

from plugwright.config._password import HIDDEN, Password
from plugwright.config._types import ConfigType
from plugwright.java_text import float_text
from plugwright.origin import public_name


def printed(value: object) -> str:
    """The text of any value for messages, logs and documentation.

    Uses Java's spelling (``null``, ``true``, ``1.0E-5``, ``[a, b]``). Never raises, and the text
    can always be encoded: characters outside UTF-8 are escaped.

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
    """The name of the type of a value; Java prints the name of its class."""
    return type(value).__name__


def convert_to_string(value: object, type: ConfigType | None) -> str | None:  # noqa: A002  # Kafka's name
    """A parsed value as text, as Kafka's ``ConfigDef.convertToString`` returns it.

    ``None`` stays ``None``; list elements are joined with commas; a class becomes its name, nested
    ones after ``$``; a password is hidden.
    """
    if value is None:
        return None
    if type is ConfigType.LIST and isinstance(value, list | tuple):
        return ",".join(printed(element) for element in value)
    return printed(value)


def hidden_if_secret(value: object, type: ConfigType | None) -> object:  # noqa: A002  # Kafka's name
    """The value, or a placeholder if it belongs to a password setting."""
    return HIDDEN if type is ConfigType.PASSWORD and value is not None else value


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
    """The name by which a class can be loaded: ``package.module.Outer$Nested``."""
    name, qualname = public_name(cls), cls.__qualname__
    return name.removesuffix(qualname) + qualname.replace(".", "$")
