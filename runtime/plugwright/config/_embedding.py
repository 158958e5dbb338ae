"""Embeds a setting of one definition in another definition, under a prefix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.config._key import ConfigKey
    from plugwright.config._recommender import Recommender
    from plugwright.config._validators import Validator


def embedded(key: ConfigKey, prefix: str, group_prefix: str, order: int) -> ConfigKey:
    """The key under ``prefix``; its functions still receive names without the prefix."""
    return replace(
        key,
        name=prefix + key.name,
        group=group_prefix if key.group is None else f"{group_prefix}: {key.group}",
        order_in_group=order,
        dependents=tuple(prefix + dependent for dependent in key.dependents),
        validator=key.validator and EmbeddedValidator(prefix, key.validator),
        recommender=key.recommender and EmbeddedRecommender(prefix, key.recommender),
    )


@dataclass(frozen=True, slots=True)
class EmbeddedValidator:
    """Calls a validator with the unprefixed name."""

    prefix: str
    base: Validator

    def __call__(self, name: str, value: object) -> None:
        self.base(name.removeprefix(self.prefix), value)

    def __str__(self) -> str:
        return str(self.base)


@dataclass(frozen=True, slots=True)
class EmbeddedRecommender:
    """Calls a recommender with unprefixed names."""

    prefix: str
    base: Recommender

    def valid_values(self, name: str, parsed: Mapping[str, object]) -> Sequence[object]:
        """The valid values of the embedded recommender."""
        return self.base.valid_values(name.removeprefix(self.prefix), self._own(parsed))

    def visible(self, name: str, parsed: Mapping[str, object]) -> bool:
        """The visibility from the embedded recommender."""
        return self.base.visible(name.removeprefix(self.prefix), self._own(parsed))

    def _own(self, parsed: Mapping[str, object]) -> dict[str, object]:
        return {
            name.removeprefix(self.prefix): value
            for name, value in parsed.items()
            if name.startswith(self.prefix)
        }
