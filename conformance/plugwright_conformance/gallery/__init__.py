"""Generates a static site of valid certificates, for example for a partner programme."""

from __future__ import annotations

from plugwright_conformance.gallery._collect import collect
from plugwright_conformance.gallery._entry import GalleryEntry, LeftOut, Publisher
from plugwright_conformance.gallery._site import write_gallery

__all__ = ["GalleryEntry", "LeftOut", "Publisher", "collect", "write_gallery"]
