"""Lines that a file source and a file sink carry through a topic."""

from __future__ import annotations

from tests.e2e.workers import until

from plugwright.kafka import GroupOffsets, create_topic, read_topic

__all__ = ["Pipeline"]


class Pipeline:
    """Lines through a file source, a topic and a file sink."""

    def __init__(self, servers, worker, directory, name, extra=None):
        self.servers, self.worker, self.topic = servers, worker, name
        self.source, self.sink = directory / "in.txt", directory / "out.txt"
        self.lines = []
        create_topic(servers, name)
        self.add(0)
        source = {"connector.class": "FileStreamSource", "file": str(self.source), "topic": name}
        worker.create("in", {**source, **(extra or {})})
        self.create_sink("out", self.sink)
        for connector in ("in", "out"):
            worker.wait_for_state(connector, timeout_s=240)

    def create_sink(self, name, file, tasks=1):
        """Another sink for the same topic."""
        config = {"connector.class": "FileStreamSink", "file": str(file), "topics": self.topic}
        self.worker.create(name, {**config, "tasks.max": str(tasks)})

    def add(self, count):
        """More lines."""
        new = [f"line {len(self.lines) + n}" for n in range(count)]
        self.lines += new
        with self.source.open("a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in new))

    def in_topic(self):
        """What committed readers find."""
        return [message.value().decode() for message in read_topic(self.servers, self.topic)]

    def in_file(self):
        """What the sink has written."""
        return self.sink.read_text("utf-8").splitlines() if self.sink.exists() else []

    def flows(self):
        """Whether new lines come through."""
        self.add(500)
        return until(lambda: self.lines[-1] in self.in_file())

    def committed(self):
        """Where the sink's group is."""
        offsets = GroupOffsets(self.servers, "connect-out").read()
        return sum(offset for place, offset in offsets.items() if place.topic == self.topic)
