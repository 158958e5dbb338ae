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
_SOONER = "Java shows a state for a moment that ours does not pass through"
_OLDER = "a range of versions is compared with this runtime's own version"
_NULL = "Java fails at a null or a pattern, which ours names among all that is wrong"
_FOR_EVER = "Java asks for another try that cannot succeed; ours says that there is no such task"
_UNDIVIDED = "a connector that cannot divide its work has failed, and its status says why"
_NO_TASK = "Java shows a task that is not there as failed once it was to be restarted"
_UNMADE = "the version of a task is known before its transformations are made"
_WAITS = "a task that waits for its start is shown as unassigned"
_CHARSET = "the body is UTF-8, whatever else the client would take"
_TWO = "two headers are wrong, and each worker names another one"
_LISTED_ONCE = "a setting of a converter that is null is listed once"
_ORDER = "connectors are listed by name"
_FORGOTTEN = "the topics of a removed connector are forgotten, as Java's clusters forget them"
_NO_TEXT = "text that is not Unicode is refused, for Kafka would keep another one in its place"
_UNTRANSLATED = "an expression that cannot be matched as Java matches it is named as well"
_LISTS = ("methods/157", "paths/061", "loggers/044")
_EVERYTHING = (
    "paths/048",
    "paths/049",
    "paths/05[1-5]",
    "plugin-listing/00[24]",
    "further-definitions/04[2-4]",
)
_NAMES = (
    "creating/001",
    "creating/009",
    "creating/057",
    "failures/162",
    "versions/067",
    "names/081",
)
_EXPANDED = ("creating/01[0-7]", "creating/064", "states/012", "states/032")

DEVIATIONS: Sequence[Deviation] = (
    *(Deviation(step, "body.org.*", _LOGGERS) for step in _LISTS),
    *(Deviation(step, f"body.{each}", _LOGGERS) for step in _LISTS for each in ("root", "py4j")),
    *(Deviation(step, "body[[]]", _UNVERSIONED) for step in _EVERYTHING),
    *(Deviation(step, "body[[]]", _LEFT) for step in _NAMES),
    *(Deviation(step, "body.x", _LEFT) for step in _EXPANDED),
    Deviation("creating/081", "body.tasks.0.version", _SOONER, modes=(DISTRIBUTED,)),
    Deviation("initial-state/027", "body.connector.state", _SOONER, modes=(DISTRIBUTED,)),
    *(
        Deviation(step, place, _SOONER, modes=(DISTRIBUTED,))
        for step in ("restarts/009", "restarts/043")
        for place in ("body.connector.state", "body.tasks.?.state", "body.tasks.?.version")
    ),
    *(
        Deviation(step, f"body.*.connector.{place}", _SOONER, modes=(DISTRIBUTED,))
        for step in ("third-together/074", "third-together/105")
        for place in ("state", "version")
    ),
    Deviation("failures/009", "body.connector.trace", _SOONER, modes=(DISTRIBUTED,)),
    *(
        Deviation("versions/057", place, _NULL, ("500", "400"))
        for place in ("status", "body.error_code")
    ),
    Deviation("restarts/093", "*", _FOR_EVER, ("409", "404"), modes=(DISTRIBUTED,)),
    *(
        Deviation("failures/033", f"body.connector.{place}", _UNDIVIDED)
        for place in ("state", "trace")
    ),
    *(
        Deviation(f"failures/{step}", "*", _UNDIVIDED, modes=(STANDALONE,))
        for step in ("032", "146")
    ),
    Deviation("restarts/096", "body.tasks[[]]", _NO_TASK, modes=(STANDALONE,)),
    Deviation("gates/003", "body.tasks[[]]", _WAITS, modes=(STANDALONE,)),
    *(
        Deviation(f"failures/{step}", "body.tasks.0.version", _UNMADE)
        for step in ("113", "116", "123", "128")
    ),
    *(
        Deviation("names/081", place, _ORDER, modes=(DISTRIBUTED,))
        for place in ("body[[]]", "body.?")
    ),
    *(
        Deviation(step, "*", _ALIAS)
        for step in (
            "plugin-settings/060",
            "drawn-stages/05[68]",
            "further-definitions/011",
            "third-plugins/00[278]",
            "third-plugins/01[37]",
        )
    ),
    Deviation("third-topics/021", "body.*", _FORGOTTEN, modes=(STANDALONE,)),
    Deviation("third-bodies/100", "*", _NO_TEXT, ("400", "500")),
    *(
        Deviation(f"third-settings/{step}", place, _UNTRANSLATED)
        for step in ("061", "068")
        for place in ("body.error_count", "body.configs.topics.regex.value.errors")
    ),
    Deviation("drawn-definitions/015", "*", _OLDER),
    *(Deviation(f"further-definitions/{step}", "*", _OLDER) for step in ("008", "031")),
    *(
        Deviation(step, place, _NULL)
        for step in ("drawn-settings/039", "drawn-settings/047", "further-validations/016")
        for place in ("status", "body.*")
    ),
    Deviation("further-validations/040", "body.*", _LISTED_ONCE),
    Deviation("fourth-details/00[4-7]", "body.*", _LISTED_ONCE),
    *(Deviation("fourth-details/012", place, _NULL) for place in ("status", "body.*")),
    Deviation("further-media/006", "*", _TWO),
    Deviation("further-media/039", "headers.content-type", _CHARSET),
    Deviation("plugin-settings/071", "*", _NO_JAVA, ("500", "404")),
    Deviation("validate-types/046", "body.*", _NO_JAVA),
    Deviation("plugin-settings/077", "*", _ON_BOARD, ("404", "400")),
    *(
        Deviation(step, place, _ONCE, modes=(STANDALONE,))
        for step in (
            *(f"validate-common/{step}" for step in ("064", "066", "069")),
            *(f"third-settings/{step}" for step in ("019", "030", "037", "052", "059", "087")),
        )
        for place in ("body.error_count", "body.configs.*.value.errors")
    ),
    *(
        Deviation(step, f"body.configs.*.{place}", _UNVERSIONED, change)
        for step in ("validate-transformations/10[01]", "third-settings/020")
        for place in ("definition.default_value", "value.value", "value.recommended_values.0")
        for change in (("undefined", "1.2.3"),)
    ),
    Deviation("validate-common/099", "body.configs.topic.value.value", _HIDDEN),
    Deviation("validate-types/065", "body.configs.plain.value.value", _HIDDEN),
)


def without_argued(mode: str, line: Line, every: Sequence[Difference]) -> list[Difference]:
    """The differences that nothing argues for."""
    return [each for each in every if not any(row.argues(mode, line, each) for row in DEVIATIONS)]
