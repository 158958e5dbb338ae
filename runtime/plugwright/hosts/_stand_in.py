"""Stand-in classes for transformations and predicates that run in another process.

Each process describes, validates and compiles a chain as a whole, so that order, aliases and
conditions agree. Stages that a process does not run are represented by these classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from plugwright.config import ConfigDef
from plugwright.errors import IllegalWorkerStateError
from plugwright.plugins import PREDICATE
from plugwright.transforms import Predicate, Transformation

if TYPE_CHECKING:
    from plugwright.plugins import PluginDescriptor


class _AbsentTransformation(Transformation[Any]):
    """Accepts all settings, and no record."""

    def config(self) -> ConfigDef:
        return ConfigDef()

    def apply(self, record: Any) -> NoReturn:  # noqa: ARG002  # part of the contract
        raise _misplaced(self)


class _AbsentPredicate(Predicate[Any]):
    """Accepts all settings, and no record."""

    def config(self) -> ConfigDef:
        return ConfigDef()

    def test(self, record: Any) -> NoReturn:  # noqa: ARG002  # part of the contract
        raise _misplaced(self)


def stand_in(plugin: PluginDescriptor) -> type:
    """A class with the plugin's name and type, whose settings another process validates."""
    return stand_in_for(plugin.module, plugin.qualname, predicate=plugin.type is PREDICATE)


def stand_in_for(module: str, qualname: str, *, predicate: bool) -> type:
    """A class with this name."""
    base = _AbsentPredicate if predicate else _AbsentTransformation
    name = qualname.rpartition(".")[2]
    return type(name, (base,), {"__module__": module, "__qualname__": qualname})


def _misplaced(instance: object) -> IllegalWorkerStateError:
    return IllegalWorkerStateError(
        f"{type(instance).__module__}.{type(instance).__qualname__} runs in another process",
        code="plugin.elsewhere",
    )
