# keywatch - changes of a key-value file as a compacted Kafka topic
#
# An application keeps its settings and gauges in one JSON object and saves it as a whole, each time
# as a new file: state-000001.json, state-000002.json, ... (written elsewhere, then renamed).
# The difference of each version to the one before becomes records: one for every key that is new
# or has another value, in the order of the file, then a tombstone for every key that is gone.
import json
import os
import re
import threading
from collections import deque
from typing import Any, NamedTuple, Optional

from plugwright import (BOOLEAN_SCHEMA, FLOAT64_SCHEMA, INT64_SCHEMA, STRING_SCHEMA, ConfigDef,
                        ConfigError, ConfigType, ConnectError, DataError, Headers, Importance,
                        NonEmptyString, Range, RetriableError, SourceConnector, SourceRecord,
                        SourceTask)

VERSION = '0.9'
SCHEMAS = {bool: BOOLEAN_SCHEMA, int: INT64_SCHEMA, float: FLOAT64_SCHEMA, str: STRING_SCHEMA}
GONE = object()


def _plain_name(name, value):
    if not value or not re.fullmatch(r'[\w.-]+', value):
        raise ConfigError(f'Invalid value {value!r} for configuration {name}: '
                          'letters, digits, dots, hyphens and underscores are allowed')


CONFIG = (ConfigDef()
          .define('directory', ConfigType.STRING, importance=Importance.HIGH,
                  validator=NonEmptyString(), documentation='Where the versions of the file are.')
          .define('file.name', ConfigType.STRING, 'state', importance=Importance.HIGH,
                  validator=_plain_name,
                  documentation='What the names begin with, before -NUMBER.json.')
          .define('topic', ConfigType.STRING, importance=Importance.HIGH,
                  validator=NonEmptyString(), documentation='A topic, best a compacted one.')
          .define('records.max', ConfigType.INT, 500, importance=Importance.LOW,
                  validator=Range.at_least(1), documentation='Most records per poll.')
          .define('check.ms', ConfigType.INT, 1000, importance=Importance.LOW,
                  validator=Range.at_least(1),
                  documentation='Milliseconds between two looks into the directory.'))


class Place(NamedTuple):
    """How far the changes from one version to another were read."""
    base: int      # 0 is the empty state before the first version
    version: int
    done: int
    of: int

    def as_offset(self):
        return self._asdict()


START = Place(0, 0, 0, 0)


def place_of(offset) -> Place:
    if offset is None:
        return START
    try:
        place = Place(**offset)
    except TypeError:
        place = None
    if (place is None or any(type(number) is not int for number in place)
            or not 0 <= place.base <= place.version or not 0 <= place.done <= place.of):
        raise ConnectError(f'cannot start at offset {dict(offset)}',
                           hint='it needs base, version, done and of; or delete it')
    return place


class Change(NamedTuple):
    key: str
    value: Any


def same(one, other):
    return type(one) is type(other) and repr(one) == repr(other)  # so that nan is like nan


def changes(old: dict, new: dict):
    found = [Change(key, value) for key, value in new.items()
             if not (key in old and same(old[key], value))]
    return found + [Change(key, GONE) for key in old if key not in new]


class Versions:
    """The directory."""

    def __init__(self, directory, name):
        self.directory = directory
        self.name = name
        self.pattern = re.compile(re.escape(name) + r'-([0-9]+)\.json')

    def files(self):
        names = {}
        for entry in os.listdir(self.directory):
            match = self.pattern.fullmatch(entry)
            if match and int(match[1]) > 0:
                names[int(match[1])] = entry
        return names

    def read(self, entry) -> dict:
        with open(os.path.join(self.directory, entry), 'rb') as file:
            data = file.read()
        try:
            state = json.loads(data)
        except ValueError as e:
            raise DataError(f'{entry} is not JSON: {e}') from e
        if not isinstance(state, dict):
            raise DataError(f'{entry} should have a JSON object')
        return state


class KeywatchConnector(SourceConnector):
    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self.props = dict(props)

    def stop(self):
        self.props = None

    def task_class(self):
        return KeywatchTask

    def task_configs(self, max_tasks):
        return [dict(self.props)]

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {'file'}:
                raise ConnectError(f'{dict(partition)} is no partition of this connector')
            place_of(offset)
        return True


class KeywatchTask(SourceTask):
    def __init__(self):
        self.stopped = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        self.stopped.clear()
        config = CONFIG.parse(props)
        self.topic, self.most = config['topic'], config['records.max']
        self.wait = config['check.ms'] / 1000
        self.versions = Versions(config['directory'], config['file.name'])
        self.partition = {'file': config['file.name']}
        self.place = place_of(self.context.offset_storage_reader.offset(self.partition))
        self.state: Optional[dict] = None    # of self.place.version, once all was read
        self.pending: deque = deque()        # changes of self.place.version to come

    def poll(self):
        if self.stopped.is_set():
            return None
        try:
            if self.state is None:
                self.resume()
            if not self.pending and not self.advance():
                self.stopped.wait(self.wait)
                return None
        except (NotADirectoryError, PermissionError) as e:
            raise ConnectError(f'no access to the versions of {self.versions.name}: {e}') from e
        except OSError as e:
            self.stopped.wait(self.wait)
            raise RetriableError(f'cannot read the versions of {self.versions.name}: {e}') from e
        return self.records() or None

    def stop(self):
        self.stopped.set()

    def resume(self):
        """Take up the state of the stored place, and what is left of its changes."""
        files, place = self.versions.files(), self.place
        finished = place.done == place.of
        needed = {place.version} if finished else {place.base, place.version}
        missing = sorted(needed - {0} - set(files))
        if missing:
            raise ConnectError(f'version {missing[0]} of {self.versions.name} is needed to go on, '
                               'but has been deleted', hint='delete the offsets of the connector')
        state = self.versions.read(files[place.version]) if place.version else {}
        if not finished:
            base = self.versions.read(files[place.base]) if place.base else {}
            left = changes(base, state)
            if len(left) != place.of:
                raise ConnectError(f'version {place.version} of {self.versions.name} is another '
                                   'one than when it was read', hint='delete the offsets')
            self.pending.extend(left[place.done:])
        self.state = state

    def advance(self):
        """Go to the next version that has changes; False if there is none yet."""
        files = self.versions.files()
        for number in sorted(n for n in files if n > self.place.version):
            new = self.versions.read(files[number])
            found = changes(self.state, new)
            if found:
                self.place = Place(self.place.version, number, 0, len(found))
                self.state = new
                self.pending.extend(found)
                return True
        return False

    def records(self):
        records = []
        while self.pending and len(records) < self.most:
            try:
                record = self.record(self.pending[0])
            except DataError:
                if records:
                    break
                raise
            self.pending.popleft()
            self.place = self.place._replace(done=self.place.done + 1)
            record.source_offset = self.place.as_offset()
            records.append(record)
        return records

    def record(self, change):
        where = f'key {change.key!r} of version {self.place.version} of {self.versions.name}'
        value, schema = change.value, None
        if value is GONE:
            value = None
        else:
            schema = SCHEMAS.get(type(value))
            if schema is None:
                raise DataError(f'{where} has a {type(value).__name__}, which is not supported')
            if type(value) is int and not -2**63 <= value < 2**63:
                raise DataError(f'{where} has a number of more than 64 bits')
        headers = Headers().add_long('state.version', self.place.version)
        return SourceRecord(self.partition, None, self.topic, value, schema, key=change.key,
                            key_schema=STRING_SCHEMA, headers=headers)
