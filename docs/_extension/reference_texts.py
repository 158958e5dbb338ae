"""The texts of the reference pages, each made of what the code itself says."""

from __future__ import annotations

import ast
import inspect
import io
import re
from collections import defaultdict
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import plugwright
import plugwright_conformance
import plugwright_toolkit
from plugwright.cli import main
from plugwright.config import to_markdown
from plugwright.herder import CLUSTER_CONFIG, CONNECTOR_CONFIG, WORKER_CONFIG
from plugwright.plugins import Plugins
from plugwright.rest import REST_CONFIG
from plugwright.rest._routes import LOGGER_ROUTES, MAIN_ROUTES
from plugwright.spark.datasource import OPTIONS
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.engines import RESIDENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright.rest._route import Route
    from plugwright_conformance.check import Check

__all__ = ["checks", "commands", "error_codes", "plugins", "rest_endpoints", "settings"]

_COMMAND = re.compile(r"^    ([a-z-]+)(?: |$)", re.MULTILINE)
_CODE = re.compile(r"[a-z]+\.[a-z]+(-[a-z]+)*")


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
    return "\n\n".join(["# Settings", *texts])


def commands() -> str:
    """The help of every command."""
    names = _COMMAND.findall(_help())
    texts = [f"## plugwright {name}\n\n```text\n{_help(name)}```" for name in names]
    return "\n\n".join(["# Commands", f"```text\n{_help()}```", *texts])


def checks() -> str:
    """Every check of the suite: its claim, why it matters, how to mend a plugin that fails."""
    groups = defaultdict(list)
    for check in CHECKS:
        groups[check.group].append(
            f"(check-{check.id.lower()})=\n### {check.id} {check.title}\n\n"
            f"Revision {check.revision}, {check.severity.value}, level {check.level.name}, for "
            f"{' and '.join(sorted(check.kinds))}.{_engines(check)}\n\n{check.why}\n\n"
            f"**To mend it:** {check.mend}"
        )
    texts = [f"## {group}\n\n" + "\n\n".join(each) for group, each in groups.items()]
    return "\n\n".join(["# Checks", *texts])


def rest_endpoints() -> str:
    """Every endpoint with its parameters and answers."""
    return "\n\n".join(["# The REST API", *map(_endpoint, (*MAIN_ROUTES, *LOGGER_ROUTES))])


def plugins() -> str:
    """What is built in, with the settings of each."""
    builtin = Plugins.service_load([])
    named = {each.class_name: builtin.load(each) for each in builtin.builtin}
    texts = [_plugin(name, plugin) for name, plugin in sorted(named.items())]
    return "\n\n".join(["# Built-in plugins", *texts])


def error_codes() -> str:
    """Every code that an error can have, with what the source says about it."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for package in (plugwright, plugwright_toolkit, plugwright_conformance):
        for file in sorted(Path(package.__path__[0]).rglob("*.py")):
            for code, message, hint in _coded(ast.parse(file.read_text("utf-8"))):
                found[code].append((message, hint))
    rows = [_row(code, each) for code, each in sorted(found.items())]
    head = "| code | what it says | what to do |\n|---|---|---|"
    return "\n".join(["# Error codes", "", head, *rows, ""])


def _engines(check: type[Check]) -> str:
    """Where a check that runs on Spark runs, and why not elsewhere."""
    if not check.live:
        return ""
    engines = [engine for engine in check.engines if engine == RESIDENT or "sink" in check.kinds]
    claimed = "; the latter for sinks that claim it" if len(engines) > 1 else ""
    why = f" {check.why_not_everywhere}" if check.why_not_everywhere else ""
    return f" Runs on Spark, on the engine {' and on the engine '.join(engines)}{claimed}.{why}"


def _help(*words: str) -> str:
    with redirect_stdout(io.StringIO()) as said, suppress(SystemExit):
        main([*words, "--help"])
    return said.getvalue()


def _plugin(name: str, plugin: type[Any]) -> str:
    ask = getattr(plugin(), "config", None)
    told = inspect.cleandoc(plugin.__doc__ or "").partition("\n\n")[0]
    return "\n\n".join([f"## {name}", told, to_markdown(ask(), 2) if ask else ""])


def _endpoint(route: Route) -> str:
    lines = [f"## {route.method} {route.path}", "", route.summary + ".", ""]
    lines += [f"- query `{each.name}` ({each.kind}): {each.description}" for each in route.query]
    lines += [f"- {status}: {said}" for status, (said, _) in sorted(route.responses.items())]
    return "\n".join(lines)


def _coded(tree: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Code, message and hint of every call that has a code, holes as dots."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        named = {each.arg: _text(each.value) for each in call.keywords}
        if _CODE.fullmatch(code := named.get("code", "")):
            yield code, _text(call.args[0]) if call.args else "", named.get("hint", "")


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    return "…"


def _row(code: str, said: Sequence[tuple[str, str]]) -> str:
    messages = dict.fromkeys(message for message, _ in said if message)
    hints = dict.fromkeys(hint for _, hint in said if hint)
    cells = (" / ".join(each).replace("|", "\\|").replace("\n", " ") for each in (messages, hints))
    return f"| `{code}` | {' | '.join(cells)} |"
