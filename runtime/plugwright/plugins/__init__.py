"""Discovery: which plugins a plugin path holds, without running any of them in this process."""

from __future__ import annotations

from plugwright.plugins._confirming import Confirmed, ConfirmLimits, confirm
from plugwright.plugins._conflicts import (
    Composition,
    Conflict,
    compose,
    conflicts,
    partition,
)
from plugwright.plugins._descriptor import PluginDescriptor
from plugwright.plugins._diagnostic import Diagnostic, Level
from plugwright.plugins._java_names import JAVA_NAMES
from plugwright.plugins._loading import import_from, load_class
from plugwright.plugins._location import Location, LocationKind, find_locations, locations_on
from plugwright.plugins._manifest import ManifestEntry, ManifestProblem, read_manifest
from plugwright.plugins._mode import DiscoveryMode
from plugwright.plugins._plugins import Plugins
from plugwright.plugins._reference import ClassReference
from plugwright.plugins._scan import State, Verdict, scan
from plugwright.plugins._sources import host_roots
from plugwright.plugins._types import (
    CONFIG_PROVIDER,
    CONVERTER,
    HEADER_CONVERTER,
    PLUGIN_TYPES,
    PREDICATE,
    SINK,
    SOURCE,
    TRANSFORMATION,
    PluginType,
)

__all__ = [
    "CONFIG_PROVIDER",
    "CONVERTER",
    "HEADER_CONVERTER",
    "JAVA_NAMES",
    "PLUGIN_TYPES",
    "PREDICATE",
    "SINK",
    "SOURCE",
    "TRANSFORMATION",
    "ClassReference",
    "Composition",
    "ConfirmLimits",
    "Confirmed",
    "Conflict",
    "Diagnostic",
    "DiscoveryMode",
    "Level",
    "Location",
    "LocationKind",
    "ManifestEntry",
    "ManifestProblem",
    "PluginDescriptor",
    "PluginType",
    "Plugins",
    "State",
    "Verdict",
    "compose",
    "confirm",
    "conflicts",
    "find_locations",
    "host_roots",
    "import_from",
    "load_class",
    "locations_on",
    "partition",
    "read_manifest",
    "scan",
]
