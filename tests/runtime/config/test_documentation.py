"""Definitions as documentation, byte for byte as Kafka writes it (reference §4.4)."""

from __future__ import annotations

import pytest

from plugwright.config import (
    ConfigDef,
    ConfigType,
    Importance,
    LambdaValidator,
    Password,
    Range,
    ValidString,
    to_enriched_rst,
    to_html,
    to_html_table,
    to_markdown,
    to_rst,
)

HIGH, MEDIUM, LOW = Importance


def simple():
    """The definition of Kafka's test toRst."""
    return (
        ConfigDef()
        .define(
            "opt1", ConfigType.STRING, "a", HIGH, "docs1", validator=ValidString.in_("a", "b", "c")
        )
        .define("opt2", ConfigType.INT, importance=MEDIUM, documentation="docs2")
        .define("opt3", ConfigType.LIST, ["a", "b"], LOW, "docs3")
        .define("opt4", ConfigType.BOOLEAN, False, LOW, None)
    )


def test_rst():
    """Required first, then by importance; no documentation leaves a blank line."""
    assert to_rst(simple()) == (
        "``opt2``\n  docs2\n\n  * Type: int\n  * Importance: medium\n\n"
        "``opt1``\n  docs1\n\n  * Type: string\n  * Default: a\n"
        "  * Valid Values: [a, b, c]\n  * Importance: high\n\n"
        "``opt3``\n  docs3\n\n  * Type: list\n  * Default: a,b\n  * Importance: low\n\n"
        "``opt4``\n\n  * Type: boolean\n  * Default: false\n  * Importance: low\n\n"
    )


def test_rst_sets_each_line_of_documentation_apart():
    """Blank lines in the text count once."""
    definition = ConfigDef().define("a", ConfigType.INT, documentation="one\n\ntwo")

    assert to_rst(definition).startswith("``a``\n  one\n\n  two\n\n  * Type")


def grouped():
    """The definition of Kafka's test toEnrichedRst."""
    one, two = {"group": "Group One"}, {"group": "Group Two"}
    return (
        ConfigDef()
        .define("opt1.of.group1", ConfigType.STRING, "a", HIGH, "Doc.", order_in_group=0, **one)
        .define("opt2.of.group1", ConfigType.INT, order_in_group=1, dependents=["x", "y"], **one)
        .define("opt2.of.group2", ConfigType.BOOLEAN, False, HIGH, "Doc.", order_in_group=1, **two)
        .define("opt1.of.group2", ConfigType.BOOLEAN, False, HIGH, "D.", order_in_group=0, **two)
        .define("poor.opt", ConfigType.STRING, "foo", HIGH, "Doc doc.")
    )


def test_enriched_rst():
    """Settings without group first, then groups with titles; dependents last."""
    assert to_enriched_rst(grouped()) == (
        "``poor.opt``\n  Doc doc.\n\n  * Type: string\n  * Default: foo\n  * Importance: high\n\n"
        "Group One\n^^^^^^^^^\n\n"
        "``opt1.of.group1``\n  Doc.\n\n  * Type: string\n  * Default: a\n  * Importance: high\n\n"
        "``opt2.of.group1``\n  * Type: int\n  * Importance: medium\n"
        "  * Dependents: ``x``, ``y``\n\n"
        "Group Two\n^^^^^^^^^\n\n"
        "``opt1.of.group2``\n  D.\n\n  * Type: boolean\n  * Default: false\n"
        "  * Importance: high\n\n"
        "``opt2.of.group2``\n  Doc.\n\n  * Type: boolean\n  * Default: false\n"
        "  * Importance: high\n\n"
    )


def test_groups_in_order_of_definition_not_of_name():
    """The first group defined comes first, and plain order breaks ties by name."""
    definition = (
        ConfigDef()
        .define("b", ConfigType.INT, group="Z")
        .define("a", ConfigType.INT, group="A")
        .define("c", ConfigType.INT, group="Z")
    )

    lines = to_enriched_rst(definition).splitlines()

    assert [line for line in lines if line and line[0] in "ZA`"] == [
        "Z", "``b``", "``c``", "A", "``a``",
    ]  # fmt: skip


