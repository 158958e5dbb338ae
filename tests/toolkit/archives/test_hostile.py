"""Archives that two readers would understand differently are refused (the study's 118 to 125)."""

from __future__ import annotations

import struct
import warnings
import zipfile
import zlib

import pytest
from tests.toolkit.archives import samples

from plugwright_toolkit.archives import ArtifactError, open_artifact, rewrite, verify_record

LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
DESCRIPTOR, END64, LOCATOR64 = b"PK\x07\x08", b"PK\x06\x06", b"PK\x06\x07"


def _two(path, **options):
    return samples.pack(path, [("a.py", b"x" * 50), ("b.py", b"y" * 50)], **options)


def _refusal(path):
    with pytest.raises(ArtifactError) as caught:
        open_artifact(path)
    return caught.value


@pytest.mark.parametrize(
    "name",
    ["../x", "a/../../x", "/x", "C:\\x", "a\\..\\b", "a\x1bb", "a//b", "./a", "A.PY", "cafe\u0301"],
    ids=ascii,
)
def test_a_dangerous_name_is_refused(tmp_path, name):
    """Cases 118 and 125: names that lead elsewhere, or are another's on some file systems."""
    members = [("a.py", b""), ("caf\u00e9", b""), (name, b"")]

    assert _refusal(samples.pack(tmp_path / "a.zip", members)).code == "archive.unsafe-name"


def test_directories_that_differ_in_case_are_refused(tmp_path):
    """Case 125."""
    members = [("Pkg/a.py", b""), ("pkg/b.py", b"")]

    assert _refusal(samples.pack(tmp_path / "a.zip", members)).code == "archive.unsafe-name"


def _link(path):
    samples.pack(path, [(samples.info("x", mode=0o120777), b"/etc/passwd")])


def _device(path):
    samples.pack(path, [(samples.info("x", mode=0o020666), b"")])


def _twice(path):
    samples.pack(path, [("entry_points.txt", b"a"), ("entry_points.txt", b"b")])


def _file_and_directory(path):
    samples.pack(path, [("a", b""), ("a/b", b"")])


def _renamed(path):
    samples.patched(_two(path), LOCAL, 30, b"c.py")


def _encrypted(path):
    samples.patched(_two(path), CENTRAL, 8, b"\x01")


def _encrypted_inside(path):
    samples.patched(_two(path), LOCAL, 6, b"\x01")


def _patched(path):
    """Flag 5, compressed patched data, which few readers know."""
    for marker, offset in ((LOCAL, 6), (CENTRAL, 8)):
        samples.patched(path if path.exists() else _two(path), marker, offset, b"\x20")


def _unusual(path):
    samples.pack(path, [(samples.info("x", method=zipfile.ZIP_BZIP2), b"x")])


def _other_method(path):
    samples.patched(_two(path), LOCAL, 8, bytes(2))


def _other_checksum(path):
    samples.patched(_two(path), LOCAL, 14, b"1234")


def _other_packed_size(path):
    samples.patched(_two(path), LOCAL, 18, b"\x01\0\0\0")


def _other_size(path):
    samples.patched(_two(path), LOCAL, 22, b"\x01\0\0\0")


def _overlapping(path):
    samples.patched(_two(path), CENTRAL, 42, bytes(4), occurrence=1)


def _nested(path):
    """A member within the stored bytes of another."""
    inner = path.with_name("inner")
    start = samples.pack(inner, [("b.py", b"y")]).read_bytes()
    samples.pack(path, [(samples.info("a.py", method=zipfile.ZIP_STORED), start), ("b.py", b"y")])
    samples.patched(path, CENTRAL, 42, struct.pack("<I", 34), occurrence=2)


def _preceded(path):
    _two(path, prefix=b"#!/bin/sh\n")


def _followed(path):
    _two(path)
    path.write_bytes(path.read_bytes() + b"more")


def _truncated(path):
    _two(path)
    path.write_bytes(path.read_bytes()[:-30])


def _end_in_comment(path):
    _two(path, comment=END + bytes(30))


def _between(path):
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("a.py", "b.py", "c.py"):
            archive.writestr(name, "x")
        del archive.filelist[1]


