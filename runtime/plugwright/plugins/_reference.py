"""A reference to a class by name, so that another process can import it."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ClassReference:
    """A class by name, with its settings, for import in another process.

    Attributes:
        process: 0 for the task's own process, otherwise the number of a stage host.
        version: version of the plugin.
        location: directory that it is imported from, or an empty string if it is part of the
            runtime, which every process has.
    """

    module: str
    qualname: str
    settings: Mapping[str, str] = field(default_factory=dict)
    process: int = 0
    version: str = ""
    location: str = ""

    @classmethod
    def to(cls, target: type, settings: Mapping[str, str] | None = None, **more: Any) -> Self:
        """The reference to a class."""
        return cls(target.__module__, target.__qualname__, dict(settings or {}), **more)

    @property
    def class_name(self) -> str:
        """Dotted name of the class."""
        return f"{self.module}.{self.qualname}"

    def load(self) -> Any:
        """Import the class into this process.

        Raises:
            ImportError: if there is no such module here.
            AttributeError: if the module has no such class.
        """
        found: Any = import_module(self.module)
        for name in self.qualname.split("."):
            found = getattr(found, name)
        return found
