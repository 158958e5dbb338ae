"""Discovers the plugins on a plugin path without running any of them in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.late import late_names
from plugwright.plugins._conflicts import (
    Composition,
    Conflict,
    compose,
    conflicts,
    partition,
)
from plugwright.plugins._declared_version import declared_version, module_version
from plugwright.plugins._descriptor import PluginDescriptor
from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel, printable
from plugwright.plugins._loading import import_from, load_class
from plugwright.plugins._location import FollowSymlinks, Location, LocationKind
from plugwright.plugins._mode import DiscoveryMode
from plugwright.plugins._plugin_path import find_locations, location_at, locations_on
from plugwright.plugins._plugins import Plugins
from plugwright.plugins._reference import ClassReference
from plugwright.plugins._requirement import VersionRequirement
from plugwright.plugins._service_load import service_load
from plugwright.plugins._types import (
    CONFIG_PROVIDER,
    CONVERTER,
    HEADER_CONVERTER,
    NAMED_BY_CONNECTORS,
    OVERRIDE_POLICY,
    PLUGIN_TYPES,
    PREDICATE,
    REST_EXTENSION,
    SINK,
    SOURCE,
    TRANSFORMATION,
    PluginType,
)
from plugwright.plugins.java_names import JAVA_NAMES
from plugwright.plugins.landlock import confinement
from plugwright.plugins.manifest import (
    ManifestEntry,
    ManifestProblem,
    foreign_problems,
    read_manifest,
)
from plugwright.plugins.reading import read_regular

if TYPE_CHECKING:
    from plugwright.plugins._archive import (
        ArchiveError,
        checked_members,
        local_header,
        raw_name,
    )
    from plugwright.plugins._in_use import hold, in_use_lock, lock_file
    from plugwright.plugins._owners import Owner, Owners, module_key
    from plugwright.plugins._record import RecordRow, record_rows
    from plugwright.plugins._remedy import is_refused, is_removable
    from plugwright.plugins._scan import ScanState, ScanVerdict, scan
    from plugwright.plugins._sources import host_roots
    from plugwright.plugins._survey import Survey, survey
    from plugwright.plugins._surveyed import ABSENT_REASONS, SurveyedPlugin, stale_entry
    from plugwright.plugins.children import ConfirmLimits
    from plugwright.plugins.confirming import Confirmed, confirm

__all__ = [
    "ABSENT_REASONS",
    "CONFIG_PROVIDER",
    "CONVERTER",
    "HEADER_CONVERTER",
    "JAVA_NAMES",
    "NAMED_BY_CONNECTORS",
    "OVERRIDE_POLICY",
    "PLUGIN_TYPES",
    "PREDICATE",
    "REST_EXTENSION",
    "SINK",
    "SOURCE",
    "TRANSFORMATION",
    "ArchiveError",
    "ClassReference",
    "Composition",
    "ConfirmLimits",
    "Confirmed",
    "Conflict",
    "Diagnostic",
    "DiagnosticLevel",
    "DiscoveryMode",
    "FollowSymlinks",
    "Location",
    "LocationKind",
    "ManifestEntry",
    "ManifestProblem",
    "Owner",
    "Owners",
    "PluginDescriptor",
    "PluginType",
    "Plugins",
    "RecordRow",
    "ScanState",
    "ScanVerdict",
    "Survey",
    "SurveyedPlugin",
    "VersionRequirement",
    "checked_members",
    "compose",
    "confinement",
    "confirm",
    "conflicts",
    "declared_version",
    "find_locations",
    "foreign_problems",
    "hold",
    "host_roots",
    "import_from",
    "in_use_lock",
    "is_refused",
    "is_removable",
    "load_class",
    "local_header",
    "location_at",
    "locations_on",
    "lock_file",
    "module_key",
    "module_version",
    "partition",
    "printable",
    "raw_name",
    "read_manifest",
    "read_regular",
    "record_rows",
    "scan",
    "service_load",
    "stale_entry",
    "survey",
]

# Reading manifests must not pay for the imports of scans and child processes.
__getattr__ = late_names(
    __name__,
    {
        "ABSENT_REASONS": "._surveyed",
        "ArchiveError": "._archive",
        "ConfirmLimits": ".children",
        "Confirmed": ".confirming",
        "Owner": "._owners",
        "Owners": "._owners",
        "RecordRow": "._record",
        "ScanState": "._scan",
        "Survey": "._survey",
        "SurveyedPlugin": "._surveyed",
        "ScanVerdict": "._scan",
        "checked_members": "._archive",
        "confirm": ".confirming",
        "hold": "._in_use",
        "host_roots": "._sources",
        "in_use_lock": "._in_use",
        "is_refused": "._remedy",
        "is_removable": "._remedy",
        "local_header": "._archive",
        "lock_file": "._in_use",
        "module_key": "._owners",
        "raw_name": "._archive",
        "record_rows": "._record",
        "scan": "._scan",
        "stale_entry": "._surveyed",
        "survey": "._survey",
    },
)
