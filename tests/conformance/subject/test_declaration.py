"""A declaration is read without running plugin code, and its mistakes are explained."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from plugwright.errors import DiscoveryError
from plugwright.plugins import SINK, SOURCE, Location, PluginDescriptor
from plugwright_conformance.subject.declaration import read_declarations

GOOD = """\
format = 1
[[plugin]]
class = "lines.LinesSinkConnector"
endpoint = "lines.testing:Endpoint"
[plugin.config]
topics = "{topic}"
"""


@pytest.fixture
def declare(tmp_path):
    """Writes a declaration, or none, and reads it for the plugin ``lines.LinesSinkConnector``."""

    def declare(text):
        package = tmp_path / "lines"
        package.mkdir()
        if text is not None:
            (package / "conformance.toml").write_bytes(
                text if isinstance(text, bytes) else text.encode()
            )
        plugin = PluginDescriptor(
            SINK, "lines", "LinesSinkConnector", "lines", "lines", "1.0", Location(tmp_path)
        )
        (found,) = read_declarations(plugin)
        return found

    return declare


def test_declaration_has_quiet_defaults(declare):
    """What is not said is at-least-once delivery of strings by one task."""
    found = declare(GOOD)

    assert (found.endpoint, found.config) == ("lines.testing:Endpoint", {"topics": "{topic}"})
    assert (found.delivery, found.types, found.parallel) == ("at-least-once", ("string",), False)
    assert (found.excluded_characters, found.engines) == ((), ("resident",))
    assert (found.headers, found.visible_after_s) == ("", 0.0)
    assert found.digest == hashlib.sha256(GOOD.encode()).hexdigest()


def test_capabilities_are_read(declare):
    """What is said counts."""
    capabilities = (
        '[plugin.capabilities]\ndelivery = "exactly-once"\ntypes = ["int64", "string"]\n'
        'parallel = true\nexcluded_characters = ["\\n"]\nengines = ["resident", "stream"]\n'
    )

    found = declare(GOOD + capabilities)

    assert (found.delivery, found.types) == ("exactly-once", ("int64", "string"))
    assert (found.parallel, found.excluded_characters) == (True, ("\n",))
    assert found.engines == ("resident", "stream")


def test_plugin_is_found_among_several(declare):
    """One file may speak of many connectors."""
    other = '[[plugin]]\nclass = "lines.Other"\nendpoint = "lines.testing:Other"\n'

    assert declare(GOOD.replace("[[plugin]]", other + "[[plugin]]")).endpoint.endswith(":Endpoint")


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (None, "declaration.missing", "No such file"),
        ("format = ", "declaration.syntax", "Invalid value"),
        (b"format = 1 # \xff", "declaration.syntax", "utf-8"),
        (GOOD.replace("= 1", "= 2"), "declaration.format", "found 2"),
        (GOOD.replace("format = 1\n", ""), "declaration.format", "found None"),
        ("format = 1\n", "declaration.plugin-missing", "lines.LinesSinkConnector"),
        (GOOD.replace("LinesSink", "Other"), "declaration.plugin-missing", "no [[plugin]]"),
        (GOOD.replace(":Endpoint", ""), "declaration.endpoint", "'lines.testing'"),
        (GOOD.replace("endpoint", "end"), "declaration.endpoint", "None"),
        (GOOD + "batch = 5\n", "declaration.config", "batch"),
        ("format = 1\nplugin = 3\n", "declaration.plugin-missing", "no [[plugin]]"),
        ("format = 1\nplugin = [3]\n", "declaration.plugin-missing", "no [[plugin]]"),
        (GOOD.replace("[plugin.config]", "config = 3\n[o]"), "declaration.config", "config"),
        (GOOD + "[plugin]\n", "declaration.syntax", "plugin"),
        (
            GOOD.replace("[plugin.config]", "capabilities = 3\n[o]"),
            "declaration.capabilities",
            "found 3",
        ),
        (GOOD + "[plugin.capabilities]\ntypes = 3\n", "declaration.capabilities", "types"),
        (GOOD + "[plugin.capabilities]\ntypes = [3]\n", "declaration.capabilities", "types"),
        (GOOD + "[plugin.capabilities]\nparallel = 'yes'\n", "declaration.capabilities", "par"),
        (GOOD + "[plugin.capabilities]\ndelivery = 'twice'\n", "declaration.capabilities", "twi"),
        (
            GOOD + "[plugin.capabilities]\nheaders = 'kept'\n",
            "declaration.capabilities",
            "headers must be stored or ignored, found 'kept'",
        ),
        (
            GOOD + "[plugin.capabilities]\norder = true\n",
            "declaration.capabilities",
            "order must be none or partition or key, found True",
        ),
        (
            GOOD + "[plugin.capabilities]\nvisible_after_s = 31\n",
            "declaration.capabilities",
            "visible_after_s must be seconds, above 0 and up to 30, found 31",
        ),
        (
            GOOD + "[plugin.capabilities]\nvisible_after_s = true\n",
            "declaration.capabilities",
            "found True",
        ),
        (
            GOOD + "[plugin.capabilities]\nengines = ['flink']\n",
            "declaration.capabilities",
            "engines must be among resident, stream, found 'flink'",
        ),
    ],
    ids=[
        "missing",
        "syntax",
        "encoding",
        "other-format",
        "no-format",
        "empty",
        "other-plugin",
        "no-class",
        "no-endpoint",
        "number",
        "no-table",
        "no-tables",
        "config-no-table",
        "defined-twice",
        "capabilities-no-table",
        "types-no-list",
        "types-no-text",
        "parallel-no-bool",
        "unknown-delivery",
        "unknown-headers-policy",
        "unknown-order",
        "bound-too-long",
        "bound-no-number",
        "unknown-engine",
    ],
)
def test_mistake_is_explained(declare, text, code, words):
    """Each mistake has a code, names the plugin, and says what to do."""
    with pytest.raises(DiscoveryError) as raised:
        declare(text)

    assert raised.value.code == code
    assert words in str(raised.value)
    assert str(raised.value).startswith("lines.LinesSinkConnector cannot be certified: ")
    assert raised.value.hint


CAPABILITIES = GOOD + "[plugin.capabilities]\n"


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (
            CAPABILITIES + "paralel = true\n",
            "declaration.capabilities",
            '[plugin.capabilities] has no key "paralel": did you mean parallel?',
        ),
        (
            CAPABILITIES + "telepathy = true\n",
            "declaration.capabilities",
            '"telepathy": valid keys are delivery, types, fields, excluded_characters, schemaless,',
        ),
        (
            CAPABILITIES + 'types = ["string", "int46", "uuid"]\n',
            "declaration.capabilities",
            "found int46 (did you mean int64?), uuid (no such type)",
        ),
        (
            CAPABILITIES + 'upsert = "by key"\n',
            "declaration.capabilities",
            "upsert must be true or false, found 'by key'",
        ),
        (
            CAPABILITIES + "tombstones = true\n",
            "declaration.capabilities",
            "tombstones must be text, found True",
        ),
        (
            CAPABILITIES + 'fields = { id = "int64" }\n',
            "declaration.capabilities",
            "fields must have one of type string, unless types are declared",
        ),
        (
            GOOD.replace("[plugin.config]", "endpiont = 'x:Y'\n[plugin.config]"),
            "declaration.unknown-key",
            '[[plugin]] has no key "endpiont": did you mean endpoint?',
        ),
        (
            "fromat = 1\n" + GOOD,
            "declaration.unknown-key",
            'conformance.toml has no key "fromat": did you mean format?',
        ),
        (
            GOOD.replace("[[plugin]]", "[[plugins]]").replace("[plugin.config]", "[o]"),
            "declaration.plugin-missing",
            '"plugins": did you mean plugin?',
        ),
    ],
    ids=[
        "capability",
        "nothing-like-it",
        "types",
        "no-flag",
        "no-text",
        "rows-without-text",
        "of-a-plugin",
        "of-the-file",
        "table",
    ],
)
def test_a_misspelt_key_is_refused_with_the_one_that_was_meant(declare, text, code, words):
    """A promise that nobody reads would not be tested, and nobody would know."""
    with pytest.raises(DiscoveryError) as raised:
        declare(text)

    assert raised.value.code == code
    assert words in str(raised.value)


def test_everything_that_is_wrong_is_reported_at_once(declare):
    """One line for each problem, in the order of the file."""
    text = CAPABILITIES.replace(":Endpoint", "").replace('"{topic}"', "5")

    with pytest.raises(DiscoveryError) as raised:
        declare("odd = 1\n" + text + "delivery = 'once'\nordre = 'key'\n")

    lines = str(raised.value).splitlines()
    assert lines[0].endswith("conformance.toml: 5 problems")
    assert [line.split()[:2] for line in lines[1:]] == [
        ["-", "endpoint"],
        ["-", "settings"],
        ["-", "delivery"],
        ["-", "[plugin.capabilities]"],
        ["-", "conformance.toml"],
    ]


def test_path_is_part_of_the_message(declare, tmp_path):
    """The author is sent to the file."""
    with pytest.raises(DiscoveryError, match=str(Path(tmp_path, "lines", "conformance.toml"))):
        declare(None)


def test_source_cannot_claim_a_stream(tmp_path):
    """The reason for having none is reported."""
    (tmp_path / "lines").mkdir()
    claim = '[plugin.capabilities]\nengines = ["resident", "stream"]\n'
    (tmp_path / "lines" / "conformance.toml").write_text(GOOD + claim)
    plugin = PluginDescriptor(
        SOURCE, "lines", "LinesSinkConnector", "lines", "lines", "1.0", Location(tmp_path)
    )

    with pytest.raises(DiscoveryError, match="neither poll-then-know-offset") as raised:
        read_declarations(plugin)

    assert raised.value.code == "declaration.capabilities"


DIRECTORY = '{ kit = "directory", settings = { d = "{directory}" } }'
KIT = GOOD.replace('"lines.testing:Endpoint"', DIRECTORY)


def test_a_kit_is_declared_as_a_table(declare):
    """Its name is the endpoint, and its options are kept."""
    found = declare(KIT)

    assert found.endpoint == "directory"
    assert found.kit == {"kit": "directory", "settings": {"d": "{directory}"}}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"directory"', '"directry"', "found 'directry': did you mean directory?"),
        ('kit = "directory", ', "", "kit must be one of file, directory, table"),
        (', settings = { d = "{directory}" }', "", "the kit directory needs the option settings"),
        ("settings", "setings", 'the kit directory has no key "setings": did you mean settings?'),
        ('"{directory}"', '"{directroy}"', "settings must contain one of {directory}, found"),
        ('"{directory}"', "3", "settings must be text, these are not: d"),
        ("kit =", 'files = 0, format = "xml", kit =', "files must be a whole number above 0"),
        ("kit =", 'files = 0, format = "xml", kit =', "format must be text or json, found 'xml'"),
        ("kit =", 'value = "", kit =', "value must be text, found ''"),
        ("kit =", "foreign = { value = 7 }, kit =", "foreign must be a table of a value and a"),
        ('"directory"', '"objects"', "the kit objects needs the option url"),
        (
            "topics =",
            "topics = 'x'\n[plugin.capabilities]\nfields = { id = 'int64' }\n[o]\nt =",
            "endpoint kits have no rows",
        ),
    ],
)
def test_mistakes_in_a_kit_are_named(declare, old, new, words):
    """All at once."""
    with pytest.raises(DiscoveryError) as raised:
        declare(KIT.replace(old, new, 1))

    assert words in str(raised.value)
    assert raised.value.code == "declaration.endpoint"
