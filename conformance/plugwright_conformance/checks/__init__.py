"""The checks of this suite, in the order of a run. Adding one is one class here and one mutant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.checks._assignments import (
    OffsetsOfOwnPartitionsOnly,
    PartitionsNameTheData,
    TiesAreNotSkipped,
)
from plugwright_conformance.checks._canaries import (
    NoSecretInOffsets,
    NoSecretLeaves,
    SecretsAreMasked,
    UrlCredentialsAreMasked,
)
from plugwright_conformance.checks._capabilities import (
    DeclarationStaysAsShipped,
    DeclaredIsProved,
    UndeclaredIsRefused,
)
from plugwright_conformance.checks._config import (
    ExampleValidates,
    KeysAreDescribed,
    MissingKeysAreReported,
    WrongTypesAreReported,
)
from plugwright_conformance.checks._contents import (
    BytesStayAsInstalled,
    EveryPluginIsDeclared,
    HelpersAreNotExposed,
    ImportHasNoSideEffect,
    InstallsAlone,
    OwnNamespacesOnly,
)
from plugwright_conformance.checks._crashes import (
    ExactlyOnceAtEveryCrashPoint,
    NothingIsLostAtAnyCrashPoint,
)
from plugwright_conformance.checks._cycle import (
    DocumentedOrderWorks,
    RestartInOneProcessIsClean,
)
from plugwright_conformance.checks._definition import (
    AllErrorsAtOnce,
    BoundsHoldAtTheEdge,
    DefaultsAreValid,
    DefinitionIsDeterministic,
    KeysAreNotReserved,
    ValidationHasNoSideEffect,
)
from plugwright_conformance.checks._delivery import (
    CleanRestartIsExact,
    CleanWorkerStop,
    DeliveryIsComplete,
    ProcessLossLosesNothing,
)
from plugwright_conformance.checks._discovery import (
    ConstructorIsPlain,
    ServiceLoadFindsDeclared,
    UnconfiguredInstanceAnswers,
)
from plugwright_conformance.checks._division import (
    AssignmentsAreDisjoint,
    OutputDoesNotMultiply,
)
from plugwright_conformance.checks._documentation import (
    ReadmeSaysWhatItIs,
    SettingsAreGenerated,
)
from plugwright_conformance.checks._errors import (
    EveryFaultEndsWell,
    OnlyConnectErrors,
    UnreachableIsExplained,
)
from plugwright_conformance.checks._headers import HeadersFollowDeclaration
from plugwright_conformance.checks._lifecycle import (
    EmptyBatchesAreAccepted,
    IdlePollIsCalm,
    StopBeforeStart,
    StopIsIdempotent,
    TaskConfigsStayInBounds,
)
from plugwright_conformance.checks._manifests import (
    DrySyncHasNothingToDo,
    ListRowIsRight,
    SyncRestoresManifests,
)
from plugwright_conformance.checks._modes import (
    AllModesAgree,
    HybridFailStarts,
    HybridWarnIsSilent,
    OnlyScanFindsDeclared,
    StrippedCopyBehaves,
)
from plugwright_conformance.checks._observability import (
    FailureShowsItsCause,
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
from plugwright_conformance.checks._quiet import IdleBatchesAreHarmless, TailArrives
from plugwright_conformance.checks._recovery import DriverLossLosesNothing, ReplayLosesNothing
from plugwright_conformance.checks._resources import (
    FailedStartLeaksNothing,
    NoDescriptorSurvives,
    NoThreadSurvives,
    ProcessStateIsLeftAlone,
)
from plugwright_conformance.checks._security import SecretsAreTyped
from plugwright_conformance.checks._sink_errors import (
    ConfirmedPrefixOnly,
    FailedPutHoldsFlush,
    OutageIsNoPoison,
    RetriedBatchIsComplete,
)
from plugwright_conformance.checks._sink_types import (
    AbsenceIsStored,
    FormatMakesNoDifference,
    LogicalTypesAreStored,
    NamesAreData,
    SchemalessValuesAreStored,
    TombstonesFollowPolicy,
    UnsupportedTypesAreRefused,
)
from plugwright_conformance.checks._source_errors import (
    FailedPollKeepsPosition,
    OutageIsWaitedOut,
    RecoveryNeedsNoRestart,
)
from plugwright_conformance.checks._source_types import (
    AbsenceIsDistinguished,
    ConverterMakesNoDifference,
    LogicalTypesArePreserved,
    UnsupportedTypesAreNamed,
    ValuesFitTheirSchema,
)
from plugwright_conformance.checks._spark import TasksTravelToExecutors
from plugwright_conformance.checks._stopping import (
    StartIsBounded,
    StopAfterFailedStart,
    StopFromOwnThread,
    StopReleasesBlockedCall,
)
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
    InstallsAlone,
    EveryPluginIsDeclared,
    ManifestEntriesLoad,
    HelpersAreNotExposed,
    OwnNamespacesOnly,
    DependsOnApiOnly,
    VersionIsTheDistributions,
    ClassNameTellsKind,
    LicenceIsShipped,
    ImportHasNoSideEffect,
    SignaturesMatch,
    ConstructorIsPlain,
    UnconfiguredInstanceAnswers,
    OnlyScanFindsDeclared,
    ServiceLoadFindsDeclared,
    HybridWarnIsSilent,
    HybridFailStarts,
    AllModesAgree,
    StrippedCopyBehaves,
    ListRowIsRight,
    DrySyncHasNothingToDo,
    SyncRestoresManifests,
    DefinitionIsDeterministic,
    KeysAreDescribed,
    DefaultsAreValid,
    MissingKeysAreReported,
    WrongTypesAreReported,
    BoundsHoldAtTheEdge,
    AllErrorsAtOnce,
    ExampleValidates,
    ValidationHasNoSideEffect,
    KeysAreNotReserved,
    SecretsAreTyped,
    ReadmeSaysWhatItIs,
    SettingsAreGenerated,
    DocumentedOrderWorks,
    StopIsIdempotent,
    StopAfterFailedStart,
    StopBeforeStart,
    StopReleasesBlockedCall,
    StopFromOwnThread,
    RestartInOneProcessIsClean,
    StartIsBounded,
    IdlePollIsCalm,
    EmptyBatchesAreAccepted,
    ValuesFitTheirSchema,
    SourceKeepsBoundaryValues,
    LogicalTypesArePreserved,
    AbsenceIsDistinguished,
    UnsupportedTypesAreNamed,
    ReturnedRecordsAreNotReused,
    ConverterMakesNoDifference,
    SinkKeepsBoundaryValues,
    UnsupportedTypesAreRefused,
    LogicalTypesAreStored,
    SchemalessValuesAreStored,
    AbsenceIsStored,
    TombstonesFollowPolicy,
    HeadersFollowDeclaration,
    FormatMakesNoDifference,
    InputIsNotChanged,
    NamesAreData,
    TaskConfigsStayInBounds,
    AssignmentsAreDisjoint,
    OutputDoesNotMultiply,
    NoThreadSurvives,
    NoDescriptorSurvives,
    FailedStartLeaksNothing,
    ProcessStateIsLeftAlone,
    NoSecretLeaves,
    SecretsAreMasked,
    UrlCredentialsAreMasked,
    NoSecretInOffsets,
    FailureShowsItsCause,
    TasksTravelToExecutors,
    ReplayLosesNothing,
    TailArrives,
    IdleBatchesAreHarmless,
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
    DriverLossLosesNothing,
    UndeclaredIsRefused,
    DeclaredIsProved,
    DeclarationStaysAsShipped,
    BytesStayAsInstalled,
)
"""Every check: what causes failures elsewhere before what suffers from it, the last four after all
others, because they judge the run as a whole."""
