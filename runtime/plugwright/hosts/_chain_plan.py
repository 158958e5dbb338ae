"""Assigns the stages of a chain to processes, and compiles the chain for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.hosts._stand_in import stand_in_for
from plugwright.transforms import TransformationChain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.plugins import ClassReference
    from plugwright.transforms import TransformationStage


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive stages of a chain that one process runs.

    Attributes:
        first: position of the first stage.
        after: position after the last one.
        process: number of the process that runs it.
        tester: number of the process that evaluates its predicate, if that is another one.
    """

    first: int
    after: int
    process: int
    tester: int | None = None


def chain_of(
    settings: Mapping[str, str], classes: Mapping[str, ClassReference], process: int
) -> TransformationChain[Any]:
    """Compile the whole chain, with stand-ins for stages in other processes.

    Raises:
        ConfigError: if a plugin rejects its settings.
        PluginError: if one fails.
    """
    predicates = {value.strip() for key, value in settings.items() if key.startswith("predicates.")}

    def resolve(name: str) -> type:
        reference = classes[name]
        if _is_at(reference, process):
            found: type = reference.load()
            return found
        return stand_in_for(reference.module, reference.qualname, predicate=name in predicates)

    return TransformationChain.compile(settings, resolve)


def segments(
    chain: TransformationChain[Any],
    settings: Mapping[str, str],
    classes: Mapping[str, ClassReference],
) -> Sequence[Segment]:
    """Divide the chain into as few segments as its order allows.

    A plugin of the runtime runs in the same process as the one before it.
    """
    found: list[Segment] = []
    for position, stage in enumerate(chain.stages):
        here = found[-1].process if found else 0
        runner = _process(class_at(f"transforms.{stage.alias}.type", settings, classes), here)
        tester = _tester(stage, settings, classes, runner)
        last = found[-1] if found else None
        if last and tester is None and last.tester is None and last.process == runner:
            found[-1] = Segment(last.first, position + 1, runner)
        else:
            found.append(Segment(position, position + 1, runner, tester))
    return found


def _tester(
    stage: TransformationStage,
    settings: Mapping[str, str],
    classes: Mapping[str, ClassReference],
    runner: int,
) -> int | None:
    if stage.predicate is None:
        return None
    alias = settings[f"transforms.{stage.alias}.predicate"].strip()
    process = _process(class_at(f"predicates.{alias}.type", settings, classes), runner)
    return None if process == runner else process


def class_at(
    key: str, settings: Mapping[str, str], classes: Mapping[str, ClassReference]
) -> ClassReference:
    """The class that a setting of a chain names."""
    return classes[settings[key].strip()]


def _process(reference: ClassReference, otherwise: int) -> int:
    return reference.process if reference.location else otherwise


def _is_at(reference: ClassReference, process: int) -> bool:
    return not reference.location or reference.process == process
