"""Ten thousand spoilt files: no exception, no neighbour lost, nothing written where it must not be.

Every case is made from its number, so that one that fails can be repeated alone.
"""

from __future__ import annotations

import io
import random
import warnings
import zipfile

import pytest

from plugwright.plugins import PLUGIN_TYPES, Plugins, foreign_problems, read_manifest

GROUPS = {kind.group for kind in PLUGIN_TYPES}
MANIFESTS = (
    b"[plugwright.SinkConnector]\nshop = shop:Sink\nmart = mart.tasks:Outer.Inner [x]\n",
    b"\xef\xbb\xbf# x\r\n[cli]\r\nr=s:m\r\n\r\n[plugwright.Converter]\r\na=\r\n  s:C\r\n;\r\n",
    b"[plugwright.SinkConnectr]\na = b:C\n[ plugwright.Transformation ]\nx=y:Z\nx=y:W\n",
    "[plugwright.Predicate]\nä = größe:Maß\n".encode("utf-16"),
)
METADATA = (
    b"Metadata-Version: 2.4\nName: shop\nVersion: 1.0\nRequires-Python: >=3.9,<4\n\nText\n",
    b"Name: Shop.X\r\nVersion: 2!1.0rc1.post2+a.b\r\nRequires-Python: ~=3.8, !=3.9.*\r\n\r\n",
    b"Name: shop\nVersion: not one\nRequires-Python: nonsense >> 9\n",
)
RECORDS = (
    b"shop.py,sha256=abc,12\nshop/__init__.py,,3\nshop-1.0.dist-info/RECORD,,\n",
    b'"a,b.py",sha256=x,9\r\n..\\up.py,,1\r\n../up.py,,1\r\n/abs.py,,1\r\n',
)
NAMES = (
    "shop.py",
    "shop/__init__.py",
    "shop-1.0.dist-info/METADATA",
    "shop-1.0.data/purelib/x.py",
    "../up.py",
    "/abs.py",
    "a/../../up.py",
    "dir/",
)
PIECES = (b"\0", b"\xff\xfe", b"=", b"[", b"]", b"\n", b"\r", b":", b"#", b"..", b"/", b"\\", b'"')
CASES = 3_400  # of each of the three kinds


def _chance(number):
    """What decides about the case of a number."""
    return random.Random(number)  # noqa: S311  # to be repeated, not to be secret


def _mutated(data, chance, others):
    """Data with one to eight changes of bytes, pieces or lines."""
    text = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        place, end = sorted(chance.choices(range(len(text) + 1), k=2))
        match chance.randrange(7):
            case 0:
                text[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                text[place:place] = chance.choice(PIECES)
            case 2:
                del text[place : min(end, place + 20)]
            case 3:
                text[place:place] = text[place : min(end, place + 200)]
            case 4:
                del text[place + chance.randrange(200) :]
            case 5:
                text[place:end] = chance.choice(others)[place:end]
            case _:
                lines = text.splitlines(keepends=True)
                chance.shuffle(lines)
                text = bytearray(b"".join(lines))
    return bytes(text)


@pytest.fixture
def world(tmp_path, monkeypatch, place):
    """A good location beside one to be spoilt, and what must stay as it is around them."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path / "cache"))
    manifest = "[plugwright.SourceConnector]\nq = neighbour_q:Q\n"
    place("c/good").distribution("neighbour-q", "9", entry_points=manifest)
    spoilt = place("c/spoilt")
    spoilt.distribution("neighbour-r", "9", entry_points=manifest.replace("_q", "_r"))
    (tmp_path / "cache").mkdir()
    return spoilt


def _neighbours(world):
    found = Plugins.service_load([world.path.parent])
    names = {plugin.distribution for plugin in found.descriptors}
    return {"neighbour-q", "neighbour-r"} <= names


def _around(world):
    """Everything outside the locations and the cache."""
    root = world.path.parent.parent
    return {path.name for path in root.iterdir()}, {
        path.name for path in world.path.parent.iterdir()
    }


@pytest.mark.slow
def test_no_manifest_hides_a_neighbour(world):
    """Spoilt entry_points.txt; every finding has a line of the file."""
    directory = world.distribution("shop", entry_points=b"")
    bad = []
    for number in range(CASES):
        chance = _chance(number)
        data = _mutated(chance.choice(MANIFESTS), chance, MANIFESTS)
        (directory / "entry_points.txt").write_bytes(data)
        problems = [*read_manifest(data, GROUPS)[1], *foreign_problems(data, GROUPS)]
        lines = data.count(b"\n") + data.count(b"\r") + 1
        if not _neighbours(world) or any(not 1 <= p.line <= lines for p in problems):
            bad.append(number)
    assert bad == []


@pytest.mark.slow
def test_no_metadata_hides_a_neighbour(world):
    """Spoilt METADATA and RECORD of two directories of one project."""
    before, bad = _around(world), []
    directories = [
        world.distribution("shop", version, entry_points=MANIFESTS[0]) for version in ("1.0", "2.0")
    ]
    for number in range(CASES):
        chance = _chance(number)
        directory = chance.choice(directories)
        for name, corpus in (("METADATA", METADATA), ("RECORD", RECORDS)):
            data = _mutated(chance.choice(corpus), chance, (*METADATA, *RECORDS))
            (directory / name).write_bytes(data)
        if not _neighbours(world):
            bad.append(number)
    assert (bad, _around(world)) == ([], before)


def _archive(chance):
    """An archive with a spoilt name, a spoilt kind of member, or spoilt bytes."""
    fault = chance.choice(["name", "kind", "bytes", "bytes", "headers"])
    names = [*chance.sample(NAMES[:4], 3), chance.choice(NAMES) if fault == "name" else "x.py"]
    if fault == "name" and chance.random() < 0.5:
        names[-1] = _mutated(names[-1].encode(), chance, [b"../up.py"]).decode("latin-1")
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", chance.choice([0, 8])) as archive:
        warnings.simplefilter("ignore")
        for name in names:
            info = zipfile.ZipInfo(name)
            kinds = [0, 0o100644, 0o120777, 0o104755, 0o10644, 0o40755]
            info.external_attr = chance.choice(kinds if fault == "kind" else kinds[:2]) << 16
            info.extra = chance.choice([b"", b"", b"\x01\x00\x08\x00" + bytes(8), b"UT"])
            archive.writestr(info, chance.choice([b"", b"x = 1\n", bytes(99), *MANIFESTS]))
    data = bytearray(out.getvalue())
    if fault == "bytes":
        return _mutated(bytes(data), chance, [bytes(data)])
    if fault == "headers":
        start = data.index(b"PK\x01\x02")
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(start, len(data))] = chance.choice([0, 1, 255, 80])
    return bytes(data)


@pytest.mark.slow
def test_no_archive_hides_a_neighbour_or_writes_elsewhere(world):
    """Spoilt wheels, zips, applications and eggs."""
    kinds = ("shop-1.0-py3-none-any.whl", "a.zip", "a.pyz", "a.egg")
    before, bad = _around(world), []
    for number in range(CASES):
        chance = _chance(number)
        archive = world.path.parent / chance.choice(kinds)
        archive.write_bytes(_archive(chance))
        if not _neighbours(world):
            bad.append(number)
        archive.unlink()
    copies = {len(path.name) for path in (world.path.parent.parent / "cache/plugins").iterdir()}
    assert (bad, _around(world), copies) == ([], before, {64})
