"""Bringing manifests into line with the plugins that are there: ``sync-manifests``."""

from __future__ import annotations

from plugwright_toolkit.manifests._disk import Disk
from plugwright_toolkit.manifests._editing import Line, edit_manifest
from plugwright_toolkit.manifests._record import edit_record
from plugwright_toolkit.manifests._report import render_text, to_json
from plugwright_toolkit.manifests._sync import sync_manifests
from plugwright_toolkit.manifests._values import (
    Action,
    Change,
    LocationOutcome,
    LocationPlan,
    State,
    SyncOptions,
    SyncResult,
    UnitPlan,
)

__all__ = [
    "Action",
    "Change",
    "Disk",
    "Line",
    "LocationOutcome",
    "LocationPlan",
    "State",
    "SyncOptions",
    "SyncResult",
    "UnitPlan",
    "edit_manifest",
    "edit_record",
    "render_text",
    "sync_manifests",
    "to_json",
]
