"""Stages of a chain of transformations."""

from __future__ import annotations

from plugwright.transforms import TransformationStage

__all__ = ["stage"]


def stage(kind, predicate=None, **settings):
    """A configured stage of a class; underscores in names of settings stand for dots."""
    made = kind()
    made.configure({key.replace("_", "."): value for key, value in settings.items()})
    return TransformationStage(kind.__name__, made, predicate, made.apply)
