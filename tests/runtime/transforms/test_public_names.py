"""What the package offers."""

from __future__ import annotations

from plugwright import transforms


def test_every_public_name_exists_and_is_documented():
    """Each imported name has a description."""
    exported = {name: getattr(transforms, name) for name in transforms.__all__}
    documented = [name for name, value in exported.items() if callable(value) and value.__doc__]

    assert sorted({*exported} - {*documented}) == ["PREDICATES", "TRANSFORMATIONS"]


def test_public_names_are_sorted():
    """One order, so that changes are seen: constants, classes, functions."""
    assert transforms.__all__ == sorted(
        transforms.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name)
    )
