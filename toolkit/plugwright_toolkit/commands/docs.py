"""``plugwright docs``: the settings of any plugin, from the definition that validates them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from plugwright.cli import Command, ExitCode

if TYPE_CHECKING:
    import argparse

    from plugwright.config import ConfigDef

__all__ = ["DOCS"]

_EXAMPLES = """\
examples:
  plugwright docs FileStreamSource --plugin-path plugin-path
  plugwright docs 'InsertField$Value' --format html
  plugwright docs org.apache.kafka.connect.json.JsonConverter --format rst
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plugin", metavar="CLASS", help="class name, Java class name or alias")
    parser.add_argument(
        "--plugin-path",
        metavar="LOCATION",
        action="append",
        default=[],
        help="an element of plugin.path; may be given several times",
    )
    parser.add_argument(
        "--format",
        choices=("markdown", "html", "rst"),
        default="markdown",
        help="default: %(default)s",
    )


def _run(arguments: argparse.Namespace) -> int:
    from plugwright.plugins import PLUGIN_TYPES, Plugins  # noqa: PLC0415  # after --help

    plugins = Plugins.service_load(arguments.plugin_path)
    plugin = plugins.find(arguments.plugin, *PLUGIN_TYPES)
    definition = _definition(plugins.load(plugin))
    sys.stdout.write(_render(plugin.class_name, definition, arguments.format).rstrip() + "\n")
    return ExitCode.DONE


def _definition(plugin: type[Any]) -> ConfigDef:
    """The definition of a plugin's settings; some kinds may have none."""
    from plugwright.config import ConfigDef  # noqa: PLC0415  # after --help

    ask = getattr(plugin(), "config", ConfigDef)
    definition: ConfigDef = ask()
    return definition


def _render(name: str, definition: ConfigDef, form: str) -> str:
    from plugwright.config import to_enriched_rst, to_html, to_markdown  # noqa: PLC0415  # after --help

    if form == "html":
        return f"<h2>{name}</h2>\n{to_html(definition)}"
    if form == "rst":
        return f"{name}\n{'=' * len(name)}\n\n{to_enriched_rst(definition)}"
    return f"# {name}\n\n{to_markdown(definition)}"


DOCS = Command(
    name="docs",
    summary="print the settings of a plugin as Markdown, HTML or reStructuredText",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
