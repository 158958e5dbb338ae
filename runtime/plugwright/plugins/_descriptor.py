"""One discovered plugin, before any of its code has run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins.java_names import java_name_of

if TYPE_CHECKING:
    from plugwright.plugins._location import Location
    from plugwright.plugins._types import PluginType


@dataclass(frozen=True, slots=True)
class PluginDescriptor:
    """A plugin as declared by its manifest.

    Attributes:
        module: the module to import.
        qualname: the class within the module, dotted for nested ones.
        entry_name: the name of the entry point.
        distribution: name of the distribution that owns the manifest.
        version: version of that distribution.
        location: its location; ``None`` for plugins of the runtime.
        obstacle: why this Python cannot load it, or an empty string.
    """

    type: PluginType
    module: str
    qualname: str
    entry_name: str
    distribution: str
    version: str
    location: Location | None = None
    obstacle: str = ""

    @property
    def class_name(self) -> str:
        """Dotted name of the class."""
        return f"{self.module}.{self.qualname}"

    @property
    def aliases(self) -> tuple[str, ...]:
        """The simple name, and the part of it before the suffix of its type.

        ``FileStreamSourceConnector`` is also ``FileStreamSource``, and so would be
        ``FileStreamSourceConnectorV2`` (Kafka's ``PluginUtils.prunedName``). A class within a class
        is written as in Java: ``InsertField$Value``.
        """
        simple = self.qualname.replace(".", "$")
        end = simple.rfind(self.type.suffix)
        return (simple, simple[:end]) if end > 0 else (simple,)

    @property
    def java_name(self) -> str:
        """The corresponding Java class, or an empty string."""
        return java_name_of(self.class_name)

    def answers_to(self, name: str) -> bool:
        """Whether ``name`` in a configuration may refer to this plugin."""
        return name in {self.class_name, self.entry_name, *self.aliases}

    def is_exported_as(self, name: str) -> bool:
        """Whether a dotted name may be a re-export of the class in a parent package."""
        return name.endswith(f".{self.qualname}") and self.module.startswith(
            name.removesuffix(self.qualname)
        )
