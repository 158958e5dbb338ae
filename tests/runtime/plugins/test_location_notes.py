"""What people expect to work in a location, and discovery leaves alone, is noted."""

from __future__ import annotations

import json
import zipfile

import pytest

from plugwright.plugins import DiagnosticLevel, Plugins, find_locations

MANIFEST = "[plugwright.SinkConnector]\na = shop:Shop\n"
EDITABLE = {"url": "file:///src", "dir_info": {"editable": True}}


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))


def _notes(shop):
    shop.distribution(entry_points=MANIFEST)
    found = Plugins.service_load([shop.path])
    assert len(found.descriptors) == 1
    assert {d.level for d in found.diagnostics} <= {DiagnosticLevel.NOTE}
    return [(d.code, d.file) for d in found.diagnostics]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("all.pth", "pth-present"),
        ("boot.start", "start-present"),
        ("__editable__.shop-1.0.pth", "editable"),
        ("shop.egg-link", "editable"),
        ("RECORD.jws", None),
        ("pth", None),
    ],
)
def test_files_that_python_would_act_on_are_noted(place, name, code):
    """Case 83: none of them is followed or run."""
    shop = place()
    (shop.path / name).write_text("import sys; sys.exit(9)\n")
    assert _notes(shop) == ([(code, name)] if code else [])


@pytest.mark.parametrize("name", ["RECORD.jws", "RECORD.p7s"])
def test_a_signed_list_of_files_is_noted(place, name):
    """D10: sync-manifests will not touch it."""
    shop = place()
    (shop.distribution("shop", "1.0", entry_points=MANIFEST) / name).touch()
    found = Plugins.service_load([shop.path])
    (finding,) = found.diagnostics
    assert (finding.code, finding.file) == ("signed-artifact", f"shop-1.0.dist-info/{name}")


@pytest.mark.parametrize(
    ("origin", "codes"),
    [
        (json.dumps(EDITABLE), ["editable"]),
        ('{"dir_info": {"editable": false}}', []),
        ('{"dir_info": []}', []),
        ("[]", []),
        ("[" * 9999, []),
        ("not json", []),
    ],
    ids=["editable", "not-editable", "list", "no-object", "deep", "text"],
)
def test_an_editable_install_is_noted(place, origin, codes):
    """PEP 610: its code lies elsewhere."""
    shop = place()
    directory = shop.distribution(entry_points=MANIFEST)
    (directory / "direct_url.json").write_text(origin)
    assert [d.code for d in Plugins.service_load([shop.path]).diagnostics] == codes


def test_a_directory_without_metadata_is_noted(place):
    """Its plugins cannot be found."""
    shop = place()
    (shop.path / "mart-1.0.dist-info").mkdir()
    assert _notes(shop) == [("dist-empty", "mart-1.0.dist-info")]


@pytest.mark.parametrize("suffix", [".asc", ".sigstore.json", ".publish.attestation"])
def test_a_signature_beside_an_archive_is_noted(tmp_path, suffix):
    """D10; the signature itself is no location."""
    archive = tmp_path / "shop-1.0-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("shop.py", "")
    (tmp_path / f"{archive.name}{suffix}").touch()
    locations, (finding,) = find_locations([tmp_path])
    assert ([x.name for x in locations], finding.code) == ([archive.name], "signed-artifact")
    assert (finding.level, finding.message) == (
        DiagnosticLevel.NOTE,
        f"is signed by {archive.name}{suffix}",
    )


def test_notes_come_in_the_order_of_names(place):
    """However the system lists them."""
    shop = place()
    shop.distribution()
    names = [f"{letter}.pth" for letter in "fbdhaceg"]
    for name in names:
        (shop.path / name).touch()
    found = Plugins.service_load([shop.path])
    assert [note.file for note in found.diagnostics] == sorted(names)
