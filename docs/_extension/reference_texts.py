"""Generates reference pages: settings, commands, checks, REST routes, plugins, error codes."""

from __future__ import annotations

import inspect
import io
import re
import tomllib
from collections import defaultdict
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import plugwright
from plugwright.cli import main
from plugwright.config import to_markdown
from plugwright.herder import (
    CLUSTER_CONFIG,
    CONNECTOR_CONFIG,
    OTHER_DEFAULTS,
    UNREAD_BY_WORKERS,
    WORKER_CONFIG,
)
from plugwright.plugins import Plugins
from plugwright.rest import REST_CONFIG
from plugwright.rest.routes import LOGGER_ROUTES, MAIN_ROUTES
from plugwright.spark.datasource import OPTIONS
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.subject.engines import RESIDENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright.rest.route import Route
    from plugwright_conformance.catalogue.check import Check

__all__ = ["checks", "commands", "error_codes", "plugins", "rest_endpoints", "settings"]

_COMMAND = re.compile(r"^    ([a-z-]+)(?: |$)", re.MULTILINE)


def settings() -> str:
    """Every setting of workers, clusters, the REST server, connectors and data sources."""
    parts = {
        "Every worker": WORKER_CONFIG,
        "Distributed workers": CLUSTER_CONFIG,
        "The REST server": REST_CONFIG,
        "Every connector": CONNECTOR_CONFIG,
        "Connectors as DataFrames": OPTIONS,
    }
    texts = [f"## {title}\n\n{to_markdown(each, 2)}" for title, each in parts.items()]
    return "\n\n".join(["# Settings", *texts, _other_defaults(), _unread()])


def _other_defaults() -> str:
    """The settings of Kafka Connect that have another default here."""
    rows = [
        f"| {each.kind} | `{each.key}` | `{each.kafkas}` | `{each.ours}` | {each.reason} |"
        for each in OTHER_DEFAULTS
    ]
    head = ["| Of | Setting | Kafka's default | Default here | Why |", "|---|---|---|---|---|"]
    return "\n\n".join(["## Defaults that are not Kafka's", "\n".join(head + rows)])


def _unread() -> str:
    """The settings of Kafka Connect that have no effect here."""
    rows = [f"| `{key}` | {why} |" for key, why in sorted(UNREAD_BY_WORKERS.items())]
    text = "The worker logs a warning about each of them, and starts."
    head = ["| Setting | Why |", "|---|---|"]
    return "\n\n".join(["## Settings without effect", text, "\n".join(head + rows)])


def commands() -> str:
    """The help of every command."""
    names = _COMMAND.findall(_help())
    texts = [f"## plugwright {name}\n\n```text\n{_help(name)}```" for name in names]
    return "\n\n".join(["# Commands", f"```text\n{_help()}```", *texts])


def checks() -> Mapping[str, str]:
    """The table of all checks, and a page for each of their groups."""
    groups = defaultdict(list)
    for check in CHECKS:
        groups[check.group].append(check)
    pages = {f"checks/{_slug(group)}": _group(group, each) for group, each in groups.items()}
    return {"checks": _all_checks([name.removeprefix("checks/") for name in pages]), **pages}


def _all_checks(groups: Sequence[str]) -> str:
    rows = [
        f"| [{check.id}](#check-{check.id.lower()}) | {check.title} | {check.group} "
        f"| {check.level.name} | {check.severity.value} | {' and '.join(sorted(check.kinds))} "
        f"| {'yes' if check.live else 'no'} |"
        for check in CHECKS
    ]
    head = "| Check | Claim | Group | Level | Weight | For | Spark and Kafka |\n" + "|---" * 7 + "|"
    within = "\n".join(f"checks/{group}" for group in groups)
    return (
        f"# Checks\n\nThe {len(CHECKS)} checks of the conformance suite. Each is described on the "
        f"page of its group.\n\n{{.filterable}}\n{head}\n" + "\n".join(rows) + "\n\n"
        f"```{{toctree}}\n:hidden:\n\n{within}\n```\n"
    )


def _group(name: str, checks: Iterable[type[Check]]) -> str:
    """Each check of a group: its claim, why it matters, and how to fix a plugin that fails."""
    texts = [
        f"(check-{check.id.lower()})=\n## {check.id} {check.title}\n\n"
        f"Revision {check.revision}, {check.severity.value}, level {check.level.name}, for "
        f"{' and '.join(sorted(check.kinds))}.{_engines(check)}\n\n{check.why}\n\n"
        f"**How to fix it:** {check.mend}"
        for check in checks
    ]
    return "\n\n".join([f"# {name}", *texts])


def _slug(group: str) -> str:
    return group.lower().replace(" ", "-")


def rest_endpoints() -> str:
    """Every REST endpoint with its parameters and responses."""
    return "\n\n".join(["# The REST API", *map(_endpoint, (*MAIN_ROUTES, *LOGGER_ROUTES))])


def plugins() -> str:
    """The built-in plugins with their settings."""
    builtin = Plugins.service_load([])
    named = {each.class_name: builtin.load(each) for each in builtin.builtin}
    texts = [_plugin(name, plugin) for name, plugin in sorted(named.items())]
    return "\n\n".join(["# Built-in plugins", *texts])


def error_codes() -> str:
    """Every code of an error or a finding, with what it means and what to do."""
    registry = tomllib.loads(Path(plugwright.__path__[0], "error_codes.toml").read_text("utf-8"))
    rows = [f"| `{code}` | {each['means']} | {each['do']} |" for code, each in registry.items()]
    head = "| Code | Meaning | What to do |\n|---|---|---|"
    return "\n".join(["# Error codes", "", head, *rows, ""])


def _engines(check: type[Check]) -> str:
    """The engines of a live check, and why it does not run on others."""
    if not check.live:
        return ""
    engines = [engine for engine in check.engines if engine == RESIDENT or "sink" in check.kinds]
    claimed = "; the latter for sinks that declare it" if len(engines) > 1 else ""
    why = f" {check.why_not_everywhere}" if check.why_not_everywhere else ""
    return f" Runs on Spark, on the engine {' and on the engine '.join(engines)}{claimed}.{why}"


def _help(*words: str) -> str:
    with redirect_stdout(io.StringIO()) as said, suppress(SystemExit):
        main([*words, "--help"])
    return said.getvalue()


def _plugin(name: str, plugin: type[Any]) -> str:
    ask = getattr(plugin(), "config", None)
    described = inspect.cleandoc(plugin.__doc__ or "").partition("\n\n")[0]
    return "\n\n".join([f"## {name}", described, to_markdown(ask(), 2) if ask else ""])


def _endpoint(route: Route) -> str:
    lines = [f"## {route.method} {route.path}", "", route.summary + ".", ""]
    lines += [f"- query `{each.name}` ({each.kind}): {each.description}" for each in route.query]
    lines += [f"- {status}: {said}" for status, (said, _) in sorted(route.responses.items())]
    return "\n".join(lines)
