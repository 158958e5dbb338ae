"""A subject is named by its bytes, and nothing else is taken for it."""

from __future__ import annotations

import hashlib
import zipfile

import pytest
from tests.conformance.certificate.conftest import wheel_bytes

from plugwright.errors import ConnectError
from plugwright_conformance.certificate import matches, name_artifact

# printf 'orders/__init__.py,sha256=<base64 of the digest>\n' | sha256sum
LINE = "51e48b84f93f1e35429384a277700006c0de60722bcc30b6579f5eec947f8d45"


@pytest.fixture
def unpacked(wheel, tmp_path):
    """The wheel as a directory."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    return tmp_path / "unpacked"


def rezipped(tmp_path, **more):
    """A wheel of the same name with other bytes."""
    made = tmp_path / "orders-1.2.0-py3-none-any.whl"
    made.write_bytes(wheel_bytes(**more))
    return made


def test_wheel_is_named_by_its_bytes_and_by_its_record(wheel):
    """The second subject is the digest of the one line that RECORD has of a released file."""
    first, second = name_artifact(wheel)

    assert first.name == "orders-1.2.0-py3-none-any.whl"
    assert dict(first.digest) == {"sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}
    assert (second.name, dict(second.digest)) == ("RECORD", {"sha256": LINE})


def test_directory_is_named_by_gos_hash1(tmp_path):
    """As worked out with sha256sum; what Python caches is no part of it."""
    for name, text in {
        "pkg/__init__.py": "VALUE = 1\n",
        "pkg/__pycache__/i.pyc": "x",
        "a/empty": "",
        "README.md": "read me\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    (subject,) = name_artifact(tmp_path)

    assert dict(subject.digest) == {
        "dirHash": "92b8bc5ad6c1f2975d44ad32373bd61edb48b654f7733dcbd53e2be8f06945f1"
    }


def test_the_same_wheel_matches(wheel):
    """By its bytes."""
    assert matches(name_artifact(wheel), wheel) == ""


def test_wheel_zipped_again_is_another_wheel(wheel, tmp_path):
    """Its files are the same, its bytes are not; the second subject shows the former."""
    other = rezipped(tmp_path, when=(2026, 1, 1, 0, 0, 2))

    assert name_artifact(other)[1] == name_artifact(wheel)[1]
    assert matches(name_artifact(wheel), other).startswith("orders-1.2.0-py3-none-any.whl has")


def test_unpacked_wheel_matches_by_its_record(wheel, unpacked):
    """What an installer adds does not count."""
    (unpacked / "orders-1.2.0.dist-info/INSTALLER").write_text("pip")
    (unpacked / "orders/__pycache__").mkdir()
    (unpacked / "orders/__pycache__/__init__.pyc").write_bytes(b"x")

    assert matches(name_artifact(wheel), unpacked) == ""


@pytest.mark.parametrize(
    "name",
    ["orders/__init__.py", "orders/more.py", "sitecustomize.py"],
    ids=["changed", "added", "added-beside"],
)
def test_unpacked_wheel_with_other_files_does_not_match(wheel, unpacked, name):
    """RECORD is believed only if it tells the truth about every file."""
    (unpacked / name).write_text("VALUE = 2\n")

    assert matches(name_artifact(wheel), unpacked) == (
        "unpacked cannot be compared with the subject orders-1.2.0-py3-none-any.whl"
    )


def test_unpacked_wheel_with_a_rewritten_record_does_not_match(wheel, tmp_path):
    """A RECORD that is true of other files has another digest."""
    with zipfile.ZipFile(rezipped(tmp_path, body=b"VALUE = 2\n")) as archive:
        archive.extractall(tmp_path / "other")

    assert "other has the digest" in matches(name_artifact(wheel), tmp_path / "other")


def test_directory_has_to_be_the_same_to_the_byte(unpacked):
    """A location that was certified is compared by all of its files, not by its RECORD."""
    subjects = name_artifact(unpacked)
    (unpacked / "orders-1.2.0.dist-info/INSTALLER").write_text("pip")

    assert matches(subjects, unpacked).startswith("unpacked has the digest")


def test_wheel_matches_the_location_that_it_was_unpacked_to(wheel, unpacked):
    """By its RECORD."""
    assert matches(name_artifact(unpacked), wheel) == ""


def test_file_that_is_no_archive_is_named_by_its_bytes(tmp_path):
    """Damage ends in a verdict, not in an error."""
    (tmp_path / "x.whl").write_bytes(b"")

    (subject,) = name_artifact(tmp_path / "x.whl")

    assert subject.digest["sha256"].startswith("e3b0c44298fc1c14")


def test_missing_artifact_is_reported(tmp_path):
    """By its path."""
    with pytest.raises(ConnectError, match="nothing cannot be read") as caught:
        matches((), tmp_path / "nothing")

    assert caught.value.code == "certificate.artifact"
