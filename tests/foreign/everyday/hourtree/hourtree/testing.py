"""A tree of files with JSON lines, without the connector."""

import base64
import json
import shutil
from datetime import UTC, date, datetime
from decimal import Decimal

MARKS = {
    "$bytes": base64.b64decode,
    "$decimal": Decimal,
    "$time": datetime.fromisoformat,
    "$date": date.fromisoformat,
    "$float": float,
}


class TreeEndpoint:
    def __init__(self, directory):
        self._tree = directory / "tree"
        self._aside = directory / "aside"

    def start(self):
        self._tree.mkdir()
        return {"tree.directory": str(self._tree)}

    def stop(self):
        if self._tree.is_file():
            self._tree.unlink()
        shutil.rmtree(self._tree, ignore_errors=True)
        shutil.rmtree(self._aside, ignore_errors=True)

    def seed(self, values):
        directory = self._tree / "seed" / "no-time"
        directory.mkdir(parents=True, exist_ok=True)
        begin = len(self._lines())
        lines = [
            json.dumps({"value": _marked(value), "headers": [], "timestamp": None})
            for value in values
        ]
        name = f"seed+0+{begin}-{begin + len(lines) - 1}.jsonl"
        (directory / name).write_text("".join(line + "\n" for line in lines), "utf-8")

    def read_back(self):
        return [_unmarked(line["value"]) for _, _, line in self._lines()]

    def read_headers(self):
        return [
            [(name, _unmarked(value)) for name, value in line["headers"]]
            for _, _, line in self._lines()
        ]

    def read_timestamps(self):
        """The time of a line, or the hour that a reader takes it for who reads hour by hour."""
        times = []
        for _, hour, line in self._lines():
            time = line["timestamp"]
            if hour != "no-time" and hour != _hour(time):
                time = int(datetime.fromisoformat(f"{hour}:00+00:00").timestamp() * 1000)
            times.append(time)
        return times

    def read_topics(self):
        return [topic for topic, _, _ in self._lines()]

    def refuse(self):
        self._tree.rename(self._aside)
        self._tree.touch()
        return ("cannot write",)

    def recover(self):
        self._tree.unlink()
        self._aside.rename(self._tree)
        return ()

    def _lines(self):
        """Every line with its topic and hour, in the order of the offsets of each partition."""
        lines = []
        for file in sorted(self._tree.glob("*/*/[!.]*.jsonl"), key=_order):
            hour, topic = file.parent.name, file.parent.parent.name
            text = file.read_text("utf-8")
            lines += [(topic, hour, json.loads(line)) for line in text.split("\n")[:-1]]
        return lines


def _order(file):
    topic, partition, offsets = file.stem.rsplit("+", 2)
    return topic, int(partition), int(offsets.partition("-")[0])


def _hour(time):
    if time is None:
        return "no-time"
    return datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%dT%H")


def _marked(value):
    match value:
        case bytes():
            return {"$bytes": base64.b64encode(value).decode()}
        case Decimal():
            return {"$decimal": format(value, "f")}
        case datetime():
            return {"$time": value.astimezone(UTC).isoformat()}
        case date():
            return {"$date": value.isoformat()}
        case float() if value != value or value in {float("inf"), -float("inf")}:
            return {"$float": repr(value)}
        case dict():
            return {name: _marked(each) for name, each in value.items()}
        case list():
            return [_marked(each) for each in value]
    return value


def _unmarked(value):
    if isinstance(value, list):
        return [_unmarked(each) for each in value]
    if not isinstance(value, dict):
        return value
    for mark, parse in MARKS.items():
        if value.keys() == {mark}:
            return parse(value[mark])
    return {name: _unmarked(each) for name, each in value.items()}
