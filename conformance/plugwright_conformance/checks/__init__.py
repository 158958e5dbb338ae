"""The checks of this suite, in catalogue order. Adding one is one class here and one mutant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.checks._assignments import (
    OffsetsOfOwnPartitionsOnly,
    PartitionsNameTheData,
    TiesAreNotSkipped,
)
from plugwright_conformance.checks._config import (
    ExampleValidates,
    KeysAreDescribed,
    MissingKeysAreReported,
    WrongTypesAreReported,
)
from plugwright_conformance.checks._crashes import (
    ExactlyOnceAtEveryCrashPoint,
    NothingIsLostAtAnyCrashPoint,
)
from plugwright_conformance.checks._delivery import (
    CleanRestartIsExact,
    CleanWorkerStop,
    DeliveryIsComplete,
    ProcessLossLosesNothing,
    TailArrives,
)
from plugwright_conformance.checks._discovery import (
    ConstructorIsPlain,
    ServiceLoadFindsDeclared,
    UnconfiguredInstanceAnswers,
)
from plugwright_conformance.checks._errors import (
    EveryFaultEndsWell,
    OnlyConnectErrors,
    UnreachableIsExplained,
)
from plugwright_conformance.checks._lifecycle import (
    EmptyBatchesAreAccepted,
    IdlePollIsCalm,
    StopBeforeStart,
    StopIsIdempotent,
    TaskConfigsStayInBounds,
)
from plugwright_conformance.checks._offsets import (
    FlushMeansDurable,
    ForeignOffsetsAreRefused,
    OffsetsArePlainData,
    PreCommitStaysBelowDurable,
    ResumeFromEveryOffset,
    StoredOffsetsAreAskedFor,
)
from plugwright_conformance.checks._packaging import (
    ClassNameTellsKind,
    DependsOnApiOnly,
    LicenceIsShipped,
    ManifestEntriesLoad,
    SignaturesMatch,
    VersionIsTheDistributions,
)
from plugwright_conformance.checks._poison import (
    PoisonGoesToTheQueue,
    PoisonStopsTheTask,
    ReporterMayBeMissing,
)
from plugwright_conformance.checks._security import SecretsAreTyped
from plugwright_conformance.checks._sink_errors import (
    ConfirmedPrefixOnly,
    FailedPutHoldsFlush,
    OutageIsNoPoison,
    RetriedBatchIsComplete,
)
from plugwright_conformance.checks._source_errors import (
    FailedPollKeepsPosition,
    OutageIsWaitedOut,
    RecoveryNeedsNoRestart,
)
from plugwright_conformance.checks._spark import TasksTravelToExecutors
from plugwright_conformance.checks._types import (
    InputIsNotChanged,
    ReturnedRecordsAreNotReused,
    SinkKeepsBoundaryValues,
    SourceKeepsBoundaryValues,
)
from plugwright_conformance.checks._walk import RandomWalkKeepsInvariants

if TYPE_CHECKING:
    from plugwright_conformance.check import Check

__all__ = ["CHECKS"]

CHECKS: tuple[type[Check], ...] = (
    ManifestEntriesLoad,
    DependsOnApiOnly,
    VersionIsTheDistributions,
    ClassNameTellsKind,
    LicenceIsShipped,
    SignaturesMatch,
    ServiceLoadFindsDeclared,
    ConstructorIsPlain,
    UnconfiguredInstanceAnswers,
    KeysAreDescribed,
    MissingKeysAreReported,
    WrongTypesAreReported,
    ExampleValidates,
    StopIsIdempotent,
    StopBeforeStart,
    IdlePollIsCalm,
    EmptyBatchesAreAccepted,
    SourceKeepsBoundaryValues,
    ReturnedRecordsAreNotReused,
    SinkKeepsBoundaryValues,
    InputIsNotChanged,
    TaskConfigsStayInBounds,
    TasksTravelToExecutors,
    StoredOffsetsAreAskedFor,
    CleanRestartIsExact,
    ResumeFromEveryOffset,
    OffsetsArePlainData,
    TiesAreNotSkipped,
    PartitionsNameTheData,
    ForeignOffsetsAreRefused,
    FlushMeansDurable,
    PreCommitStaysBelowDurable,
    FailedPutHoldsFlush,
    OffsetsOfOwnPartitionsOnly,
    ConfirmedPrefixOnly,
    DeliveryIsComplete,
    TailArrives,
    NothingIsLostAtAnyCrashPoint,
    ExactlyOnceAtEveryCrashPoint,
    RandomWalkKeepsInvariants,
    OnlyConnectErrors,
    UnreachableIsExplained,
    EveryFaultEndsWell,
    OutageIsWaitedOut,
    RecoveryNeedsNoRestart,
    FailedPollKeepsPosition,
    RetriedBatchIsComplete,
    PoisonGoesToTheQueue,
    PoisonStopsTheTask,
    ReporterMayBeMissing,
    OutageIsNoPoison,
    ProcessLossLosesNothing,
    CleanWorkerStop,
    SecretsAreTyped,
)
"""Every check."""
