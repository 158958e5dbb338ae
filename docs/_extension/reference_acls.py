"""The rights that a secured Kafka has to give, made of the requests that the code sends."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import plugwright.kafka

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

__all__ = ["FREE", "IMPLYING", "RIGHTS", "USES", "Use", "acls", "needed", "requests"]

Right = tuple[str, str]

RIGHTS: Mapping[str, Collection[Right]] = {
    "abort_transaction": {("TransactionalId", "Write")},
    "alter_consumer_group_offsets": {("Group", "Read"), ("Topic", "Read")},
    "assign": {("Topic", "Read"), ("Topic", "Describe")},
    "begin_transaction": {("TransactionalId", "Write")},
    "commit": {("Group", "Read"), ("Topic", "Read")},
    "commit_transaction": {("TransactionalId", "Write")},
    "committed": {("Group", "Describe"), ("Topic", "Describe")},
    "create_topics": {("Topic", "Create")},
    "delete_consumer_groups": {("Group", "Delete")},
    "describe_cluster": set(),
    "describe_configs": {("Topic", "DescribeConfigs")},
    "describe_consumer_groups": {("Group", "Describe")},
    "describe_topics": {("Topic", "Describe")},
    "get_watermark_offsets": {("Topic", "Describe")},
    "incremental_assign": {("Topic", "Read"), ("Topic", "Describe")},
    "init_transactions": {("TransactionalId", "Write"), ("TransactionalId", "Describe")},
    "list_consumer_group_offsets": {("Group", "Describe"), ("Topic", "Describe")},
    "list_offsets": {("Topic", "Describe")},
    "list_topics": {("Topic", "Describe")},
    "offsets_for_times": {("Topic", "Describe")},
    "produce": {("Topic", "Write"), ("Topic", "Describe")},
    "subscribe": {("Group", "Read"), ("Topic", "Read"), ("Topic", "Describe")},
}
"""What Kafka's authorizer asks for, for each method of the client (Kafka, Authorization)."""

IMPLYING = frozenset({"Read", "Write", "Delete", "Alter"})
"""Whoever may do one of these with a resource may describe it."""

FREE = frozenset(
    {
        "assignment",
        "close",
        "consume",
        "consumer_group_metadata",
        "flush",
        "incremental_unassign",
        "memberid",
        "pause",
        "poll",
        "purge",
        "resume",
        "seek",
        "unassign",
        "unsubscribe",
    }
)
"""Methods that need no right beside those for what was done before."""


@dataclass(frozen=True, slots=True)
class Use:
    """The purposes of some modules of the Kafka package.

    Attributes:
        purpose: what for, and when.
        modules: those whose requests are sent.
        names: of the resources of each type, with settings in braces; other types are not meant.
        without: methods of the modules that are not called for this.
    """

    purpose: str
    modules: Sequence[str]
    names: Mapping[str, Sequence[str]]
    without: Collection[str] = ()


_INTERNAL = (
    "{config.storage.topic}",
    "{config.storage.topic}-shards",
    "{offset.storage.topic}",
    "{status.storage.topic}",
)
_SINK_GROUP = ("connect-{name}", "{consumer.override.group.id} if that is set")
_CLUSTER_IDS = ("{group.id}-shard-0 and so on, up to {shard.storage.partitions}",)

USES: Sequence[Use] = (
    Use(
        "a distributed worker, for its topics",
        (
            "admin",
            "client_log",
            "compacted_topic",
            "_log",
            "_log_positions",
            "log_writer",
            "topics",
        ),
        {"Topic": _INTERNAL, "TransactionalId": _CLUSTER_IDS},
    ),
    Use(
        "a distributed worker, for its group",
        ("shards",),
        {"Topic": ("{config.storage.topic}-shards",), "Group": ("{group.id}",)},
    ),
    Use(
        "any worker, to show, change or reset the offsets of a sink connector",
        ("_group_child",),
        {"Group": _SINK_GROUP, "Topic": ("{topics} or {topics.regex}",)},
    ),
    Use(
        "a task of a source connector",
        ("_producer",),
        {"Topic": ("the topics of its records",)},
    ),
    Use(
        "a task of a source connector, to make its topics, unless `topic.creation.enable=false`",
        ("topics",),
        {"Topic": ("the topics of its records",)},
        without=("assign", "produce", "get_watermark_offsets"),
    ),
    Use(
        "a task of an exactly-once source (`exactly.once.source.support=enabled`)",
        ("_transactions", "offset_store", "topics", "_writable"),
        {
            "Topic": ("{offset.storage.topic} or {offsets.storage.topic}",),
            "TransactionalId": ("{group.id}-{name}-0 and so on, up to {tasks.max}",),
        },
        without=("create_topics", "get_watermark_offsets"),
    ),
    Use(
        "a source connector with an offsets topic of its own (`offsets.storage.topic`)",
        ("compacted_topic", "offset_store", "topics"),
        {"Topic": ("{offsets.storage.topic}",)},
    ),
    Use(
        "a task of a sink connector",
        ("consumer", "_missing_topics"),
        {"Topic": ("{topics} or {topics.regex}",), "Group": _SINK_GROUP},
    ),
    Use(
        "a dead-letter queue",
        ("_producer", "topics"),
        {"Topic": ("{errors.deadletterqueue.topic.name}",)},
        without=("assign", "get_watermark_offsets"),
    ),
    Use(
        "a data source with a topic (`plugwright.spark`)",
        ("range_reader",),
        {"Topic": ("the topic",)},
    ),
)


