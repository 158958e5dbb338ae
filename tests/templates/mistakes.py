"""Small mistakes that authors of connectors make, each as an edit of a project just generated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["MISTAKES", "Mistake"]


@dataclass(frozen=True)
class Mistake:
    """An edit of a generated project, and what its author runs next.

    Attributes:
        name: of the mistake, and of the golden file with its first message.
        kind: of the project.
        edits: text to replace, and its replacement; each old text occurs once in the project.
        run: ``list``, ``certify``, or what a worker does: ``start`` the connector, or ``work``.
        settings: of the connector, where a worker runs it.
        check: the first one that fails, where it is a check that tells.
    """

    name: str
    kind: str
    run: str
    edits: Sequence[tuple[str, str]] = ()
    settings: Sequence[tuple[str, str]] = ()
    check: str = ""

    def make(self, project: Path) -> None:
        """Make it in a copy of the project.

        Raises:
            ValueError: if the project does not have the text exactly once.
        """
        files = [project / "pyproject.toml", *project.glob(f"src/*/{self.kind}.py")]
        for old, new in self.edits:
            (file,) = (file for file in files if file.read_text("utf-8").count(old) == 1)
            file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")


_ENTRY = (
    '[project.entry-points."plugwright.SourceConnector"]\n'
    '"shop_source.ShopSourceConnector" = "shop_source:ShopSourceConnector"\n'
)
_CONNECTOR_INIT = "    def __init__(self) -> None:\n        self._props: Mapping[str, str] = {}\n"
_SOURCE_VERSION = (
    "        self._props: Mapping[str, str] = {}\n\n    def version(self) -> str:\n"
    '        """The version of this distribution."""\n        return __version__\n'
)
_CLOSE = """        if self._journal is not None:
            self._journal.close()
"""
_LATE_CLOSE = """        if self._journal is not None:
            if self._late:
                self._journal.append(self._late)
            self._journal.close()
"""
_FLUSH = """        if self._journal is not None:
            self._journal.make_durable()
"""
_PLAIN_KEY = """
    .define(
        "api.password",
        ConfigType.STRING,
        default="",
        importance=Importance.HIGH,
        documentation="What the shop asks for before it lets anyone read.",
    )
)
\"\"\"Every setting of the source."""
_LATE = """        self._journal: Journal | None = None
        self._late: list[str | None] = []
"""
_CHANGES = """        for record in records:
            record.value = None
        if texts and self._journal is not None:
"""
_DOCUMENTATION = (
    '    documentation="Path of the journal to append to; it is made if it does not exist.",\n'
)
_RETURN = "        return [\n            SourceRecord("
_STOP = "        self._stopping.set()\n"

