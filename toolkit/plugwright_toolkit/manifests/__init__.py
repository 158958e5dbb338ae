"""Synchronises manifests with the plugins of locations: ``sync-manifests``."""

from __future__ import annotations

from plugwright_toolkit.manifests._disk import Disk
from plugwright_toolkit.manifests._report import render_text, to_json
from plugwright_toolkit.manifests._sync import sync_manifests
from plugwright_toolkit.manifests._values import (
    Action,
    LocationOutcome,
    LocationPlan,
    ManifestChange,
    SyncOptions,
    SyncResult,
    SyncState,
    UnitPlan,
)
from plugwright_toolkit.manifests.editing import ManifestLine, edit_manifest

__all__ = [
    "Action",
    "Disk",
    "LocationOutcome",
    "LocationPlan",
    "ManifestChange",
    "ManifestLine",
    "SyncOptions",
    "SyncResult",
    "SyncState",
    "UnitPlan",
    "edit_manifest",
    "render_text",
    "sync_manifests",
    "to_json",
]
