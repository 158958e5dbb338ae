"""Projects made from the template, one of each kind for the whole run."""

from __future__ import annotations

from functools import cache

import pytest

from plugwright_templates import KINDS
from plugwright_toolkit.scaffold import Answers, generate


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Makes a project, the first time that it is asked for; nobody may change it."""

    @cache
    def made(kind, name=None, license_="Apache-2.0"):
        directory = tmp_path_factory.mktemp("made")
        answers = Answers(name or f"shop-{kind}", kind, f"A {kind} for tests", "Ada", license_)
        return generate(answers, directory)

    return made


@pytest.fixture(scope="session", params=KINDS)
def project(made, request):
    """A project of each kind."""
    return made(request.param)
