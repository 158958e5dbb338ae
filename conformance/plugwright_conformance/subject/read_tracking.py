"""Mappings that record which settings are read.

Connectors copy the mapping that they are given. A copy has the same keys, so the keys take the
notes: looking one up compares it with what is looked for.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from plugwright.config import AbstractConfig, ConfigDef

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["ReadTracking"]

_READS = (
    *("__format__", "__getitem__", "__iter__", "__reduce_ex__", "__str__", "casefold", "encode"),
    *("endswith", "find", "lower", "partition", "removeprefix", "removesuffix", "replace"),
    *("rpartition", "rsplit", "split", "startswith", "strip", "title", "translate", "upper"),
)
"""What is done with a key when names are made out of it, or when it is sent elsewhere."""


class ReadTracking:
    """Records which settings are read, apart from validation.

    Attributes:
        names: of the settings asked for so far.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._checking = threading.local()
        self._key = _kind_of_key(self._heard)

    def noticing(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The same settings in a mapping that may be copied, under keys that notice."""
        with self._deaf():
            return {self._key(name): value for name, value in settings.items()}

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Record reads of parsed settings, too."""
        parse, validate = ConfigDef.parse, ConfigDef.validate_all
        make = AbstractConfig.__init__

        def parsed(definition: ConfigDef, props: Mapping[str, object]) -> dict[str, Any]:
            with self._deaf():
                found = parse(definition, props)
            return _Parsed(self.noticing(found), self._heard)

        def validated(definition: ConfigDef, props: Mapping[str, object]) -> Any:
            with self._deaf():
                return validate(definition, props)

        def made(config: AbstractConfig, *arguments: Any, **named: Any) -> None:
            with self._deaf():
                make(config, *arguments, **named)

        with (
            patch.object(ConfigDef, "parse", parsed),
            patch.object(ConfigDef, "validate_all", validated),
            patch.object(AbstractConfig, "__init__", made),
        ):
            yield

    @contextmanager
    def _deaf(self) -> Iterator[None]:
        depth = getattr(self._checking, "depth", 0)
        self._checking.depth = depth + 1
        try:
            yield
        finally:
            self._checking.depth = depth

    def _heard(self, name: str) -> None:
        if not getattr(self._checking, "depth", 0):
            self.names.add(name)


class _Parsed(dict[str, Any]):
    """Parsed settings; iterating over them counts as reading all."""

    def __init__(self, settings: Mapping[str, Any], heard: Callable[[str], None]) -> None:
        super().__init__(settings)
        self._heard = heard

    def _all_heard(self) -> None:
        for name in super().__iter__():
            self._heard(name)

    def __iter__(self) -> Iterator[str]:
        self._all_heard()
        return super().__iter__()

    def items(self) -> Any:
        """Every setting."""
        self._all_heard()
        return super().items()

    def keys(self) -> Any:
        """Every name."""
        self._all_heard()
        return super().keys()

    def values(self) -> Any:
        """Every value."""
        self._all_heard()
        return super().values()

    def copy(self) -> _Parsed:
        """Another one."""
        return _Parsed(dict(super().items()), self._heard)


def _kind_of_key(heard: Callable[[str], None]) -> type[str]:
    """A class of texts that tell when they are found equal to something, or taken apart."""

    def equal(self: str, other: object) -> bool:
        same = str.__eq__(self, other)
        if same is True:
            heard(str.__str__(self))
        return same

    def noticed(name: str) -> Callable[..., Any]:
        def method(self: str, *arguments: Any, **named: Any) -> Any:
            heard(str.__str__(self))
            return getattr(str, name)(self, *arguments, **named)

        return method

    methods: dict[str, Any] = {name: noticed(name) for name in _READS}
    methods |= {"__eq__": equal, "__hash__": str.__hash__, "__deepcopy__": lambda self, _: self}
    return type("Key", (str,), methods)
