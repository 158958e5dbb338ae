"""Every error code of the product is in the registry, and every one of the registry is used."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

import plugwright

pytestmark = pytest.mark.slow

PACKAGES = {
    "plugwright": "runtime",
    "plugwright_toolkit": "toolkit",
    "plugwright_conformance": "conformance",
    "plugwright_file_sink": "plugin-path/file-sink",
    "plugwright_file_source": "plugin-path/file-source",
    "plugwright_sql": "plugin-path/sql",
}
# Connectors that the suite is tried with; their codes are their own.
OTHERS = ("mutants", "reference", "simulator")
ROOT = Path(__file__).parents[1]
REGISTRY = tomllib.loads((Path(plugwright.__file__).parent / "error_codes.toml").read_text())
AREAS = {code.partition(".")[0] for code in REGISTRY if "." in code}
FORM = re.compile(r"[a-z]+(-[a-z0-9]+)*(\.[a-z]+(-[a-z0-9]+)*)?")
KINDS = ast.Call | ast.Assign | ast.AnnAssign | ast.Constant | ast.FunctionDef | ast.ClassDef
KINDS |= ast.ImportFrom


def _nodes(path):
    """What matters of a module, found in one walk."""
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, KINDS)]


@pytest.fixture(scope="module")
def modules():
    """What matters of each module, by its path."""
    return {
        path.relative_to(ROOT / folder).with_suffix(""): _nodes(path)
        for package, folder in PACKAGES.items()
        for path in sorted((ROOT / folder / package).rglob("*.py"))
        if not set(OTHERS).intersection(path.parts)
    }


@pytest.fixture(scope="module")
def used(modules):
    """The codes of each module that has any to give."""
    takers = {module.parts: _takers(nodes) for module, nodes in modules.items()}
    return {
        module: {*_given(module, nodes, takers), *_alike(nodes)}
        for module, nodes in modules.items()
        if module.name != "waivers"  # whose "code" is a word of the report
    }


def _takers(nodes):
    """Where functions and classes of a module take a code, by name: the place of the argument."""
    found = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            names = [each.arg for each in node.args.posonlyargs + node.args.args]
            if "code" in names:
                found[node.name] = names.index("code") - (names[0] in {"self", "cls"})
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            made = [each for each in node.body if getattr(each, "name", "") == "__init__"]
            fields = [each.target.id for each in node.body if isinstance(each, ast.AnnAssign)]
            names = [each.arg for each in made[0].args.args[1:]] if made else fields
            if "code" in names:
                found[node.name] = names.index("code")
    return found


def _known(module, nodes, takers):
    """The takers that a module can call: its own, those that it imports, and all classes."""
    classes = {
        name: place
        for found in takers.values()
        for name, place in found.items()
        if name.lstrip("_")[0].isupper()
    }
    known = classes | takers[module.parts]
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            home = takers.get(tuple((node.module or "").split(".")), {})
            known |= {
                each.asname or each.name: home[each.name]
                for each in node.names
                if each.name in home
            }
    return known


def _texts(node):
    """The literals that an expression may be."""
    parts = {ast.IfExp: ("body", "orelse"), ast.BoolOp: ("values",)}.get(type(node), ())
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for part in parts:
        for each in [value] if isinstance(value := getattr(node, part), ast.AST) else value:
            yield from _texts(each)


def _given(module, nodes, takers):
    """The literals of a module that are given or assigned as a code."""
    known = _known(module, nodes, takers)
    for node in nodes:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = [each.value for each in node.keywords if each.arg == "code"]
            given += node.args[known[name] : known[name] + 1] if name in known else []
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            given = [node.value] if ast.unparse(target) in {"code", "default_code"} else []
        else:
            continue
        texts = (text for each in given for text in _texts(each))
        yield from (text for text in texts if text in REGISTRY or {"-", "."}.intersection(text))


def _alike(nodes):
    """The literals of a module that look like codes of a known area, wherever they are."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            area, dot, rest = node.value.partition(".")
            if dot and "-" in rest and area in AREAS and FORM.fullmatch(node.value):
                yield node.value


@pytest.mark.parametrize("package", PACKAGES)
def test_every_code_is_registered(package, used):
    """With what it means and what to do; add it to error_codes.toml."""
    unknown = {
        f"{module}: {code}"
        for module, codes in used.items()
        for code in codes
        if module.parts[0] == package and code not in REGISTRY
    }

    assert unknown == set()


def test_every_registered_code_is_used(modules):
    """What nothing raises any more is taken out."""
    literals = {
        node.value
        for nodes in modules.values()
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }

    assert set(REGISTRY) - literals == set()


def test_the_walk_sees_the_places_where_codes_are_given(used):
    """By name, by place, by default and in tables; a blind walk would accept everything."""
    assert sum(map(len, used.values())) > 300
    assert {"archive.bomb", "ep-syntax", "rest.wrong-worker", "sync.editable"} <= {
        code for codes in used.values() for code in codes
    }


@pytest.mark.parametrize("part", ["means", "do"])
def test_every_code_has_a_meaning_and_an_advice(part):
    """One sentence each, and codes are in order."""
    wrong = [
        code
        for code, entry in REGISTRY.items()
        if set(entry) != {"means", "do"} or not re.fullmatch(r"[A-Za-z].*\.", entry[part])
    ]

    assert wrong == []
    assert list(REGISTRY) == sorted(REGISTRY)
    assert [code for code in REGISTRY if not FORM.fullmatch(code)] == []
