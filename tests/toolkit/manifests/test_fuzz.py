"""Thousands of spoilt manifests and lists of files: nothing is lost, and nothing breaks."""

from __future__ import annotations

import random

import pytest

from plugwright.errors import ConnectError
from plugwright.plugins import PLUGIN_TYPES, read_manifest
from plugwright_toolkit.manifests import ManifestLine, edit_manifest
from plugwright_toolkit.record import edit_record

pytestmark = pytest.mark.slow

GROUPS = [kind.group for kind in PLUGIN_TYPES]
NEW = ManifestLine(GROUPS[1], "shop", "Shop")
MANIFEST = (
    b"# Licence\n[console_scripts]\nrun = shop.cli:main\n\n[plugwright.SinkConnector]\n"
    b"a = shop:A\nb = shop.sinks:B.C\n; note\n[plugwright.Converter]\nc =\n  shop:D\n"
)
NEIGHBOUR = b"\n[plugwright.Predicate]\nneighbour = near:By\n"
RECORD = (
    b'shop.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"a, b.py",,\n'
    b"..\\out.py,md5=x,3\nshop-1.dist-info/entry_points.txt,sha384=x,1\nshop-1.dist-info/RECORD,,\n"
)
LAST = b"zzz.py,sha256=last,7\n"


def _spoilt(data, chance):
    """A few bytes changed, doubled, dropped or moved."""
    spoilt = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(spoilt))
        match chance.randrange(4):
            case 0:
                spoilt[at] = chance.choice(b'\x00\xff[]=#;:" \t\r\n,\\x')
            case 1:
                del spoilt[at : at + chance.randint(1, 12)]
            case 2:
                spoilt[at:at] = spoilt[at : at + chance.randint(1, 12)]
            case _:
                spoilt[at:at] = chance.randbytes(3)
        spoilt = spoilt or bytearray(b"x")
    return bytes(spoilt)


def _edited(data):
    """What the editor makes of it, or the code of its refusal."""
    try:
        return edit_manifest(data, [NEW])
    except ConnectError as error:
        return error.code


@pytest.mark.parametrize("seed", range(5))
def test_no_spoilt_manifest_breaks_the_editor(seed):
    """Either it is refused with a code, or the new line and the neighbours are read."""
    chance, refused = random.Random(seed), 0  # noqa: S311  # repeatable, no secret
    for _ in range(1000):
        data = _spoilt(MANIFEST, chance) + NEIGHBOUR
        edited = _edited(data)
        if edited == "sync.undecodable":
            refused += 1
            continue
        seen = {
            ManifestLine(e.group, e.module, e.qualname) for e in read_manifest(edited, GROUPS)[0]
        }
        was = {ManifestLine(e.group, e.module, e.qualname) for e in read_manifest(data, GROUPS)[0]}
        assert seen == was | {NEW}, data
    assert refused < 500


@pytest.mark.parametrize("seed", range(5))
def test_no_spoilt_list_breaks_the_editor(seed):
    """The row is there, once and for all, and the last one keeps its bytes."""
    chance = random.Random(seed)  # noqa: S311  # repeatable, no secret
    path = "shop-1.dist-info/entry_points.txt"
    for _ in range(1000):
        data = _spoilt(RECORD, chance) + b"\n" + LAST
        edited = edit_record(data, {path: b"hello"})
        assert edit_record(edited, {path: b"hello"}) == edited, data
        assert LAST in edited
