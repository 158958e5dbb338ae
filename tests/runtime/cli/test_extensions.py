"""REST extensions as plugins of the worker."""

from __future__ import annotations

import sys

import pytest

from plugwright import RestExtension
from plugwright.cli.extensions import rest_extensions
from plugwright.errors import ConfigError, PluginError
from plugwright.plugins import Plugins
from plugwright.rest import BasicAuthSecurityRestExtension

JAVA = "org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension"
TEXT = """
import plugwright

class Quota(plugwright.RestExtension):
    def configure(self, settings):
        self.limit = int(settings["quota.limit"])

    def register(self, context):
        pass
"""


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    """A location with an extension, found by its manifest."""
    (tmp_path / "quota_ext.py").write_text(TEXT)
    info = tmp_path / "quota_ext-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: quota-ext\nVersion: 1.2\n")
    entry = "[plugwright.RestExtension]\nquota = quota_ext:Quota\n"
    (info / "entry_points.txt").write_text(entry)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("quota_ext", None)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["service_load", "hybrid_fail", "only_scan"])
def test_an_extension_is_found_in_every_mode_by_its_manifest(plugins, mode):
    """As in Kafka, where nothing scans for it."""
    from plugwright.plugins import DiscoveryMode  # noqa: PLC0415  # beside what it is for

    found = Plugins.discover([str(plugins)], DiscoveryMode.parse(mode))
    (made,) = rest_extensions(["Quota"], {"quota.limit": "5"}, found)

    assert isinstance(made, RestExtension)
    assert (type(made).__name__, made.limit) == ("Quota", 5)


def test_an_extension_without_a_manifest_is_not_there(plugins):
    """Nothing scans for what serves the worker itself, as in Kafka."""
    from plugwright.plugins import DiscoveryMode  # noqa: PLC0415  # beside what it is for

    (plugins / "quota_ext-1.2.dist-info" / "entry_points.txt").unlink()
    found = Plugins.discover([str(plugins)], DiscoveryMode.parse("only_scan"))

    assert [plugin.class_name for plugin in found.descriptors] == []


@pytest.mark.parametrize(
    "name", [JAVA, "BasicAuthSecurityRestExtension", "BasicAuthSecurity"], ids=len
)
def test_basic_authentication_is_one_of_them(tmp_path, name):
    """By Java's class name and by its alias."""
    file = tmp_path / "passwords"
    file.write_text("ann=s3cret\n")
    settings = {"rest.basic.auth.credentials.file": str(file)}

    (made,) = rest_extensions([name], settings, Plugins([], [], []))

    assert isinstance(made, BasicAuthSecurityRestExtension)


def test_an_unknown_extension_is_refused_with_its_setting():
    """Before anything runs."""
    with pytest.raises(ConfigError) as caught:
        rest_extensions(["Quotas"], {}, Plugins([], [], []))

    assert str(caught.value).startswith(
        "Invalid value Quotas for configuration rest.extension.classes: "
    )


def test_an_extension_that_fails_is_named(plugins):
    """With its version and what it was doing."""
    found = Plugins.service_load([str(plugins)])

    with pytest.raises(PluginError) as caught:
        rest_extensions(["quota_ext.Quota"], {}, found)

    assert str(caught.value) == "quota_ext.Quota 1.2 failed in configure: 'quota.limit'"
