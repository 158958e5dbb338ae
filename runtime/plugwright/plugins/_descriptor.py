"""One discovered plugin, before any of its code has run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins._java_names import java_name_of

if TYPE_CHECKING:
    from plugwright.plugins._location import Location
    from plugwright.plugins._types import PluginType


@dataclass(frozen=True, slots=True)
class PluginDescriptor:
    """A plugin as its manifest states it.

    Attributes:
        module: what to import.
        qualname: the class within the module, dots for nested ones.
        entry_name: the name that the author gave the entry point.
        distribution: name of the distribution that owns the manifest.
        version: version of that distribution.
        location: where it was found; ``None`` for plugins that come with the runtime.
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
        """The simple name, and what of it stands before the last word for its kind.

        ``FileStreamSourceConnector`` is also ``FileStreamSource``, and so would be
        ``FileStreamSourceConnectorV2`` (Kafka's ``PluginUtils.prunedName``). A class within a class
        is written as in Java: ``InsertField$Value``.
        """
        simple = self.qualname.replace(".", "$")
        end = simple.rfind(self.type.suffix)
        return (simple, simple[:end]) if end > 0 else (simple,)

    @property
    def java_name(self) -> str:
        """The Java class that this is the counterpart of, or an empty string."""
        return java_name_of(self.class_name)

    def answers_to(self, name: str) -> bool:
        """Whether a configuration that says ``name`` may mean this plugin."""
        return name in {self.class_name, self.entry_name, *self.aliases}

    def is_exported_as(self, name: str) -> bool:
        """Whether a dotted name may be that of the class in a package above its module."""
        return name.endswith(f".{self.qualname}") and self.module.startswith(
            name.removesuffix(self.qualname)
        )
