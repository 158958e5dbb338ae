"""What the package offers."""

from __future__ import annotations

from plugwright import config


def test_every_public_name_exists_and_is_documented():
    """Each imported name has a description."""
    exported = {name: getattr(config, name) for name in config.__all__}
    documented = [name for name, value in exported.items() if callable(value) and value.__doc__]

    assert sorted({*exported} - {*documented}) == ["ClassResolver", "NO_DEFAULT_VALUE"]


def test_public_names_are_sorted():
    """One order, so that changes are seen: constants, classes, functions."""
    assert config.__all__ == sorted(
        config.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name)
    )
