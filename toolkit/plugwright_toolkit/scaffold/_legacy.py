"""A project around the code of plugins that were never given manifests."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConfigError, DiscoveryError
from plugwright.plugins import SINK, SOURCE, survey
from plugwright_templates import distribution_of, legacy_template, spelling_problem
from plugwright_toolkit.scaffold._legacy_code import LegacyCode, describe_settings, find_code
from plugwright_toolkit.scaffold._legacy_metadata import LegacyMetadata, read_metadata
from plugwright_toolkit.scaffold._placing import new_project
from plugwright_toolkit.scaffold._rendering import fill_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright.plugins import Location, PluginDescriptor, Survey

_DECLARATION = ("conformance.toml", "testing.py")
_PROMISES = ("Data model", "Delivery")


@dataclass(frozen=True, slots=True)
class LegacyProject:
    """What was made of a location.

    Attributes:
        plugins: entry-point group and class name of each plugin that is declared now.
        left_out: class name of each plugin that is not, with the code of the reason.
        todo: what a person has to do next, in whole clauses.
    """

    target: Path
    plugins: Sequence[tuple[str, str]]
    left_out: Sequence[tuple[str, str]]
    todo: Sequence[str]


def package_legacy(location: Location, output_dir: Path, name: str | None = None) -> LegacyProject:
    """Copy the code of a location into a new project that declares its plugins.

    The location stays as it is. Its plugins are imported in child processes only.

    Args:
        location: what holds the plugins.
        output_dir: where to make the project's directory.
        name: of the new distribution; by default that of the old one, or of the package.

    Raises:
        DiscoveryError: if no plugin of the location can be loaded.
        ConfigError: if the name is none for a distribution.
        AlreadyExistsError: if there is something in the project's place.
        ConnectError: if it cannot be written.
    """
    (found,) = survey([location])
    plugins = _loadable(found)
    metadata = read_metadata(location, plugins[0], name)
    if problem := spelling_problem(metadata.name):
        raise ConfigError(problem, code="new.invalid-answer", hint="give NAME, a good one")
    code = find_code(location, plugins)
    settings = describe_settings(location, plugins)
    with new_project(metadata.name, output_dir) as (workshop, target):
        _write(workshop / target.name, metadata, plugins, code, settings)
    return LegacyProject(
        target,
        [(plugin.type.group, plugin.class_name) for plugin in plugins],
        [(p.plugin.class_name, p.reason) for p in found.plugins if not p.loadable],
        _todo(metadata, plugins, code, settings),
    )


def _loadable(found: Survey) -> list[PluginDescriptor]:
    plugins = [each.plugin for each in found.plugins if each.loadable]
    if plugins:
        return plugins
    reasons = [f"{each.plugin.class_name}: {each.reason}" for each in found.plugins]
    reasons += [str(each) for each in found.diagnostics]
    raise DiscoveryError(
        f"{found.location.origin} holds no plugin that can be loaded: "
        f"{'; '.join(reasons) or 'no class extends a base class of plugwright'}",
        code="new.no-plugin",
        hint="name the directory that the plugin's package is imported from",
        facts={"location": str(found.location.origin)},
    )


def _write(
    project: Path,
    metadata: LegacyMetadata,
    plugins: Sequence[PluginDescriptor],
    code: LegacyCode,
    settings: Mapping[str, str],
) -> None:
    declared = _declared(plugins, code)
    package = declared[0].module.partition(".")[0] if declared else ""
    context = {
        "distribution": project.name,
        "description": metadata.description,
        "quoted": _quoted(metadata),
        "groups": _groups(plugins),
        "package": package,
        "connectors": [
            {"name": p.class_name, "topic_key": "topics" if p.type == SINK else "topic"}
            for p in declared
        ],
        "readme": metadata.readme.rstrip() or f"# {project.name}\n\n{metadata.description}",
        "described": [
            {
                "name": p.class_name,
                "settings": settings.get(p.class_name, ""),
                "verb": ("Takes" if p.type == SINK else "Makes") if p in declared else "",
            }
            for p in plugins
        ],
        "unsaid": [each for each in _PROMISES if not _says(metadata.readme, each)],
        "_jinja2_env_vars": {"lstrip_blocks": True, "trim_blocks": True},
    }
    fill_in(legacy_template(), context, project.parent)
    for cache in sorted(project.rglob("__pycache__")):
        shutil.rmtree(cache)
    code.copy_to(project / "src")
    for text in metadata.licence_texts:
        shutil.copyfile(text, project / text.name)
    _place_declaration(project, package)


def _says(readme: str, name: str) -> bool:
    """Whether a part of the README begins with a name, as check CON-DOC-01 wants it."""
    return re.search(rf"(?im)^(?:#+ *|\*\*){name}\b", readme) is not None


def _place_declaration(project: Path, package: str) -> None:
    """Move the suite's files into the package, where none of that name is; or else drop them."""
    for name in _DECLARATION:
        home = project / "src" / package / name
        if package and not home.exists():
            (project / name).rename(home)
        else:
            (project / name).unlink()
    if not package:
        (project / "tests" / "test_conformance.py").unlink()


def _declared(plugins: Sequence[PluginDescriptor], code: LegacyCode) -> list[PluginDescriptor]:
    """The connectors of the first package that has one; beside a module is no declaration."""
    connectors = [plugin for plugin in plugins if plugin.type in {SOURCE, SINK}]
    tops = {p: top for p in connectors if (top := p.module.partition(".")[0]) in code.packages}
    return [p for p in tops if tops[p] == next(iter(tops.values()))]


def _groups(plugins: Sequence[PluginDescriptor]) -> Mapping[str, Sequence[Mapping[str, str]]]:
    groups: dict[str, list[Mapping[str, str]]] = {}
    for plugin in plugins:
        entry = {"name": plugin.class_name, "value": f"{plugin.module}:{plugin.qualname}"}
        groups.setdefault(plugin.type.group, []).append(entry)
    return groups


def _quoted(metadata: LegacyMetadata) -> Mapping[str, Any]:
    """The metadata as TOML strings, whatever characters they hold."""
    return {
        "name": _quote(distribution_of(metadata.name)),
        "version": _quote(metadata.version),
        "description": _quote(metadata.description),
        "requires_python": _quote(metadata.requires_python),
        "license": _quote(metadata.license) if metadata.license else "",
        "license_files": [_quote(text.name) for text in metadata.licence_texts],
        "dependencies": [_quote(requirement) for requirement in metadata.dependencies],
    }


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _todo(
    metadata: LegacyMetadata,
    plugins: Sequence[PluginDescriptor],
    code: LegacyCode,
    settings: Mapping[str, str],
) -> list[str]:
    todo = []
    if declared := _declared(plugins, code):
        package = declared[0].module.partition(".")[0]
        todo.append(
            f"complete src/{package}/testing.py, correct what src/{package}/conformance.toml and "
            "README.md promise, and run: tox -e conformance"
        )
    elif any(plugin.type in {SOURCE, SINK} for plugin in plugins):
        todo.append("make a package of the module, so that it can hold a conformance.toml")
    if unknown := [p.class_name for p in plugins if p.class_name not in settings]:
        todo.append(f"list in README.md the settings of {', '.join(unknown)}")
    if not metadata.license or not metadata.licence_texts:
        todo.append("state a licence in pyproject.toml, and add its text")
    if code.others:
        todo.append(f"see whether these are needed, too: {', '.join(code.others)}")
    return todo
