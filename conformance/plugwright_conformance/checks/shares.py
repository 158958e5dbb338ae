"""The shares of the work that tasks have, and whether these are about equal."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from plugwright_conformance.subject.contexts import partition_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.record import SourceRecord

MOST: Final = 2
"""How many times the work of another task a task may have."""

_WORD = re.compile(r"[^\s,;\"'\[\]{}]+")


@dataclass(frozen=True, slots=True)
class TaskShare:
    """The work of one task, in units that a good division may go by.

    Attributes:
        partitions: source partitions that it had records of.
        records: how many these were.
        length: of their values.
        words: in the settings that name its partitions, some of which may have had no record.
    """

    partitions: int
    records: int
    length: int
    words: int


@dataclass(frozen=True, slots=True)
class Division:
    """The shares of all tasks."""

    shares: Sequence[TaskShare]

    @property
    def balanced(self) -> bool:
        """Whether it is by any of the units."""
        units = zip(
            *((s.partitions, s.records, s.length, s.words) for s in self.shares), strict=True
        )
        return any(max(unit) <= MOST * min(unit) for unit in units)


def division_of(
    configs: Sequence[Mapping[str, str]], parts: Sequence[Sequence[SourceRecord]]
) -> Division | None:
    """What each task had; nothing if it names no partitions, or there are too few.

    Args:
        configs: the configuration of each task.
        parts: the records that each task has read.
    """
    places = [Counter(partition_text(r.source_partition or {}) for r in part) for part in parts]
    own = [_own_settings(config, configs) for config in configs]
    naming = _naming(own, places)
    if not _may_judge(own, places, naming):
        return None
    roles = [{k: v for k, v in settings.items() if k not in naming} for settings in own]
    working = [role for role, mine in zip(roles, places, strict=True) if mine]
    return Division(
        [
            TaskShare(len(places[n]), len(part), _length(part), _words(own[n], naming))
            for n, part in enumerate(parts)
            if roles[n] in working  # which an idle one of another role is not
        ]
    )


def _naming(own: Sequence[Mapping[str, str]], places: Sequence[Counter[str]]) -> set[str]:
    """The settings that name source partitions to the tasks that read them."""
    return {
        name
        for settings, mine in zip(own, places, strict=True)
        for name, text in settings.items()
        if any(_names(text, place) for place in mine)
    }


def _may_judge(
    own: Sequence[Mapping[str, str]], places: Sequence[Counter[str]], naming: set[str]
) -> bool:
    """Whether there is a partition for each task, and each is named to its task and no other."""
    texts = [" ".join(settings.get(name, "") for name in sorted(naming)) for settings in own]
    seen = [place for mine in places for place in mine]
    return 1 < len(own) <= len(seen) == len({*seen}) and all(
        [_names(text, place) for text in texts] == [other is mine for other in places]
        for mine in places
        for place in mine
    )


def _own_settings(
    config: Mapping[str, str], configs: Sequence[Mapping[str, str]]
) -> dict[str, str]:
    """The settings that not all tasks have alike."""
    return {
        name: str(value)
        for name, value in config.items()
        if any(other.get(name) != value for other in configs)
    }


def _length(part: Sequence[SourceRecord]) -> int:
    return sum(len(repr(record.value)) for record in part)


def _words(settings: Mapping[str, str], naming: set[str]) -> int:
    return sum(len(_WORD.findall(settings.get(name, ""))) for name in naming)


def _names(text: str, place: str) -> bool:
    """Whether a setting has a text of a source partition as a word of its own."""
    return any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in _texts(json.loads(place))
    )


def _texts(partition: Mapping[str, object]) -> Iterator[str]:
    """The texts of a partition; a number may be anything."""
    for value in partition.values():
        if isinstance(value, str) and re.search(r"[^\W\d_]", value):
            yield value
