"""The shim: a distribution of our own with the manifests of plugins without an editable owner."""

from __future__ import annotations

import io
import zipfile
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_toolkit.record import edit_record

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = "connect_plugin_path_shim"
_VERSION = "1.0.0"
SHIM = f"{_NAME}-{_VERSION}.dist-info"
"""The shim's directory, named like the archive of Kafka's tool."""

SHIM_WHEEL = f"{_NAME}-{_VERSION}-py3-none-any.whl"
"""The shim in a directory of archives."""

_METADATA = f"""\
Metadata-Version: 2.1
Name: connect-plugin-path-shim
Version: {_VERSION}
Summary: Manifests of plugins whose own distributions were not to be changed
""".encode()
_WHEEL = b"""\
Wheel-Version: 1.0
Generator: connect-plugin-path
Root-Is-Purelib: true
Tag: py3-none-any
"""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16


def shim_files(manifest: bytes) -> Mapping[str, bytes]:
    """The files of the shim's directory, RECORD last, by name."""
    files = {
        "METADATA": _METADATA,
        "INSTALLER": b"connect-plugin-path\n",
        "entry_points.txt": manifest,
    }
    return MappingProxyType(_recorded(files))


def shim_members(manifest: bytes) -> Mapping[str, bytes]:
    """The shim's files as members of an archive."""
    return {f"{SHIM}/{name}": data for name, data in shim_files(manifest).items()}


def shim_wheel(manifest: bytes) -> bytes:
    """A wheel that contains only the manifest; reproducible."""
    files = {"METADATA": _METADATA, "WHEEL": _WHEEL, "entry_points.txt": manifest}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _recorded(files).items():
            member = zipfile.ZipInfo(f"{SHIM}/{name}", _EPOCH)
            member.external_attr = _MODE
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, data)
    return out.getvalue()


def _recorded(files: dict[str, bytes]) -> dict[str, bytes]:
    rows = {f"{SHIM}/{name}": data for name, data in files.items()}
    record = edit_record(f"{SHIM}/RECORD,,\n".encode(), rows)
    return {**files, "RECORD": record}
