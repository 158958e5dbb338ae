"""Loads the classes that a configuration names."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

ClassResolver: TypeAlias = Callable[[str], type]
"""Loads a class by name or alias; may raise any exception if there is none."""


def import_class(name: str) -> type:
    """Import a class by name: ``package.module:Class`` or ``package.module.Class``.

    Nested classes follow after ``.`` or, as in Java, after ``$``.

    Raises:
        ImportError: if there is no such class, or its module cannot be imported.
    """
    module, colon, attributes = name.partition(":")
    path = attributes.replace("$", ".").split(".") if colon else []
    candidates = [(module, path)] if colon else _splits(name.replace("$", "."))
    for module_name, attribute_path in candidates:
        found = _lookup(module_name, attribute_path)
        if isinstance(found, type):
            return found
    raise ImportError(f"no class has the name {name}")


@contextmanager
def resolving_classes(resolver: ClassResolver) -> Iterator[None]:
    """Use ``resolver`` within this block to load the classes that configurations name.

    The counterpart of Java's context class loader: the runtime wraps it around every call into a
    plugin, so that definitions made by the plugin can name aliases and isolated plugins.
    """
    token = _CURRENT.set(resolver)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def resolve_class(name: str, resolver: ClassResolver | None) -> type:
    """Load a class with the given resolver, or with the context's if there is none.

    Raises:
        ImportError: if there is no such class.
    """
    load = resolver or _CURRENT.get()
    try:
        found = load(name)
    except (Exception, SystemExit) as error:  # imported code may raise anything
        raise ImportError(f"{name} cannot be loaded") from error
    if not isinstance(found, type):
        raise ImportError(f"{name} is not a class")  # noqa: TRY004  # one error for "no such class"
    return found


def _splits(name: str) -> list[tuple[str, list[str]]]:
    """Every split of a dotted name into module and class, longest module first."""
    parts = name.split(".")
    return [(".".join(parts[:cut]), parts[cut:]) for cut in range(len(parts) - 1, 0, -1)]


def _lookup(module_name: str, path: list[str]) -> object:
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if module_name == error.name or module_name.startswith(f"{error.name}."):
            return None
        raise
    found: object = module
    for name in path:
        found = getattr(found, name, None)
    return found


_CURRENT: Final[ContextVar[ClassResolver]] = ContextVar("class_resolver", default=import_class)