def _between_directory_and_end(path):
    _two(path)
    data = path.read_bytes()
    place = data.index(END)
    path.write_bytes(data[:place] + b"hidden" + data[place:])


def _wrong_count(path):
    samples.patched(_two(path), END, 8, b"\x01\0\x01\0")


def _several_volumes(path):
    samples.patched(_two(path), END, 4, b"\x01\0\x01\0")


def _on_another_volume(path):
    samples.patched(_two(path), CENTRAL, 34, b"\x01")


def _unmarked_name(path):
    samples.pack(path, [("caf\u00e9", b"")])
    samples.patched(path, LOCAL, 7, b"\0")
    samples.patched(path, CENTRAL, 9, b"\0")


def _undecodable_name(path):
    samples.pack(path, [("caf\u00e9", b"")])
    path.write_bytes(path.read_bytes().replace("\u00e9".encode(), b"\xff\xff"))


def _directory_with_contents(path):
    member = samples.info("x/", method=zipfile.ZIP_STORED)
    samples.pack(path, [(member, b"hidden")])


def _two_names(path):
    member = samples.info("a.py")
    member.extra = struct.pack("<2HBI", 0x7075, 9, 1, 0) + b"b.py"
    samples.pack(path, [(member, b"")])


def _two_sizes(path):
    member = samples.info("a.py")
    member.extra = struct.pack("<2HQ", 1, 8, 1) * 2
    samples.pack(path, [(member, b"")])


def _broken_extra(path):
    member = samples.info("a.py")
    member.extra = struct.pack("<2H", 9, 99)
    samples.pack(path, [(member, b"")])


def _without_descriptor(path):
    """The bytes behind the first member are no descriptor."""
    samples.patched(_two(path, stream=True), DESCRIPTOR, 0, b"abcd")


def _wrong_descriptor(path):
    samples.patched(_two(path, stream=True), DESCRIPTOR, 4, b"abcd")


def _wrong_header_before_descriptor(path):
    samples.patched(_two(path, stream=True), LOCAL, 22, b"\x01\0\0\0")


def _long_descriptor(path):
    """A byte more behind it, which the directory and the end of the archive allow for."""
    data = _two(path, stream=True).read_bytes()
    place = data.index(LOCAL, 4)
    path.write_bytes(data[:place] + b"!" + data[place:])
    samples.patched(path, CENTRAL, 42, struct.pack("<I", place + 1), occurrence=1)
    start = path.read_bytes().index(CENTRAL)
    samples.patched(path, END, 16, struct.pack("<I", start))


def _text(path):
    path.write_text("no archive")


def _empty(path):
    path.touch()


def _preceded_and_empty(path):
    samples.pack(path, [], prefix=b"text")


HOSTILE = [
    _link,
    _device,
    _twice,
    _file_and_directory,
    _renamed,
    _encrypted,
    _encrypted_inside,
    _unusual,
    _patched,
    _other_method,
    _other_checksum,
    _other_packed_size,
    _other_size,
    _overlapping,
    _nested,
    _preceded,
    _followed,
    _truncated,
    _end_in_comment,
    _between,
    _between_directory_and_end,
    _wrong_count,
    _several_volumes,
    _on_another_volume,
    _unmarked_name,
    _undecodable_name,
    _directory_with_contents,
    _two_names,
    _two_sizes,
    _broken_extra,
    _without_descriptor,
    _wrong_descriptor,
    _wrong_header_before_descriptor,
    _long_descriptor,
    _text,
    _empty,
    _preceded_and_empty,
]


@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__[1:])
def test_an_ambiguous_archive_is_refused(tmp_path, make):
    """Cases 119 to 121 and 124; neither is it rewritten."""
    path, target = tmp_path / "a.zip", tmp_path / "b.zip"
    make(path)

    assert _refusal(path).code == "archive.invalid"
    with pytest.raises(ArtifactError):
        rewrite(path, {}, target)
    assert not target.exists()


def test_only_a_zip_application_may_begin_with_its_interpreter(tmp_path):
    """And with nothing but what begins like one."""
    assert open_artifact(_two(tmp_path / "a.pyz", prefix=b"#!/usr/bin/env python3\n")).names
    assert _refusal(_two(tmp_path / "b.pyz", prefix=b"MZ")).code == "archive.invalid"


