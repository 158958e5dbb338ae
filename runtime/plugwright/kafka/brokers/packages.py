"""Imports packages that belong to an extra."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from plugwright.errors import SetupError

if TYPE_CHECKING:
    from types import ModuleType


def require(module: str, extra: str) -> ModuleType:
    """The imported module.

    Raises:
        SetupError: ``environment.package-missing``, with the extra that contains the package.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise missing_package(module.partition(".")[0], extra) from error


def missing_package(package: str, extra: str) -> SetupError:
    """The error for a missing package, with the extra that contains it."""
    return SetupError(
        f"the package {package} is not installed",
        code="environment.package-missing",
        hint=f"run: pip install 'plugwright[{extra}]'",
        facts={"package": package, "extra": extra},
    )
