"""Creates a project from the code of plugins without manifests."""

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
from plugwright_toolkit.scaffold.placing import new_project
from plugwright_toolkit.scaffold.rendering import fill_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright.plugins import Location, PluginDescriptor, Survey

_DECLARATION = ("conformance.toml", "testing.py")
_PROMISES = ("Data model", "Delivery")


@dataclass(frozen=True, slots=True)
class LegacyProject:
    """The result of packaging a location.

    Attributes:
        plugins: entry-point group and class name of each declared plugin.
        left_out: class name of each other plugin, with the code of the reason.
        todo: the next steps for the user.
    """

    target: Path
    plugins: Sequence[tuple[str, str]]
    left_out: Sequence[tuple[str, str]]
    todo: Sequence[str]


def package_legacy(location: Location, output_dir: Path, name: str | None = None) -> LegacyProject:
    """Copy the code of a location into a new project that declares its plugins.

    The location is not changed. Its plugins are imported in child processes only.

    Args:
        location: the location with the plugins.
        output_dir: the directory for the project.
        name: the name of the new distribution, by default of the old one or of the package.

    Raises:
        DiscoveryError: if no plugin of the location can be loaded.
        ConfigError: if the name is invalid for a distribution.
        AlreadyExistsError: if the project's directory exists.
        ConnectError: if it cannot be written.
    """
    (found,) = survey([location])
    plugins = _loadable(found)
    metadata = read_metadata(location, plugins[0], name)
    if problem := spelling_problem(metadata.name):
        raise ConfigError(problem, code="new.invalid-answer", hint="give a valid NAME")
    code = find_code(location, plugins)
    settings = describe_settings(location, plugins)
    with new_project(metadata.name, output_dir) as (temporary, target):
        _write(temporary / target.name, metadata, plugins, code, settings)
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
        f"{found.location.origin} contains no plugin that can be loaded: "
        f"{'; '.join(reasons) or 'no class extends a base class of plugwright'}",
        code="new.no-plugin",
        hint="name the directory that contains the plugin's package",
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
        "unsaid": [each for each in _PROMISES if not _has_section(metadata.readme, each)],
        "_jinja2_env_vars": {"lstrip_blocks": True, "trim_blocks": True},
    }
    fill_in(legacy_template(), context, project.parent)
    for cache in sorted(project.rglob("__pycache__")):
        shutil.rmtree(cache)
    code.copy_to(project / "src")
    for text in metadata.licence_texts:
        shutil.copyfile(text, project / text.name)
    _move_declaration(project, package)


def _has_section(readme: str, name: str) -> bool:
    """Whether the README has a section with a name, as check CON-DOC-01 requires."""
    return re.search(rf"(?im)^(?:#+ *|\*\*){name}\b", readme) is not None


def _move_declaration(project: Path, package: str) -> None:
    """Move the suite's files into the package, unless it has files of the same name."""
    for name in _DECLARATION:
        home = project / "src" / package / name
        if package and not home.exists():
            (project / name).rename(home)
        else:
            (project / name).unlink()
    if not package:
        (project / "tests" / "test_conformance.py").unlink()


def _declared(plugins: Sequence[PluginDescriptor], code: LegacyCode) -> list[PluginDescriptor]:
    """The connectors of the first package that has one; a module cannot have a declaration."""
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
    """The metadata as TOML strings."""
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
        todo.append("turn the module into a package, so that it can contain a conformance.toml")
    if unknown := [p.class_name for p in plugins if p.class_name not in settings]:
        todo.append(f"document in README.md the settings of {', '.join(unknown)}")
    if not metadata.license or not metadata.licence_texts:
        todo.append("state a licence in pyproject.toml, and add its text")
    if code.others:
        todo.append(f"check whether these are needed as well: {', '.join(code.others)}")
    return todo
