"""``plugwright docs``: prints the settings of any plugin, from its definition."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from plugwright.cli import Command, ExitCode, add_json, completed_by, write_json
from plugwright_toolkit.commands._locations import plugin_names

if TYPE_CHECKING:
    import argparse

    from plugwright.config import ConfigDef
    from plugwright.plugins import PluginDescriptor

__all__ = ["DOCS"]

_FORMAT = "plugwright-docs/1"
_EXAMPLES = """\
examples:
  plugwright docs FileStreamSource --plugin-path plugin-path
  plugwright docs 'InsertField$Value' --format html
  plugwright docs org.apache.kafka.connect.json.JsonConverter --format rst
  plugwright docs RegexRouter --json
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    plugin = parser.add_argument(
        "plugin", metavar="CLASS", help="class name, Java class name or alias"
    )
    completed_by(plugin, plugin_names)
    parser.add_argument(
        "--plugin-path",
        metavar="LOCATION",
        action="append",
        default=[],
        help="an element of plugin.path; may be given several times",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--format",
        choices=("markdown", "html", "rst"),
        default="markdown",
        help="default: %(default)s",
    )
    add_json(form)


def _run(arguments: argparse.Namespace) -> int:
    from plugwright.plugins import PLUGIN_TYPES, Plugins  # noqa: PLC0415  # after --help

    plugins = Plugins.service_load(arguments.plugin_path)
    plugin = plugins.find(arguments.plugin, *PLUGIN_TYPES)
    definition = _definition(plugins.load(plugin))
    if arguments.json:
        write_json(_document(plugin, definition), sys.stdout)
        return ExitCode.DONE
    sys.stdout.write(_render(plugin.class_name, definition, arguments.format).rstrip() + "\n")
    return ExitCode.DONE


def _definition(plugin: type[Any]) -> ConfigDef:
    """The definition of a plugin's settings; some kinds may have none."""
    from plugwright.config import ConfigDef  # noqa: PLC0415  # after --help

    ask = getattr(plugin(), "config", ConfigDef)
    definition: ConfigDef = ask()
    return definition


def _document(plugin: PluginDescriptor, definition: ConfigDef) -> dict[str, object]:
    """The settings as ``GET /connector-plugins/{plugin}/config`` lists them."""
    from plugwright.config import key_info  # noqa: PLC0415  # after --help

    return {
        "class": plugin.class_name,
        "format": _FORMAT,
        "settings": [key_info(key) for key in definition.keys.values()],
        "type": plugin.type.name,
        "version": plugin.version,
    }


def _render(name: str, definition: ConfigDef, form: str) -> str:
    from plugwright.config import to_enriched_rst, to_html, to_markdown  # noqa: PLC0415  # after --help

    if form == "html":
        return f"<h2>{name}</h2>\n{to_html(definition)}"
    if form == "rst":
        return f"{name}\n{'=' * len(name)}\n\n{to_enriched_rst(definition)}"
    return f"# {name}\n\n{to_markdown(definition)}"


DOCS = Command(
    name="docs",
    summary="print the settings of a plugin as Markdown, HTML, reStructuredText or JSON",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
