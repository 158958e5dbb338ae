"""Classes in the place of transformations and predicates that run in another process.

A chain is described, checked and compiled as a whole in each of its processes: order, aliases and
conditions come out alike. What a process does not run itself is represented by one of these.
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
    """Takes every setting, and no record."""

    def config(self) -> ConfigDef:
        return ConfigDef()

    def apply(self, record: Any) -> NoReturn:  # noqa: ARG002  # part of the contract
        raise _misplaced(self)


class _AbsentPredicate(Predicate[Any]):
    """Takes every setting, and no record."""

    def config(self) -> ConfigDef:
        return ConfigDef()

    def test(self, record: Any) -> NoReturn:  # noqa: ARG002  # part of the contract
        raise _misplaced(self)


def stand_in(plugin: PluginDescriptor) -> type:
    """A class of the plugin's name and kind whose settings are another process's concern."""
    return stand_in_for(plugin.module, plugin.qualname, predicate=plugin.type is PREDICATE)


def stand_in_for(module: str, qualname: str, *, predicate: bool) -> type:
    """A class of this name."""
    base = _AbsentPredicate if predicate else _AbsentTransformation
    name = qualname.rpartition(".")[2]
    return type(name, (base,), {"__module__": module, "__qualname__": qualname})


def _misplaced(instance: object) -> IllegalWorkerStateError:
    return IllegalWorkerStateError(
        f"{type(instance).__module__}.{type(instance).__qualname__} runs in another process",
        code="plugin.elsewhere",
    )