def _large_end(path, members=(("a.py", b"x"),)):
    """An archive with the ZIP64 records that a large one has."""
    samples.pack(path, members)
    data = path.read_bytes()
    place, start = data.index(END), data.index(CENTRAL)
    counts = len(members), len(members), place - start, start
    record = END64 + struct.pack("<Q2H2I4Q", 44, 45, 45, 0, 0, *counts)
    locator = LOCATOR64 + struct.pack("<IQI", 0, place, 1)
    path.write_bytes(data[:place] + record + locator + data[place:])
    return path


def test_large_records_that_are_not_needed_are_read(tmp_path):
    """Some tools always write them; case 107."""
    assert list(open_artifact(_large_end(tmp_path / "a.zip")).names) == ["a.py"]


@pytest.mark.parametrize(
    ("marker", "offset", "data"),
    [
        (END64, 4, b"\x2d"),
        (END64, 24, b"\x02"),
        (END64, 32, b"\x02"),
        (END64, 48, b"\x01"),
        (LOCATOR64, 0, b"P?"),
        (LOCATOR64, 8, b"\x01"),
        (LOCATOR64, 16, b"\x02"),
        (END, 8, b"\x02"),
        (END, 16, b"\x01"),
    ],
    ids=["size", "count", "total", "offset", "name", "place", "disks", "short", "short offset"],
)
def test_large_records_that_contradict_are_refused(tmp_path, marker, offset, data):
    """Some readers take one, some the other."""
    path = samples.patched(_large_end(tmp_path / "a.zip"), marker, offset, data)

    assert _refusal(path).code == "archive.invalid"


def test_a_bomb_is_refused_unopened(tmp_path, monkeypatch):
    """Case 123: zeros without end in METADATA, by what the directory says."""
    path = samples.pack(tmp_path / "a.zip", [("METADATA", bytes(3 << 20))])
    monkeypatch.delattr(zlib, "decompressobj")

    assert _refusal(path).code == "archive.bomb"


def test_a_bomb_that_lies_stops_where_it_lied(tmp_path):
    """A member that unpacks to more than headers and directory say."""
    path = samples.wheel(tmp_path, {"a.bin": bytes(900_000)})
    for marker, offset in ((LOCAL, 22), (CENTRAL, 24)):
        samples.patched(path, marker, offset, struct.pack("<I", 9))

    with pytest.raises(ArtifactError, match=r"a\.bin is damaged: its checksum or size is wrong"):
        open_artifact(path).read("a.bin")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_damaged_member_is_refused_when_it_is_read(tmp_path, method):
    """Its checksum tells."""
    path = samples.pack(tmp_path / "a.zip", [(samples.info("a.py", method=method), b"0123456789")])
    samples.patched(path, b"a.py", 6, b"\xff")

    with pytest.raises(ArtifactError) as caught:
        open_artifact(path).read("a.py")

    assert caught.value.code == "archive.invalid"


def test_bytes_behind_the_end_of_packed_bytes_are_refused(tmp_path):
    """Readers that stop at the end of the stream never see them."""
    path = tmp_path / "a.zip"
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        member = samples.info("a.py", method=zipfile.ZIP_STORED)
        archive.writestr(member, b"\x03\x00hidden")
    for marker, offset in ((LOCAL, 0), (CENTRAL, 2)):
        samples.patched(path, marker, offset + 8, b"\x08")
        samples.patched(path, marker, offset + 14, bytes(4))
        samples.patched(path, marker, offset + 22, bytes(4))

    with pytest.raises(
        ArtifactError, match="its packed bytes do not end where its header has their end"
    ):
        open_artifact(path).read("a.py")


@pytest.mark.slow
def test_a_beginning_of_an_archive_is_never_one(tmp_path):
    """Wherever it was cut off; case 124."""
    whole = samples.pack(tmp_path / "whole.zip", [("a.py", b"x"), ("b/c.py", b"y")]).read_bytes()

    def accepted(size):
        path = tmp_path / "a.zip"
        path.write_bytes(whole[:size])
        try:
            return bool(verify_record(open_artifact(path))) or True
        except ArtifactError:
            return False

    assert [size for size in range(len(whole) + 1) if accepted(size)] == [len(whole)]
