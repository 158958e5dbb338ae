"""Validators for one value, with Kafka's texts in documentation and messages."""

from __future__ import annotations

from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Protocol

from plugwright.config._printing import printed
from plugwright.config._problems import invalid_value, problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.errors import ConfigError


class Validator(Protocol):
    """Checks one value; its ``str`` is the "Valid Values" text of documentation."""

    def __call__(self, name: str, value: object, /) -> None:
        """Return if the value is valid.

        Raises:
            ConfigError: if it is not; :func:`invalid_value` creates one with Kafka's message.
        """


def valid_values(validator: Validator | None) -> str | None:
    """The "Valid Values" text; ``None`` without a validator, or for a function that has none."""
    if isinstance(validator, FunctionType | MethodType | BuiltinFunctionType):
        return None
    return None if validator is None else str(validator)


@dataclass(frozen=True, slots=True)
class Range:
    """A number within inclusive bounds; a bound may be ``None``, the value may not."""

    min: float | None = None
    max: float | None = None

    @classmethod
    def at_least(cls, lowest: float) -> Range:
        """Numbers greater than or equal to ``lowest``."""
        return cls(lowest, None)

    @classmethod
    def between(cls, lowest: float, highest: float) -> Range:
        """Numbers from ``lowest`` to ``highest``."""
        return cls(lowest, highest)

    def __call__(self, name: str, value: object) -> None:
        if value is None:
            raise invalid_value(name, None, "Value must be non-null")
        if not isinstance(value, int | float):
            raise invalid_value(name, value, "Value must be a number")
        if self.min is not None and value < self.min:
            raise invalid_value(name, value, f"Value must be at least {printed(self.min)}")
        if self.max is not None and value > self.max:
            raise invalid_value(name, value, f"Value must be no more than {printed(self.max)}")

    def __str__(self) -> str:
        low = "" if self.min is None else f"{printed(self.min)},"
        high = "" if self.max is None else f",{printed(self.max)}"
        return f"[{low}...{high}]"


@dataclass(frozen=True, slots=True)
class ValidString:
    """One of the listed strings; ``None`` only if it is listed."""

    valid_strings: tuple[str | None, ...]

    @classmethod
    def in_(cls, *valid_strings: str | None) -> ValidString:
        """Exactly these strings."""
        return cls(valid_strings)

    def __call__(self, name: str, value: object) -> None:
        if value not in self.valid_strings:
            raise invalid_value(name, value, f"String must be one of: {_joined(self)}")

    def __str__(self) -> str:
        return f"[{_joined(self)}]"


@dataclass(frozen=True, slots=True)
class CaseInsensitiveValidString:
    """One of the listed strings in any case, never ``None``; messages show them in upper case."""

    valid_strings: tuple[str, ...]

    @classmethod
    def in_(cls, *valid_strings: str) -> CaseInsensitiveValidString:
        """These strings, in any case."""
        return cls(tuple(dict.fromkeys(string.upper() for string in valid_strings)))

    def __call__(self, name: str, value: object) -> None:
        if not isinstance(value, str) or value.upper() not in self.valid_strings:
            message = f"String must be one of (case insensitive): {_joined(self)}"
            raise invalid_value(name, value, message)

    def __str__(self) -> str:
        return f"(case insensitive) [{_joined(self)}]"


