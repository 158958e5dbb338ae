"""Where our worker differs from Java for a reason: the table of argued deviations."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tests.oracle.worker.steps import BOTH, DISTRIBUTED, STANDALONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracle.worker.comparing import Difference
    from tests.oracle.worker.recording import Line

__all__ = ["DEVIATIONS", "Deviation", "without_argued"]


@dataclass(frozen=True, slots=True)
class Deviation:
    """Steps that may differ in some places.

    Attributes:
        step: pattern of their ids, or of what they ask.
        place: pattern of the places.
        reason: why that is right.
        change: what Java says and what ours says, where only that one difference is meant.
        modes: of which workers.
    """

    step: str
    place: str
    reason: str
    change: tuple[str, str] | None = None
    modes: Sequence[str] = BOTH

    def argues(self, mode: str, line: Line, difference: Difference) -> bool:
        """Whether this is the reason of a difference."""
        return (
            mode in self.modes
            and any(fnmatchcase(each, self.step) for each in (line.id, line.step.get("ask", "")))
            and fnmatchcase(difference.place, self.place)
            and self.change in {None, (str(difference.expected), str(difference.found))}
        )


_LOGGERS = "the names of loggers are those of the classes that log"
_LEFT = "Java answers 500 to a null and keeps a connector that it can never start; ours keeps none"
_ONCE = "a promise that this worker cannot keep is refused, for duplicates would come unnoticed"
_HIDDEN = "what a provider supplied is not shown again, for it may be a secret"
_ALIAS = "nested classes have aliases as well, which configurations use"
_NO_JAVA = "classes of Java's own library are none here"
_UNVERSIONED = "a plugin that declares no version has that of its distribution"
_ON_BOARD = "this extension is a plugin here, and in a jar of its own there"
_SOONER = "in a cluster the answer comes before the tasks are there, or after: who is faster"
_ORDER = "connectors are listed by name"
_LISTS = ("methods/157", "paths/061", "loggers/044")
_EVERYTHING = ("paths/048", "paths/049", "paths/05[1-5]", "plugin-listing/00[24]")
_NAMES = ("creating/001", "creating/009", "creating/057", "names/081")
_EXPANDED = ("creating/01[0-7]", "creating/064", "states/012", "states/032")

DEVIATIONS: Sequence[Deviation] = (
    *(Deviation(step, "body.org.*", _LOGGERS) for step in _LISTS),
    *(Deviation(step, "body.root", _LOGGERS) for step in _LISTS),
    *(Deviation(step, "body[[]]", _UNVERSIONED) for step in _EVERYTHING),
    *(Deviation(step, "body[[]]", _LEFT) for step in _NAMES),
    *(Deviation(step, "body.x", _LEFT) for step in _EXPANDED),
    *(
        Deviation(step, "body.tasks[[]]", _SOONER, modes=(DISTRIBUTED,))
        for step in ("creating/*", "states/001", "initial-state/03[38]", "names/*")
    ),
    Deviation("creating/081", "body.tasks.0.version", _SOONER, modes=(DISTRIBUTED,)),
    Deviation("initial-state/027", "body.connector.state", _SOONER, modes=(DISTRIBUTED,)),
    Deviation("names/081", "body[[]]", _ORDER, modes=(DISTRIBUTED,)),
    Deviation("plugin-settings/060", "*", _ALIAS),
    Deviation("plugin-settings/071", "*", _NO_JAVA, ("500", "404")),
    Deviation("validate-types/046", "body.*", _NO_JAVA),
    Deviation("plugin-settings/077", "*", _ON_BOARD, ("404", "400")),
    *(
        Deviation(f"validate-common/{step}", place, _ONCE, modes=(STANDALONE,))
        for step in ("064", "066", "069")
        for place in ("body.error_count", "body.configs.*.value.errors")
    ),
    *(
        Deviation(
            "validate-transformations/10[01]", f"body.configs.*.{place}", _UNVERSIONED, change
        )
        for place in ("definition.default_value", "value.value", "value.recommended_values.0")
        for change in (("undefined", "1.2.3"),)
    ),
    Deviation("validate-common/099", "body.configs.topic.value.value", _HIDDEN),
    Deviation("validate-types/065", "body.configs.plain.value.value", _HIDDEN),
)


def without_argued(mode: str, line: Line, every: Sequence[Difference]) -> list[Difference]:
    """The differences that nothing argues for."""
    return [each for each in every if not any(row.argues(mode, line, each) for row in DEVIATIONS)]
