"""What a plugin keeps in containers of its own, and where its code takes something out again."""

from __future__ import annotations

import ast
import functools
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright_conformance.subject.read_sites import trees_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Kept", "kept_by", "let_go", "limited_by", "names_pruned"]

_Memoized = type(functools.lru_cache(len))
_CONTAINERS = (dict, list, set, deque, OrderedDict, defaultdict, Counter)
_REMOVING = frozenset(
    {
        "clear", "difference_update", "discard", "get_nowait", "intersection_update", "pop",
        "popitem", "popleft", "remove", "symmetric_difference_update",
    }
)  # fmt: skip
_HARMLESS = frozenset(
    {
        "all", "any", "bool", "dict", "enumerate", "frozenset", "iter", "len", "list", "max", "min",
        "repr", "set", "sorted", "str", "sum", "tuple",
    }
)  # fmt: skip
_BEGINNING = frozenset({"__init__", "initialize", "open", "start"})


class Kept(NamedTuple):
    """A container, and what it holds.

    Attributes:
        name: of the attribute or variable that leads to it.
        container: itself.
        size: how many elements it has now.
    """

    name: str
    container: Any
    size: int


def kept_by(plugin: object, root: Path) -> Mapping[int, Kept]:
    """The containers that objects, classes and modules of a location hold, by identity.

    Those with a limit of their own, and those of other libraries, are left out.

    Args:
        plugin: a task of it.
        root: the location.
    """
    return {
        id(thing): Kept(name, thing, len(thing))
        for name, thing in _reachable(plugin, root)
        if type(thing) in _CONTAINERS and getattr(thing, "maxlen", None) is None
    }


def limited_by(plugin: object, root: Path) -> Mapping[int, Kept]:
    """The queues and caches with a limit of their own that a location holds, by identity.

    They are those of the standard library and those that have a ``maxsize``.

    Args:
        plugin: a task of it.
        root: the location.
    """
    sized = ((name, thing, _size_below_limit(thing)) for name, thing in _reachable(plugin, root))
    return {id(thing): Kept(name, thing, size) for name, thing, size in sized if size is not None}


def let_go(plugin: object, root: Path) -> None:
    """Empty all that a location holds, after which it is of no use: for a process that ends then.

    Args:
        plugin: a task of it.
        root: the location.
    """
    own = {module.__name__ for module in _modules(root.resolve())}
    for _, thing in [*_reachable(plugin, root)]:
        if type(thing) in _CONTAINERS:
            thing.clear()
        elif isinstance(thing, _Memoized):
            thing.cache_clear()
        elif type(thing).__module__ in own:
            getattr(thing, "__dict__", {}).clear()
            for name in _slots(thing):
                with suppress(AttributeError):
                    delattr(thing, name)


def _size_below_limit(thing: Any) -> int | None:
    """How much a queue or a cache holds; nothing if it has no limit, or is none."""
    if isinstance(thing, _Memoized):
        info = thing.cache_info()
        return None if info.maxsize is None else int(info.currsize)
    if isinstance(thing, type) or not (_limit(thing, "maxlen") or _limit(thing, "maxsize")):
        return None
    with suppress(Exception):  # of a library's own
        return int(thing.qsize() if hasattr(type(thing), "qsize") else len(thing))
    return None


def _limit(thing: Any, name: str) -> bool:
    """Whether a limit is set; an object that makes its attributes when asked is not asked."""
    if name not in getattr(thing, "__dict__", {}) and not hasattr(type(thing), name):
        return False
    value = getattr(thing, name)
    return isinstance(value, int | float) and value > 0


def _reachable(plugin: object, root: Path) -> Iterator[tuple[str, Any]]:
    """What a task and the modules of a location lead to, each once, with its name."""
    modules = _modules(root.resolve())
    names = {module.__name__ for module in modules}
    seen: set[int] = set()
    due: list[tuple[str, Any]] = [("", plugin)]
    for module in modules:
        due += [(name, value) for name, value in vars(module).items() if not name.startswith("__")]
    while due:
        name, thing = due.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        yield name, thing
        due += _held(name, thing, names)


def _modules(root: Path) -> list[Any]:
    loaded = [m for m in list(sys.modules.values()) if getattr(m, "__file__", None)]
    return [m for m in loaded if Path(str(m.__file__)).resolve().is_relative_to(root)]


def _held(name: str, thing: Any, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """What something holds, as far as it is a container or of the plugin's own classes."""
    if isinstance(thing, dict):
        yield from ((name, value) for value in list(thing.values()))
    elif isinstance(thing, list | tuple | set | frozenset | deque):
        yield from ((name, value) for value in list(thing))
    elif isinstance(thing, type):
        if thing.__module__ in names:
            yield from ((n, v) for n, v in vars(thing).items() if not n.startswith("__"))
    elif type(thing).__module__ in names:
        yield from list(getattr(thing, "__dict__", {}).items())
        yield from ((n, getattr(thing, n)) for n in _slots(thing) if hasattr(thing, n))
        yield "", type(thing)


def _slots(thing: object) -> Iterator[str]:
    for base in type(thing).__mro__:
        slots = base.__dict__.get("__slots__", ())
        yield from (slots,) if isinstance(slots, str) else slots


def names_pruned(root: Path) -> frozenset[str]:
    """The attributes and variables out of which the code of a location may take something.

    A name counts, too, if it is given a new value when all has begun, or is handed to code that may
    do it.
    """
    return frozenset(name for tree in trees_of(root) for name in _pruned(tree, ""))


def _pruned(node: ast.AST, function: str) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        function = node.name
    if isinstance(node, ast.Call):
        yield from _by_call(node)
    elif isinstance(node, ast.Delete):
        yield from map(_name, node.targets)
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        yield from _by_assignment(node, function)
    elif isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
        yield from _names(node.value)
    for child in ast.iter_child_nodes(node):
        yield from _pruned(child, function)


def _by_call(node: ast.Call) -> Iterator[str]:
    if isinstance(node.func, ast.Attribute) and node.func.attr in _REMOVING:
        yield _name(node.func.value)
    if _name(node.func) not in _HARMLESS:
        yield from (name for each in node.args for name in _names(each))
        yield from (name for each in node.keywords for name in _names(each.value))


def _by_assignment(
    node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr, function: str
) -> Iterator[str]:
    if isinstance(node, ast.AugAssign):
        if not isinstance(node.op, ast.Add | ast.BitOr):
            yield _name(node.target)
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if function and function not in _BEGINNING:
        parts = [t.elts if isinstance(t, ast.Tuple | ast.List) else [t] for t in targets]
        yield from (_name(t) for part in parts for t in part if not isinstance(t, ast.Subscript))
        yield from (_name(t) for t in targets if _is_slice(t))
    if node.value is not None:
        yield from _names(node.value)  # known by another name from now on


def _is_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def _names(node: ast.expr) -> Iterator[str]:
    """Of what an expression may be: itself, or one of several."""
    if isinstance(node, ast.Attribute | ast.Name):
        yield _name(node)
    elif isinstance(node, ast.Tuple | ast.List | ast.BoolOp | ast.IfExp | ast.Starred):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _names(child)


def _name(node: ast.expr) -> str:
    """The last name of a place, such as ``seen`` of ``self.seen[key]``."""
    while isinstance(node, ast.Subscript | ast.Starred):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