@dataclass(frozen=True, slots=True)
class ValidList:
    """A list of distinct, non-empty strings (KIP-1161).

    Attributes:
        valid_string: the allowed strings; if empty, all strings are allowed.
        empty_allowed: whether the list may have no elements.
        null_allowed: whether ``None`` passes.
    """

    valid_string: ValidString
    empty_allowed: bool = True
    null_allowed: bool = False

    @classmethod
    def in_(cls, *valid_strings: str, empty_allowed: bool = True) -> ValidList:
        """Lists of these strings.

        Raises:
            ValueError: if neither an empty list nor any string is allowed.
        """
        if not empty_allowed and not valid_strings:
            message = "At least one valid string must be provided when empty values are not allowed"
            raise ValueError(message)
        return cls(ValidString.in_(*valid_strings), empty_allowed)

    @classmethod
    def any_non_duplicate_values(cls, *, empty_allowed: bool, null_allowed: bool) -> ValidList:
        """Lists of any distinct, non-empty strings."""
        return cls(ValidString.in_(), empty_allowed, null_allowed)

    def __call__(self, name: str, value: object) -> None:
        if value is None:
            if not self.null_allowed:
                raise _wrong_list(name, "values must not be null.")
            return
        elements = value if isinstance(value, list) else [value]
        if not elements and not self.empty_allowed:
            allowed = str(self) or "any non-empty value"
            raise _wrong_list(name, f"must not be empty. Valid values include: {allowed}")
        texts = [element for element in elements if isinstance(element, str)]
        if len(set(texts)) < len(texts):
            raise _wrong_list(name, "values must not be duplicated.")
        for element in elements:
            self._check(name, element)

    def __str__(self) -> str:
        return str(self.valid_string) if self.valid_string.valid_strings else ""

    def _check(self, name: str, element: object) -> None:
        if element == "":
            raise _wrong_list(name, "values must not be empty.")
        if self.valid_string.valid_strings:
            self.valid_string(name, element)


@dataclass(frozen=True, slots=True)
class NonNullValidator:
    """Anything but ``None``."""

    def __call__(self, name: str, value: object) -> None:
        if value is None:
            raise invalid_value(name, None, "entry must be non null")

    def __str__(self) -> str:
        return "non-null string"


@dataclass(frozen=True, slots=True)
class NonEmptyString:
    """A string that is not empty; ``None`` passes."""

    def __call__(self, name: str, value: object) -> None:
        if value == "":
            raise invalid_value(name, value, "String must be non-empty")

    def __str__(self) -> str:
        return "non-empty string"


@dataclass(frozen=True, slots=True)
class NonEmptyStringWithoutControlChars:
    """A string that is not empty and has no ISO control character; ``None`` passes."""

    def __call__(self, name: str, value: object) -> None:
        if value is None:
            return
        if value == "":
            raise invalid_value(name, value, "String may not be empty")
        codes = [ord(character) for character in str(value) if _is_iso_control(character)]
        if codes:
            found = ", ".join(map(str, codes))
            message = "String may not contain control sequences but had the following ASCII chars"
            raise invalid_value(name, value, f"{message}: {found}")

    def __str__(self) -> str:
        return "non-empty string without ISO control characters"


@dataclass(frozen=True, slots=True)
class ListSize:
    """A list of limited length; ``None`` passes."""

    max_size: int

    @classmethod
    def at_most_of_size(cls, max_size: int) -> ListSize:
        """Lists of at most ``max_size`` elements."""
        return cls(max_size)

    def __call__(self, name: str, value: object) -> None:
        if isinstance(value, list) and len(value) > self.max_size:
            raise invalid_value(name, value, f"exceeds maximum list size of [{self.max_size}].")

    def __str__(self) -> str:
        return f"List containing maximum of {self.max_size} elements"


@dataclass(frozen=True, slots=True)
class LambdaValidator:
    """A validator made of a function, and another function for its text."""

    ensure_valid: Callable[[str, object], None]
    to_string: Callable[[], str]

    @classmethod
    def with_(
        cls, ensure_valid: Callable[[str, object], None], to_string: Callable[[], str]
    ) -> LambdaValidator:
        """Check with the first function, describe with the second."""
        return cls(ensure_valid, to_string)

    def __call__(self, name: str, value: object) -> None:
        self.ensure_valid(name, value)

    def __str__(self) -> str:
        return self.to_string()


@dataclass(frozen=True, slots=True)
class CompositeValidator:
    """Several validators in order; the first error counts."""

    validators: tuple[Validator, ...]

    @classmethod
    def of(cls, *validators: Validator) -> CompositeValidator:
        """Check with all of these, in this order."""
        return cls(validators)

    def __call__(self, name: str, value: object) -> None:
        for validator in self.validators:
            validator(name, value)

    def __str__(self) -> str:
        return ", ".join(map(str, self.validators))


def _wrong_list(name: str, what: str) -> ConfigError:
    return problem(name, f"Configuration '{printed(name)}' {what}")


def _joined(validator: ValidString | CaseInsensitiveValidString) -> str:
    return ", ".join(map(printed, validator.valid_strings))


def _is_iso_control(character: str) -> bool:
    return character <= "\x1f" or "\x7f" <= character <= "\x9f"