def requests() -> Mapping[str, Collection[str]]:
    """For each module of the Kafka package, the methods of the client that it uses."""
    package = Path(plugwright.kafka.__file__).parent
    found = {path.stem: set(_methods(path)) for path in sorted(package.glob("*.py"))}
    return {name: methods for name, methods in found.items() if methods}


def _methods(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text("utf-8"))
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in RIGHTS:
            is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
            if not (is_own and node.attr in own):
                yield node.attr


def needed(use: Use) -> Mapping[str, Sequence[str]]:
    """The operations that a use needs, by the type of the resource."""
    sent = requests()
    methods = {each for module in use.modules for each in sent.get(module, ())} - {*use.without}
    rights = {right for method in methods for right in RIGHTS[method] if right[0] in use.names}
    return {
        kind: sorted(_not_implied({operation for each, operation in rights if each == kind}))
        for kind in use.names
        if any(each == kind for each, _ in rights)
    }


def _not_implied(operations: Collection[str]) -> Collection[str]:
    """Those that Kafka's authorizer does not derive from another one of them (KIP-35)."""
    implied = {"Describe"} if not IMPLYING.isdisjoint(operations) else set()
    return set(operations) - implied


def acls() -> str:
    """The page: one row for each use and type of resource."""
    rows = [
        f"| {use.purpose} | {kind} | {'<br>'.join(map(_name, use.names[kind]))} "
        f"| {', '.join(operations)} |"
        for use in USES
        for kind, operations in needed(use).items()
    ]
    head = "| who, what for | resource | name | operations |\n|---|---|---|---|"
    return "\n\n".join([_TITLE, "\n".join([head, *rows]), _NOTES])


def _name(text: str) -> str:
    """A name with its settings marked as such."""
    return text.replace("{", "`{").replace("}", "}`") if "{" in text else text


_TITLE = """# Rights in a secured Kafka

What the login of each client has to be allowed to do where brokers have an authorizer (ACLs).
Names in braces are values of settings. The table is made of the requests that the code sends; a
worker, its source tasks and its sink tasks may have logins of their own (settings without prefix,
`producer.` and `consumer.`, see [](../../operate/security.md))."""
_NOTES = """`Read`, `Write` and `Delete` include `Describe`, which is listed where they are not.
Topics that exist already need no `Create`. Without `DescribeConfigs` a worker warns that it cannot
see whether a topic is compacted. Readers name the groups `plugwright-reader` and
`plugwright-range-reader`, which nobody joins: where they may not be described (`Describe`), the
broker notes that in its log, and everything works.

Of the clients of tasks, those with `producer.` settings need `Write`, those with `consumer.`
settings `Read`, and those with `admin.` settings, which are the worker's own login unless they are
set, all other operations, and `Write` for the transactional ids of sources as well.

A standalone worker keeps its offsets in a file and needs the rows of its tasks only. Brokers older
than 3.0 ask a producer for `IdempotentWrite` on the cluster as well.

```text
kafka-acls.sh --bootstrap-server localhost:9092 --add --allow-principal User:connect \\
  --operation Read --operation Describe --topic orders
kafka-acls.sh --bootstrap-server localhost:9092 --add --allow-principal User:connect \\
  --operation Read --operation Describe --group connect- --resource-pattern-type prefixed
```"""
