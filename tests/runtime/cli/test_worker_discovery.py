"""What a worker's settings make of its plugin path, before anything else happens."""

from __future__ import annotations

import logging

import pytest

from plugwright.cli.process import discover_plugins
from plugwright.errors import ConfigError


@pytest.fixture
def path(tmp_path):
    """A plugin path with one location of its own and a link to one elsewhere."""
    for place, name in (("path", "own"), ("elsewhere", "other")):
        metadata = tmp_path / place / name / f"{name}-1.0.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(
            f"[plugwright.Converter]\n{name} = {name}:Plain\n"
        )
    (tmp_path / "path/linked").symlink_to(tmp_path / "elsewhere/other")
    return tmp_path / "path"


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({}, ["other", "own"]),
        ({"plugin.path.follow.symlinks": "any"}, ["other", "own"]),
        ({"plugin.path.follow.symlinks": "inside"}, ["own"]),
    ],
    ids=["unsaid", "any", "inside"],
)
def test_links_are_followed_as_the_worker_says(path, settings, found):
    """By default wherever they lead, as in Kafka."""
    worker = {"plugin.path": str(path), "plugin.discovery": "service_load", **settings}

    plugins = discover_plugins(worker)

    assert sorted(each.distribution for each in plugins.descriptors) == found


def test_a_mistaken_choice_of_links_is_refused_before_anything_is_looked_at(tmp_path):
    """Else a mistake would have looked where it must not."""
    with pytest.raises(ConfigError, match=r"plugin\.path\.follow\.symlinks.*any, inside"):
        discover_plugins(
            {"plugin.path": str(tmp_path / "missing"), "plugin.path.follow.symlinks": "insde"}
        )


def test_what_is_odd_about_a_plugin_path_is_logged_in_one_line(tmp_path, caplog):
    """Whatever its name holds."""
    worker = {"plugin.path": f"{tmp_path}/a\nb", "plugin.discovery": "service_load"}

    with caplog.at_level(logging.INFO, "plugwright.worker"):
        discover_plugins(worker)

    (reported,) = [r.getMessage() for r in caplog.records if r.levelno == logging.ERROR]
    assert f"{tmp_path}/a\\nb: " in reported
    assert "\n" not in reported
