"""What opening an archive tells, and whom it turns away."""

from __future__ import annotations

import os
import zipfile

import pytest
from tests.toolkit.archives import samples
from tests.toolkit.archives.samples import MANIFEST, METADATA, RECORD, WHEEL

from plugwright.errors import ConnectError, NotFoundError, render
from plugwright.plugins import LocationKind
from plugwright_toolkit.archives import ArtifactError, open_artifact, require_unsigned


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (WHEEL, LocationKind.WHEEL),
        (WHEEL.replace(".whl", ".WHL"), LocationKind.WHEEL),
        ("shop.zip", LocationKind.ZIP),
        ("shop.pyz", LocationKind.PYZ),
        ("shop.egg", LocationKind.EGG),
    ],
)
def test_the_kind_follows_from_the_name(tmp_path, name, kind):
    """In whatever case it is written."""
    opened = open_artifact(samples.wheel(tmp_path, name=name))

    assert (opened.kind, opened.metadata_directory) == (kind, METADATA)
    assert (opened.signed, opened.is_pex_or_shiv) == ([], False)


def test_names_are_files_in_the_order_of_their_bytes(tmp_path):
    """Directories are left out."""
    members = [("b/", b""), ("b/x", b"1"), ("a", b"2")]

    opened = open_artifact(samples.pack(tmp_path / "a.zip", members))

    assert list(opened.names) == ["b/x", "a"]


