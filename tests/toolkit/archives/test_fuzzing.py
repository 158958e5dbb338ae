"""Mutated archives end in a refusal or a right copy, never in another exception."""

from __future__ import annotations

import random
import zipfile

import pytest
from tests.toolkit.archives import samples
from tests.toolkit.archives.samples import RECORD, WHEEL, with_manifest

from plugwright.errors import ConnectError
from plugwright_toolkit.archives import open_artifact, rewrite, verify_record

ROUNDS = 1_000
SIGNATURES = [
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"PK\x07\x08",
    b"PK\x06\x06",
    b"PK\x06\x07",
]


def _flip(chance, data):
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _saturate(chance, data):
    place = chance.randrange(len(data))
    data[place : place + 4] = chance.choice([b"\xff" * 4, bytes(4), b"\xff\xff\xff\x7f"])


def _cut(chance, data):
    place = chance.randrange(len(data))
    del data[place : place + chance.randint(1, 40)]


def _double(chance, data):
    place = chance.randrange(len(data))
    data[place:place] = data[place : place + chance.randint(1, 80)]


def _splice(chance, data):
    place = chance.randrange(len(data))
    data[place:place] = chance.choice(SIGNATURES) + chance.randbytes(chance.randint(0, 60))


def _near_signature(chance, data):
    """Change a field of a header, where it matters most."""
    places = [n for n in range(len(data)) if data[n : n + 2] == b"PK"]
    place = chance.choice(places) + chance.randint(4, 45)
    data[place : place + 1] = chance.randbytes(1)


MUTATIONS = [_flip, _saturate, _cut, _double, _splice, _near_signature, _near_signature]


def _mutant(chance, source):
    data = bytearray(source)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        chance.choice(MUTATIONS)(chance, data)
    return bytes(data)


def _sources(directory):
    """A plain, a streamed and a commented wheel."""
    yield samples.wheel(directory).read_bytes()
    yield samples.wheel(directory, stream=True).read_bytes()
    yield samples.wheel(directory, comment=b"PK comment", extra=[("größe/x.py", b"x")]).read_bytes()


def _violations(path, target):
    """What a caller would have to complain about, if it does not end in a `ConnectError`."""
    before = path.read_bytes()
    target.unlink(missing_ok=True)
    try:
        verify_record(open_artifact(path))
        rewrite(path, with_manifest(), target)
        with zipfile.ZipFile(target) as archive:
            archive.read(RECORD)
            lost = set(open_artifact(path).names) - set(archive.namelist())
        if lost:
            return f"{lost} were lost"
    except ConnectError:
        pass
    except Exception as error:  # noqa: BLE001  # what the test is about
        return repr(error)
    return "" if path.read_bytes() == before else "the original was changed"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2], ids=["plain", "streamed", "commented"])
def test_a_mutated_wheel_never_ends_in_another_exception(tmp_path, seed):
    """A thousand of each kind; the failing round can be repeated by its number."""
    source = list(_sources(tmp_path))[seed]
    path, target = tmp_path / WHEEL, tmp_path / "target"
    found = {}
    for number in range(ROUNDS):
        chance = random.Random(f"{seed}/{number}")  # noqa: S311  # repeatable
        path.write_bytes(_mutant(chance, source))
        if violation := _violations(path, target):
            found[number] = violation

    assert found == {}


@pytest.mark.slow
def test_an_accepted_mutant_is_read_alike_by_zipfile(tmp_path):
    """What passes verification has, for another reader, the same files with the same contents."""
    (source, *_), path = list(_sources(tmp_path)), tmp_path / "a.zip"
    different = []
    for number in range(ROUNDS):
        path.write_bytes(_mutant(random.Random(number), source))  # noqa: S311  # repeatable
        try:
            opened = open_artifact(path)
            ours = {name: opened.read(name) for name in opened.names}
        except ConnectError:
            continue
        try:
            with zipfile.ZipFile(path) as archive:
                theirs = {name: archive.read(name) for name in archive.namelist()}
        except Exception as error:  # noqa: BLE001  # zipfile raises many kinds
            theirs = error
        if ours != theirs:
            different.append((number, theirs))

    assert different == []
