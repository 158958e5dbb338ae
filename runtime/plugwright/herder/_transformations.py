"""The transformations of a connector, checked on the driver and described for its task hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.plugins import PREDICATE, TRANSFORMATION
from plugwright.spark import ClassReference
from plugwright.transforms import TransformationChain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.plugins import Plugins

__all__ = ["transformations"]

_PREFIXES = ("transforms", "predicates")


def transformations(
    properties: Mapping[str, str], plugins: Plugins
) -> tuple[Mapping[str, str], Mapping[str, ClassReference]]:
    """The settings of a connector's chain, and the classes they name.

    Raises:
        ConfigError: naming every setting that is missing or wrong.
    """
    settings = {
        key: value for key, value in properties.items() if key.split(".", 1)[0] in _PREFIXES
    }
    named: dict[str, ClassReference] = {}

    def resolve(name: str) -> type[Any]:
        found = plugins.load(plugins.find(name, TRANSFORMATION, PREDICATE))
        named[name] = ClassReference.to(found)
        return found

    TransformationChain[Any].compile(settings, resolve).close()
    return settings, named