@pytest.mark.parametrize("stream", [False, True], ids=["sizes before", "sizes behind"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_file_is_read(tmp_path, method, stream):
    """Packed or stored, larger than what is read at a time; case 108."""
    data = bytes(range(256)) * 3000 + b"end"
    path = samples.pack(
        tmp_path / "a.zip", [(samples.info("x", method=method), data)], stream=stream
    )

    assert open_artifact(path).read("x") == data


def test_an_empty_file_is_read(tmp_path):
    """A deflated member of no bytes."""
    assert open_artifact(samples.pack(tmp_path / "a.zip", [("x", b"")])).read("x") == b""


@pytest.mark.parametrize("name", ["nothing", "b/"])
def test_a_file_that_is_not_there_is_not_found(tmp_path, name):
    """Nor is a directory a file."""
    opened = open_artifact(samples.pack(tmp_path / "a.zip", [("b/", b"")]))

    with pytest.raises(NotFoundError, match=f"a.zip has no member '{name}'") as caught:
        opened.read(name)

    assert caught.value.code == "archive.member-missing"


def test_a_manifest_of_more_than_a_mebibyte_is_not_read(tmp_path):
    """As the runtime reads none; case 123."""
    opened = open_artifact(samples.wheel(tmp_path, extra=[(MANIFEST, os.urandom((1 << 20) + 1))]))

    with pytest.raises(ArtifactError, match="1048577 bytes, at most 1048576 are read") as caught:
        opened.read(MANIFEST)

    assert caught.value.code == "archive.bomb"


def test_an_archive_without_metadata_has_none(tmp_path):
    """Such as plain code."""
    assert (
        open_artifact(samples.pack(tmp_path / "a.zip", [("a.py", b"")])).metadata_directory is None
    )


def test_an_egg_has_its_own_metadata_directory(tmp_path):
    """Called EGG-INFO; case 112."""
    path = samples.pack(tmp_path / "shop.egg", [("EGG-INFO/PKG-INFO", b"Name: shop\n")])

    assert open_artifact(path).metadata_directory == "EGG-INFO"


@pytest.mark.parametrize("name", [WHEEL, "shop.zip", "shop.pyz"])
def test_two_metadata_directories_are_refused(tmp_path, name):
    """Whose manifest would be changed is not guessed; case 122."""
    path = samples.wheel(tmp_path, name=name, extra=[("other-2.dist-info/METADATA", b"")])

    with pytest.raises(
        ArtifactError, match=r"it has 2 metadata directories: other-2\.dist-info, sho"
    ):
        open_artifact(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("other-1.0-py3-none-any.whl", "metadata of other 1.0, it has shop-1.0.dist-info"),
        ("shop-1.1-py3-none-any.whl", "metadata of shop 1.1, it has shop-1.0.dist-info"),
        ("shop.whl", "a wheel is not called like that: Invalid wheel filename"),
    ],
)
def test_a_wheel_with_the_metadata_of_another_is_refused(tmp_path, name, text):
    """Its file name says what it holds."""
    with pytest.raises(ArtifactError, match=text):
        open_artifact(samples.wheel(tmp_path, name=name))


@pytest.mark.parametrize(
    "name",
    ["Shop-1.0-py3-none-any.whl", "shop-1.0.0-py3-none-any.whl", "shop-1.0-7x-py3-none-any.whl"],
)
def test_a_wheel_may_spell_its_name_in_another_way(tmp_path, name):
    """Names and versions are compared normalized (PEP 503, PEP 440)."""
    assert open_artifact(samples.wheel(tmp_path, name=name)).metadata_directory == METADATA


def test_a_wheel_without_metadata_is_refused(tmp_path):
    """It is none."""
    with pytest.raises(ArtifactError, match=r"asks for metadata of shop 1\.0, it has none"):
        open_artifact(samples.pack(tmp_path / WHEEL, [("a.py", b"")]))


@pytest.mark.parametrize("name", ["RECORD.jws", "RECORD.p7s"])
def test_a_signature_inside_is_seen(tmp_path, name):
    """Case 105."""
    opened = open_artifact(samples.wheel(tmp_path, extra=[(f"{METADATA}/{name}", b"s")]))

    assert list(opened.signed) == [f"{METADATA}/{name}"]


@pytest.mark.parametrize(
    "suffix",
    [".asc", ".sigstore", ".sigstore.json", ".attestation", ".publish.attestation", ".provenance"],
)
def test_a_signature_beside_is_seen(tmp_path, suffix):
    """Case 106; that of a neighbour does not count."""
    path = samples.wheel(tmp_path)
    (tmp_path / f"{WHEEL}{suffix}").touch()
    (tmp_path / f"other.whl{suffix}").touch()

    assert list(open_artifact(path).signed) == [f"{WHEEL}{suffix}"]


def test_what_lies_beside_and_signs_nothing_does_not_count(tmp_path):
    """Such as the metadata that an index serves."""
    path = samples.wheel(tmp_path)
    (tmp_path / f"{WHEEL}.metadata").touch()

    require_unsigned(open_artifact(path))

    assert list(open_artifact(path).signed) == []


@pytest.mark.parametrize(
    "names",
    [
        ["PEX-INFO"],
        ["environment.json", "site-packages/x.py"],
        ["environment.json", "_bootstrap/a"],
    ],
    ids=["pex", "shiv", "shiv without packages"],
)
def test_pex_and_shiv_are_reported_apart(tmp_path, names):
    """From what their start-up code needs; case 110."""
    path = samples.pack(tmp_path / "a.pyz", [(name, b"") for name in names])

    assert open_artifact(path).is_pex_or_shiv


@pytest.mark.parametrize("names", [["environment.json"], ["x/PEX-INFO", "site-packages/y"]])
def test_other_applications_are_neither(tmp_path, names):
    """One name alone says nothing."""
    path = samples.pack(tmp_path / "a.pyz", [(name, b"") for name in names])

    assert not open_artifact(path).is_pex_or_shiv


def _absent(path):
    pass


@pytest.mark.parametrize(
    ("make", "name", "code"),
    [
        (os.mkfifo, "a.whl", "archive.unsupported"),
        (os.mkdir, "a.zip", "archive.unsupported"),
        (samples.pack, "a.pex", "archive.unsupported"),
        (samples.pack, "a.tar", "archive.unsupported"),
        (_absent, "a.whl", "archive.unreadable"),
    ],
    ids=["pipe", "directory", "pex", "tar", "nothing"],
)
def test_what_is_no_archive_is_turned_away(tmp_path, make, name, code):
    """Without waiting for a writer."""
    arguments = ([],) if make is samples.pack else ()
    make(tmp_path / name, *arguments)

    with pytest.raises(ArtifactError) as caught:
        open_artifact(tmp_path / name)

    assert caught.value.code == code


def test_an_archive_that_was_replaced_is_noticed(tmp_path):
    """Even by one of the same size and date."""
    opened = open_artifact(samples.wheel(tmp_path))
    date = opened.path.stat().st_mtime_ns
    opened.path.rename(tmp_path / "old")
    os.utime(samples.wheel(tmp_path), ns=(date, date))

    with pytest.raises(ArtifactError, match="was replaced or changed while it was read") as caught:
        opened.read(RECORD)

    assert caught.value.code == "archive.changed"


def test_an_archive_that_is_written_while_it_is_read_is_noticed(tmp_path):
    """At the end of the reading at the latest."""
    opened = open_artifact(samples.wheel(tmp_path))

    with pytest.raises(ArtifactError, match="was replaced or changed"), opened.opened():
        opened.path.write_bytes(b"other")


def _signed(path):
    (path / f"{WHEEL}.asc").touch()
    require_unsigned(open_artifact(samples.wheel(path)))


def _other(path):
    open_artifact(path / "shop.tar")


def _gone(path):
    open_artifact(path / "shop.zip")


def _text(path):
    (path / "shop.zip").write_text("text")
    open_artifact(path / "shop.zip")


AGAIN = "build it again with a current tool, or take it again from where it was published"
TEXTS = {
    _signed: f"archive.signed: {WHEEL} is signed and is left alone: {WHEEL}.asc would no longer "
    "match it\n  → ask its publisher for a manifest, or give up the signature on purpose with "
    "--invalidate-signatures",
    _other: "archive.unreadable: shop.tar cannot be read: No such file or directory\n"
    "  → check that it exists and that this user may read it",
    _gone: "archive.unreadable: shop.zip cannot be read: No such file or directory\n"
    "  → check that it exists and that this user may read it",
    _text: "archive.invalid: shop.zip is not an archive that every reader understands alike: "
    f"File is not a zip file\n  → {AGAIN}",
}


@pytest.mark.parametrize(("cause", "text"), TEXTS.items(), ids=[f.__name__[1:] for f in TEXTS])
def test_a_refusal_says_what_to_do(tmp_path, cause, text):
    """The text that users meet."""
    with pytest.raises(ConnectError) as caught:
        cause(tmp_path)

    assert render(caught.value).replace(f"{tmp_path}/", "") == text