MISTAKES = (
    Mistake("entry-point-missing", "source", "certify", [(_ENTRY, "")]),
    Mistake(
        "entry-point-group-misspelt",
        "source",
        "certify",
        [('"plugwright.SourceConnector"]', '"plugwright.SourceConector"]')],
    ),
    Mistake(
        "entry-point-class-missing",
        "source",
        "list",
        [('"shop_source:ShopSourceConnector"', '"shop_source:ShopConnector"')],
    ),
    Mistake(
        "entry-point-names-the-task",
        "source",
        "list",
        [('"shop_source:ShopSourceConnector"', '"shop_source.source:ShopSourceTask"')],
    ),
    Mistake(
        "version-forgotten",
        "source",
        "certify",
        [(_SOURCE_VERSION, "        self._props: Mapping[str, str] = {}\n")],
        check="PLG-PKG-03",
    ),
    Mistake(
        "version-forgotten-at-start",
        "source",
        "start",
        [(_SOURCE_VERSION, "        self._props: Mapping[str, str] = {}\n")],
    ),
    Mistake(
        "constructor-wants-arguments",
        "sink",
        "certify",
        [(_CONNECTOR_INIT, _CONNECTOR_INIT.replace("(self)", "(self, file: str)"))],
        check="PLG-DSC-13",
    ),
    Mistake(
        "constructor-wants-arguments-at-start",
        "sink",
        "start",
        [(_CONNECTOR_INIT, _CONNECTOR_INIT.replace("(self)", "(self, file: str)"))],
    ),
    Mistake(
        "package-not-installed",
        "source",
        "list",
        [("import threading\n", "import threading\n\nimport shop_client\n")],
    ),
    Mistake(
        "offset-not-plain",
        "source",
        "work",
        [
            ("import threading\n", "import threading\nfrom datetime import datetime\n"),
            ('{"position": entry.end}', '{"position": datetime(2026, 1, 2, 3, 4, 5)}'),
        ],
    ),
    Mistake(
        "partition-not-a-map",
        "source",
        "work",
        [("source_partition=self._partition", 'source_partition=self._partition["file"]')],
    ),
    Mistake(
        "secret-as-string",
        "source",
        "certify",
        [('\n)\n"""Every setting of the source.', _PLAIN_KEY)],
        check="CON-SEC-01",
    ),
    Mistake(
        "key-without-documentation",
        "sink",
        "certify",
        [
            (_DOCUMENTATION, ""),
        ],
        check="CON-CFG-02",
    ),
    Mistake(
        "one-task-too-many",
        "sink",
        "start",
        [("[self._props] * max_tasks", "[self._props] * (max_tasks + 1)")],
    ),
    Mistake(
        "task-class-inside-function",
        "sink",
        "start",
        [
            (
                "        return ShopSinkTask\n",
                "\n        class Task(ShopSinkTask):\n            pass\n\n        return Task\n",
            )
        ],
    ),
    Mistake(
        "poll-returns-a-map",
        "source",
        "work",
        [
            (
                "        return [\n            Source",
                '        return {"": 1}\n        [\n            Source',
            )
        ],
    ),
    Mistake(
        "poll-spins",
        "source",
        "certify",
        [("            self._stopping.wait(_WAIT_S)\n", "")],
        check="CON-LIF-10",
    ),
    Mistake(
        "stop-blocks",
        "source",
        "certify",
        [(_STOP, "        threading.Event().wait()\n")],
        check="CON-LIF-02",
    ),
    Mistake(
        "put-changes-records",
        "sink",
        "certify",
        [
            (
                "        if texts and self._journal is not None:\n",
                _CHANGES,
            )
        ],
        check="SNK-TYP-10",
    ),
    Mistake(
        "flush-missing",
        "sink",
        "certify",
        [
            ("        self._journal: Journal | None = None\n", _LATE),
            ("            self._journal.append(texts)\n", "            self._late += texts\n"),
            (_FLUSH, ""),
            (_CLOSE, _LATE_CLOSE),
        ],
        check="SNK-OFF-01",
    ),
    Mistake(
        "setting-misspelt",
        "sink",
        "start",
        settings=[("flie", "journal.jsonl")],
    ),
    Mistake(
        "value-does-not-fit-schema",
        "source",
        "work",
        [
            ("    OPTIONAL_STRING_SCHEMA,\n    ConfigDef,", "    INT32_SCHEMA,\n    ConfigDef,"),
            ("value_schema=OPTIONAL_STRING_SCHEMA", "value_schema=INT32_SCHEMA"),
        ],
    ),
    Mistake(
        "sink-among-sources",
        "sink",
        "list",
        [('."plugwright.SinkConnector"]', '."plugwright.SourceConnector"]')],
    ),
    Mistake(
        "config-returns-nothing",
        "sink",
        "start",
        [("        return CONFIG\n", "        CONFIG  # noqa: B018\n")],
    ),
    Mistake(
        "task-configs-returns-one",
        "sink",
        "start",
        [("[self._props] * max_tasks", "self._props")],
    ),
    Mistake(
        "task-class-returns-a-task",
        "sink",
        "start",
        [("        return ShopSinkTask\n", "        return ShopSinkTask()\n")],
    ),
)
