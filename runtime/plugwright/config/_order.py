"""The order in which documentation lists settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugwright.config._types import Importance

if TYPE_CHECKING:
    from plugwright.config._definition import ConfigDef
    from plugwright.config._key import ConfigKey

_RANKS: Final = {importance: rank for rank, importance in enumerate(Importance)}


def documentation_order(definition: ConfigDef) -> list[ConfigKey]:
    """All keys as Kafka sorts them.

    Settings without a group come first, then groups in the order of definition. Within a group the
    order is: order in group, required settings first, importance, name.
    """
    groups = {group: position for position, group in enumerate(definition.groups)}

    def rank(key: ConfigKey) -> tuple[int, int, bool, int, str]:
        group = -1 if key.group is None else groups[key.group]
        return group, key.order_in_group, key.has_default, _RANKS[key.importance], key.name

    return sorted(definition.keys.values(), key=rank)


def documented(definition: ConfigDef) -> list[ConfigKey]:
    """The keys that the documentation lists, in its order: all but internal ones."""
    return [key for key in documentation_order(definition) if not key.internal]
