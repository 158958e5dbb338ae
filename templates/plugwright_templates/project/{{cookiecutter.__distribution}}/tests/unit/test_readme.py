"""The README's tables of settings are those of the definitions.

After a change of settings, ``tox -e readme`` writes them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

{% if cookiecutter.__connector %}
from {{ cookiecutter.__package }} import {{ 'sink, source' if cookiecutter.kind == 'both' else cookiecutter.kind }}
{% else %}
from {{ cookiecutter.__package }} import {{ cookiecutter.kind }}
{% endif %}

if TYPE_CHECKING:
    from plugwright import ConfigDef

README = Path(__file__).parents[2] / "README.md"
DEFINITIONS = {
{% if cookiecutter.__source %}
    "source": source.CONFIG,
{% endif %}
{% if cookiecutter.__sink %}
    "sink": sink.CONFIG,
{% endif %}
{% if not cookiecutter.__connector %}
    "{{ cookiecutter.kind }}": {{ cookiecutter.kind }}.CONFIG,
{% endif %}
}


def table(definition: ConfigDef) -> str:
    """One row for each setting."""
    rows = [["Setting", "Type", "Default", "Valid values", "Meaning"], ["---"] * 5]
    for key in definition.keys.values():
        default = f"`{key.default_value}`" if key.has_default else "required"
        values = "" if key.validator is None else str(key.validator)
        rows.append([f"`{key.name}`", key.type.value, default, values, str(key.documentation)])
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def with_tables(readme: str) -> str:
    """The README with its tables as they should be."""
    for name, definition in DEFINITIONS.items():
        begin, end = f"<!-- settings of the {name} -->\n", "<!-- end of the settings -->"
        before, _, rest = readme.partition(begin)
        after = rest.partition(end)[2]
        readme = f"{before}{begin}\n{table(definition)}\n{end}{after}"
    return readme


def test_tables_are_those_of_the_definitions() -> None:
    """A table that is not made from its definition goes stale."""
    readme = README.read_text("utf-8")

    assert readme == with_tables(readme), "after a change of settings: tox -e readme"


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text("utf-8")), "utf-8")