def test_html_list():
    """Kafka's markup for one setting, and line breaks in its text."""
    definition = ConfigDef().define(
        "a.b", ConfigType.INT, 5, LOW, "x\ny", validator=Range.at_least(1)
    )

    assert to_html(definition, id_generator="id_{}".format) == (
        '<ul class="config-list">\n<li>\n'
        '<h4><a id="a.b"></a><a id="id_a.b" href="#id_a.b">a.b</a></h4>\n'
        "<p>x<br>y</p>\n<table><tbody>\n"
        "<tr><th>Type:</th><td>int</td></tr>\n<tr><th>Default:</th><td>5</td></tr>\n"
        "<tr><th>Valid Values:</th><td>[1,...]</td></tr>\n"
        "<tr><th>Importance:</th><td>low</td></tr>\n</tbody></table>\n</li>\n</ul>\n"
    )


def test_html_list_with_depth_and_update_modes():
    """Headings of another level; a mode for every setting as soon as one has one."""
    definition = ConfigDef().define("a", ConfigType.INT).define("b", ConfigType.INT)

    text = to_html(definition, 2, dynamic_update_modes={"a": "cluster-wide"})

    assert text.count("<h2>") == text.count("</h2>") == 2
    assert "<tr><th>Update Mode:</th><td>cluster-wide</td></tr>\n" in text
    assert "<tr><th>Update Mode:</th><td>read-only</td></tr>\n" in text


def test_html_table():
    """One row a setting; cells closed twice (observed on Kafka's classes)."""
    definition = ConfigDef().define("a", ConfigType.INT, 5, LOW, "d")

    assert to_html_table(definition) == (
        '<table class="data-table"><tbody>\n<tr>\n<th>Name</th>\n<th>Description</th>\n'
        "<th>Type</th>\n<th>Default</th>\n<th>Valid Values</th>\n<th>Importance</th>\n</tr>\n"
        "<tr>\n<td>a</td></td><td>d</td></td><td>int</td></td><td>5</td></td><td></td></td>"
        "<td>low</td></td></tr>\n</tbody></table>"
    )


def test_html_table_with_update_modes():
    """Kafka's testDynamicUpdateModeInDocs."""
    definition = ConfigDef().define("a", ConfigType.INT).define("b", ConfigType.INT)

    text = to_html_table(definition, {"a": "per-broker"})

    assert "<th>Dynamic Update Mode</th>\n" in text
    assert text.count("<td>medium</td></td><td>per-broker</td></tr>\n") == 1
    assert text.count("<td>medium</td></td><td>read-only</td></tr>\n") == 1


def test_markdown():
    """Sections under group titles, facts as a list."""
    definition = (
        ConfigDef()
        .define("max.bytes", ConfigType.INT, 1048576, HIGH, " Size. ", validator=Range.at_least(0))
        .define("x", ConfigType.STRING, "a`b", LOW, group="G", dependents=["max.bytes"])
        .define("y", ConfigType.LIST, group="G")
    )

    assert to_markdown(definition) == (
        "### `max.bytes`\n\nSize.\n\n- Type: int\n- Default: `1048576 (1 mebibyte)`\n"
        "- Valid values: `[0,...]`\n- Importance: high\n\n"
        "## G\n\n"
        "### `y`\n\n- Type: list\n- Required: yes\n- Importance: medium\n\n"
        "### `x`\n\n- Type: string\n- Default: ``a`b``\n- Importance: low\n"
        "- Dependents: `max.bytes`\n"
    )


@pytest.mark.parametrize("render", [to_rst, to_enriched_rst, to_html, to_html_table, to_markdown])
def test_internal_settings_are_hidden(render):
    """Kafka's testInternalConfigDoesntShowUpInDocs."""
    definition = ConfigDef().define("my.config", ConfigType.STRING, "", internal=True)

    assert "my.config" not in render(definition)


@pytest.mark.parametrize("render", [to_rst, to_enriched_rst, to_html, to_html_table, to_markdown])
def test_default_password_is_hidden(render):
    """Documentation shows no secret, even if someone made one the default."""
    definition = ConfigDef().define("pw", ConfigType.PASSWORD, Password("hunter2"))

    assert "hunter2" not in render(definition)
    assert "[hidden]" in render(definition)


