"""The fake herder and a client of its API."""

from __future__ import annotations

import pytest
from tests.runtime.rest.fakes import FakeHerder, client_of


@pytest.fixture
def herder():
    """A herder with one connector named logs."""
    return FakeHerder()


@pytest.fixture
def call(herder):
    """A client of that herder's API, with default settings."""
    return client_of(herder)
