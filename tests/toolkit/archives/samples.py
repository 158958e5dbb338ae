"""Archives to be read and rewritten, made with zipfile alone."""

from __future__ import annotations

import base64
import hashlib
import io
import struct
import warnings
import zipfile

METADATA = "shop-1.0.dist-info"
MANIFEST = f"{METADATA}/entry_points.txt"
RECORD = f"{METADATA}/RECORD"
WHEEL = "shop-1.0-py3-none-any.whl"
DATE = (2024, 5, 6, 7, 8, 10)
RECORD_DATE = (2023, 1, 2, 3, 4, 6)
FILES = {
    "shop/__init__.py": b"import plugwright\n" * 20,
    "shop/data.bin": bytes(range(256)),
    f"{METADATA}/METADATA": b"Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n",
    f"{METADATA}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
ENTRIES = b"[plugwright.SinkConnector]\na = shop:ShopSinkConnector\n"


class Stream(io.RawIOBase):
    """A file that cannot seek, so that zipfile puts sizes into data descriptors."""

    def __init__(self, file):
        self._file = file

    def writable(self):
        """It is written only."""
        return True

    def write(self, data):
        """Append the data."""
        return self._file.write(data)


def row(name, data, algorithm="sha256"):
    """A line of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.new(algorithm, data).digest()).rstrip(b"=")
    return f"{name},{algorithm}={digest.decode()},{len(data)}\n"


def record(files):
    """A RECORD that lists files and itself."""
    return ("".join(row(name, data) for name, data in files.items()) + f"{RECORD},,\n").encode()


def info(name, date=DATE, mode=0o100644, method=zipfile.ZIP_DEFLATED):
    """The header of a member."""
    made = zipfile.ZipInfo(name, date)
    made.external_attr = mode << 16
    made.compress_type = method
    return made


def pack(path, members, comment=b"", prefix=b"", stream=False):
    """An archive of these headers or names and contents."""
    with path.open("wb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file.write(prefix)
        with zipfile.ZipFile(Stream(file) if stream else file, "w") as archive:
            archive.comment = comment
            for member, data in members:
                archive.writestr(
                    member if isinstance(member, zipfile.ZipInfo) else info(member), data
                )
    return path


def wheel(directory, files=FILES, name=WHEEL, extra=(), **options):
    """A wheel that is right; `extra` members are not listed in its RECORD."""
    lines = info(RECORD, RECORD_DATE), record(files)
    return pack(directory / name, [*files.items(), *extra, lines], **options)


def with_manifest(files=FILES):
    """The changes that give a wheel a manifest."""
    return {MANIFEST: ENTRIES, RECORD: record(files | {MANIFEST: ENTRIES})}


def packed(path):
    """Header fields, local header and packed bytes of each member, by zipfile's offsets."""
    data, found = path.read_bytes(), {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            start = member.header_offset
            names = sum(struct.unpack_from("<2H", data, start + 26))
            body = start + 30 + names
            found[member.filename] = (data[start:body], data[body : body + member.compress_size])
    return found


def directory_of(path):
    """What zipfile reads of each member, but for its place."""
    with zipfile.ZipFile(path) as archive:
        return {
            member.filename: (
                member.date_time,
                member.external_attr,
                member.internal_attr,
                member.create_system,
                member.compress_type,
                member.comment,
                member.extra,
                member.CRC,
                member.file_size,
            )
            for member in archive.infolist()
        }


def patched(path, marker, offset, data, occurrence=0):
    """Overwrite bytes behind an occurrence of a signature."""
    content = bytearray(path.read_bytes())
    place = -1
    for _ in range(occurrence + 1):
        place = content.index(marker, place + 1)
    content[place + offset : place + offset + len(data)] = data
    path.write_bytes(content)
    return path
