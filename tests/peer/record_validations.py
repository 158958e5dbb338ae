"""Ask the real worker again: ``python -m tests.peer.record_validations`` in the root.

The cases are those of the recording; a new one is a line with its name, plugin, configuration and
an empty answer.
"""

from __future__ import annotations

from urllib.parse import quote

from tests.peer.java_connect import JavaConnect
from tests.peer.validations import RECORDED, kept, recorded

from plugwright.kafka.brokers import open_broker

_JSON = "org.apache.kafka.connect.json.JsonConverter"
_SETTINGS = {
    "group.id": "g",
    "config.storage.topic": "c",
    "offset.storage.topic": "o",
    "status.storage.topic": "s",
    "key.converter": _JSON,
    "value.converter": _JSON,
}


def main() -> None:
    """Write the recording anew."""
    cases = recorded()
    with open_broker() as broker, JavaConnect(broker.bootstrap_servers, _SETTINGS) as worker:
        asked = {
            each.name: (each.plugin, each.config, *_asked(worker, each.plugin, each.config))
            for each in cases
        }
    RECORDED.write_text("".join(f"{line}\n" for line in kept(asked)), "utf-8")


def _asked(worker: JavaConnect, plugin: str, config: object) -> tuple[int, object]:
    return worker.call(
        f"/connector-plugins/{quote(plugin, safe='')}/config/validate", "PUT", config
    )


if __name__ == "__main__":
    main()
