"""A Kafka that lets everybody in by name, and lets nobody do what no ACL allows."""

from __future__ import annotations

import importlib.util
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from tests.e2e.workers import free_port, until

from plugwright.kafka.brokers.embedded import open_embedded

__all__ = ["Authorized", "Right", "authorized_kafka", "login", "rights_of_page"]

PAGE = Path(__file__).parents[2] / "docs/_extension/reference_acls.py"
LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
USER = "connect"
_TYPES = {
    "Topic": ResourceType.TOPIC,
    "Group": ResourceType.GROUP,
    "TransactionalId": ResourceType.TRANSACTIONAL_ID,
}
_ANY = AclBindingFilter(
    ResourceType.ANY,
    None,
    ResourcePatternType.ANY,
    None,
    None,
    AclOperation.ANY,
    AclPermissionType.ANY,
)


@dataclass(frozen=True, slots=True)
class Right:
    """One ACL: what the user may do with what.

    Attributes:
        purpose: what the page gives it for.
        kind: of the resource, as the page says.
        name: of the resource; one that ends in a star is the beginning of names.
        operation: as the page says.
    """

    purpose: str
    kind: str
    name: str
    operation: str

    def binding(self):
        """The ACL."""
        prefixed = self.name.endswith("*")
        pattern = ResourcePatternType.PREFIXED if prefixed else ResourcePatternType.LITERAL
        operation = AclOperation[re.sub(r"(?<!^)(?=[A-Z])", "_", self.operation).upper()]
        return AclBinding(
            _TYPES[self.kind],
            self.name.rstrip("*"),
            pattern,
            f"User:{USER}",
            "*",
            operation,
            AclPermissionType.ALLOW,
        )


class Authorized:
    """A Kafka with an authorizer.

    Attributes:
        servers: where the only user logs in.
        inner: where everybody may do everything.
    """

    def __init__(self, broker, servers):
        self._broker = broker
        self.servers, self.inner = servers, broker.bootstrap_servers
        self._admin = AdminClient({"bootstrap.servers": self.inner})

    def allow(self, rights):
        """Give these rights and no others; waits until they count."""
        for asked in self._admin.delete_acls([_ANY]).values():
            asked.result(60)
        wanted = list({right.binding() for right in rights})
        for asked in self._admin.create_acls(wanted).values():
            asked.result(60)
        assert until(lambda: len(self._admin.describe_acls(_ANY).result(60)) == len(wanted))

    def denied(self):
        """What its authorizer has refused so far, as its log tells."""
        said = self._broker.log.read_text("utf-8", errors="replace")
        found = re.findall(
            r"Principal = (\S+) is Denied operation = (\S+) .*?on resource = (\S+)", said
        )
        return sorted(set(found))


@contextmanager
def authorized_kafka():
    """Such a Kafka until the block ends."""
    client, inner, controller = (f"127.0.0.1:{free_port()}" for _ in range(3))
    listeners = f"SECURED://{client},INNER://{inner}"
    properties = {
        "listeners": f"{listeners},CONTROLLER://{controller}",
        "advertised.listeners": listeners,
        "inter.broker.listener.name": "INNER",
        "controller.quorum.voters": f"1@{controller}",
        "listener.security.protocol.map": (
            "SECURED:SASL_PLAINTEXT,INNER:PLAINTEXT,CONTROLLER:PLAINTEXT"
        ),
        "listener.name.secured.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.secured.plain.sasl.jaas.config": f'{LOGIN} user_{USER}="{USER}";',
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
        "auto.create.topics.enable": "false",
    }
    with open_embedded(port=int(inner.rpartition(":")[2]), properties=properties) as broker:
        yield Authorized(broker, client)


def login(prefix=""):
    """The settings with which the only user logs in."""
    return {
        f"{prefix}security.protocol": "SASL_PLAINTEXT",
        f"{prefix}sasl.mechanism": "PLAIN",
        f"{prefix}sasl.jaas.config": f'{LOGIN} username="{USER}" password="{USER}";',
    }


def rights_of_page(values):
    """All that the page of rights lists, with these values of settings.

    Args:
        values: by the words in braces, and by those that stand for names.
    """
    page = _page()
    return [
        Right(use.purpose, kind, name, operation)
        for use in page.USES
        for kind, operations in page.needed(use).items()
        for text in use.names[kind]
        for name in _names(text, values)
        for operation in operations
    ]


def _names(text, values):
    if text.endswith("if that is set"):
        return []
    first = re.sub(r"0 and so on.*", "*", values.get(text, text.split(" or ")[0]))
    return [re.sub(r"\{(.+?)\}", lambda found: values[found[1]], first)]


def _page():
    spec = importlib.util.spec_from_file_location("reference_acls", PAGE)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module