@pytest.mark.parametrize(
    ("name", "kind", "default", "text"),
    [
        pytest.param("a", ConfigType.STRING, None, "null", id="null"),
        pytest.param("a", ConfigType.STRING, "", '""', id="empty"),
        pytest.param("a", ConfigType.INT, 1024, "1024", id="no-unit-in-the-name"),
        pytest.param("a.bytes", ConfigType.INT, 0, "0", id="zero-bytes"),
        pytest.param("a.bytes", ConfigType.INT, 1023, "1023", id="1023-bytes"),
        pytest.param("a.bytes", ConfigType.INT, 1024, "1024 (1 kibibyte)", id="kibibyte"),
        pytest.param("a.bytes", ConfigType.INT, 1025, "1025", id="1025-bytes"),
        pytest.param("a.bytes", ConfigType.INT, 2048, "2048 (2 kibibytes)", id="kibibytes"),
        pytest.param("a.bytes", ConfigType.INT, 1048576, "1048576 (1 mebibyte)", id="mebibyte"),
        pytest.param(
            "a.bytes", ConfigType.LONG, 2 << 30, "2147483648 (2 gibibytes)", id="gibibytes"
        ),
        pytest.param(
            "a.bytes", ConfigType.LONG, 1 << 40, "1099511627776 (1 tebibyte)", id="tebibyte"
        ),
        pytest.param(
            "a.bytes",
            ConfigType.LONG,
            1 << 50,
            "1125899906842624 (1024 tebibytes)",
            id="nothing-larger",
        ),
        pytest.param("a.ms", ConfigType.INT, 0, "0", id="zero-ms"),
        pytest.param("a.ms", ConfigType.INT, 999, "999", id="999-ms"),
        pytest.param("a.ms", ConfigType.INT, 1000, "1000 (1 second)", id="second"),
        pytest.param("a.ms", ConfigType.INT, 1001, "1001", id="1001-ms"),
        pytest.param("a.ms", ConfigType.INT, 120000, "120000 (2 minutes)", id="minutes"),
        pytest.param("a.ms", ConfigType.INT, 3600000, "3600000 (1 hour)", id="hour"),
        pytest.param("a.ms", ConfigType.INT, 604800000, "604800000 (7 days)", id="days"),
        pytest.param("a.ms", ConfigType.LONG, 31536000000, "31536000000 (365 days)", id="year"),
        pytest.param("a.ms", ConfigType.STRING, "1000", "1000", id="text-has-no-unit"),
        pytest.param("a.ms", ConfigType.INT, -1, "-1", id="negative"),
    ],
)
def test_default_text(name, kind, default, text):
    """Exact multiples are spelled in larger units (Kafka's testNiceMemoryUnits, …TimeUnits)."""
    definition = ConfigDef().define(name, kind, default)

    assert f"  * Default: {text}\n" in to_rst(definition)


def test_alternative_text_replaces_the_default():
    """A default that depends on the machine is described."""
    definition = ConfigDef().define("a", ConfigType.INT, 8, alternative_string="number of cores")

    assert "<td>number of cores</td>" in to_html(definition)
    assert "Default: `number of cores`" in to_markdown(definition)


def test_tables_and_text_print_the_default_itself():
    """Only the list in HTML knows alternative texts, in Kafka."""
    definition = ConfigDef().define("a", ConfigType.INT, 8, alternative_string="number of cores")

    assert "Default: 8\n" in to_rst(definition)
    assert "<td>8</td>" in to_html_table(definition)


def test_plain_function_as_validator_has_no_text():
    """The address of a function is no documentation; a LambdaValidator has a text."""
    definition = ConfigDef().define("a", ConfigType.INT, validator=lambda _name, _value: None)
    described = ConfigDef().define(
        "a",
        ConfigType.INT,
        validator=LambdaValidator.with_(lambda _name, _value: None, lambda: "odd"),
    )

    assert "Valid Values" not in to_rst(definition)
    assert "  * Valid Values: odd\n" in to_rst(described)
