"""A driver that only refuses is distinguished from one that works, without running it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plugwright.errors import DiscoveryError
from plugwright_conformance.subject.unwritten import require_written_driver

DRIVER = """
class Endpoint:
    def start(self):
        "Set the system up."
        {start}
    def seed(self, values):
        {seed}
    def read_back(self):
        return []
"""


@pytest.fixture
def subject(tmp_path):
    """Makes a subject whose driver has these methods."""

    def subject(start, seed, file="shop/testing.py"):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(DRIVER.format(start=start, seed=seed))
        declaration = SimpleNamespace(endpoint="shop.testing:Endpoint")
        return SimpleNamespace(root=tmp_path, declaration=declaration)

    return subject


@pytest.mark.parametrize("file", ["shop/testing.py", "shop/testing/__init__.py"])
def test_driver_of_the_template_is_refused(subject, file):
    """With the methods that are still to be written."""
    refuses = 'raise NotImplementedError("write me")'

    with pytest.raises(DiscoveryError) as raised:
        require_written_driver(subject(refuses, "raise NotImplementedError", file))

    assert raised.value.code == "declaration.endpoint-unwritten"
    assert "shop.testing:Endpoint is not written yet: start(), seed() in" in str(raised.value)
    assert raised.value.facts["methods"] == ["start", "seed"]


@pytest.mark.parametrize(
    ("start", "seed"),
    [
        ("return {}", "pass"),
        ("return {}", "if values: raise NotImplementedError"),
        ("return {}", "raise OSError('no')"),
        ("self.x = 1; raise NotImplementedError", "pass"),
    ],
    ids=["written", "sometimes", "another-error", "after-a-step"],
)
def test_driver_that_does_something_is_left_alone(subject, start, seed):
    """Whatever it does, its own errors say so when it runs."""
    require_written_driver(subject(start, seed))


@pytest.mark.parametrize("text", ["class Endpoint(", "Endpoint = None", "\x00"])
def test_driver_that_cannot_be_read_is_left_to_its_loading(subject, tmp_path, text):
    """It has an error of its own."""
    subject = subject("return {}", "pass")
    (tmp_path / "shop/testing.py").write_text(text)

    require_written_driver(subject)
