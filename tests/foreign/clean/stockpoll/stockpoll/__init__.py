'''Polls tables of an SQLite database for rows that were added or updated.

Every poll runs one query on one table, on a connection of its own, in the order of
(updated_at, id). Whoever writes the table sets updated_at to the current time in UTC, as text like
2026-01-31T12:00:00.000000+00:00, which sorts like the time does.
'''
import sqlite3
import threading
from contextlib import closing
from datetime import datetime, timedelta, timezone
from decimal import Decimal as D
from decimal import InvalidOperation
from pathlib import Path

import plugwright as pw
from plugwright import ConfigDef, ConfigType, Importance

VERSION = '3.0.1'

KEY_SCHEMA = pw.SchemaBuilder.struct().name('stock.Key').field('id', pw.INT64_SCHEMA).build()

VALUE_SCHEMA = (pw.SchemaBuilder.struct().name('stock.Item')
                .field('sku', pw.STRING_SCHEMA)
                .field('quantity', pw.INT32_SCHEMA)
                .field('price', pw.Decimal.schema(2))
                .field('discount', pw.Decimal.builder(4).optional().build())
                .field('restocked', pw.Timestamp.builder().optional().build())
                .field('remark', pw.OPTIONAL_STRING_SCHEMA)
                .build())

QUERY = '''
SELECT id, updated_at, sku, quantity, price, discount, restocked, remark
  FROM "%s"
 WHERE (updated_at > :at OR (updated_at = :at AND id > :id))
   AND updated_at <= :until
 ORDER BY updated_at, id
 LIMIT :limit
'''


def check_identifier(name, value):
    for table in value or []:
        if not table.isidentifier() or not table.isascii():
            raise pw.ConfigError('Invalid value %r for configuration %s: not a table name'
                                 % (table, name))
    if not value:
        raise pw.ConfigError('Invalid value for configuration %s: at least one table' % name)


CONFIG = (
    ConfigDef()
    .define('db.path', ConfigType.STRING, importance=Importance.HIGH,
            validator=pw.NonEmptyString(), documentation='Path of the SQLite database.')
    .define('db.tables', ConfigType.LIST, importance=Importance.HIGH, validator=check_identifier,
            documentation='Tables to read; they are shared among the tasks.')
    .define('topic', ConfigType.STRING, importance=Importance.HIGH, validator=pw.NonEmptyString(),
            documentation='Topic that the rows of all tables go to.')
    .define('batch.rows', ConfigType.INT, 500, Importance.MEDIUM,
            'Rows that a query returns at most.', validator=pw.Range.between(1, 10000))
    .define('poll.ms', ConfigType.INT, 1000, Importance.MEDIUM,
            'Pause in ms after all tables had nothing new, and after a failed query.',
            validator=pw.Range.at_least(1))
    .define('delay.ms', ConfigType.INT, 0, Importance.LOW,
            'Rows younger than this many ms are left for later. Set it to more than the longest '
            'transaction if several writers commit in another order than that of updated_at.',
            validator=pw.Range.at_least(0))
)


class StockSourceConnector(pw.SourceConnector):

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        self._tables = CONFIG.parse(props)['db.tables']
        self._props = dict(props)

    def task_class(self):
        return StockSourceTask

    def task_configs(self, max_tasks):
        tables = sorted(set(self._tables))
        shares = pw.group_partitions(tables, min(len(tables), max_tasks))
        return [dict(self._props, **{'db.tables': ','.join(share)}) for share in shares]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if list(partition) != ['table'] or not isinstance(partition['table'], str):
                raise pw.ConnectError('partitions have a table only, not %r' % dict(partition))
            if offset is not None:
                parse_offset(offset)
        return True


def parse_offset(offset):
    try:
        at, row_id = offset['updated_at'], offset['id']
        if len(offset) == 2 and type(row_id) is int and parse_time(at).utcoffset() is not None:
            return at, row_id
    except (KeyError, TypeError, ValueError):
        pass
    raise pw.ConnectError('cannot start from offset %r, it needs updated_at and id' % dict(offset))


def parse_time(text):
    if not isinstance(text, str):
        raise TypeError('a time is text, not %s' % type(text).__name__)
    return datetime.fromisoformat(text)


def parse_decimal(text, scale):
    if not isinstance(text, str):
        raise TypeError('a decimal is text, not %s' % type(text).__name__)
    number = D(text)
    if not number.is_finite() or number.as_tuple().exponent != -scale:
        raise ValueError('%r is no number with %d decimal places' % (text, scale))
    return number


COLUMNS = {
    'price': lambda text: parse_decimal(text, 2),
    'discount': lambda text: parse_decimal(text, 4),
    'restocked': parse_time,
}


def row_to_struct(row, table):
    value = pw.Struct(VALUE_SCHEMA)
    for field in VALUE_SCHEMA.fields:
        raw = row[field.name]
        try:
            if raw is not None and field.name in COLUMNS:
                raw = COLUMNS[field.name](raw)
            value.put(field.name, raw)
        except (InvalidOperation, TypeError, ValueError, pw.DataError) as e:
            raise pw.DataError('table %s, row %s, column %s: %s' % (table, row['id'], field.name, e)
                               ) from e
    return value


class StockSourceTask(pw.SourceTask):

    def __init__(self):
        self._stop = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        self._stop.clear()
        self._config = CONFIG.parse(props)
        self._uri = Path(self._config['db.path']).absolute().as_uri() + '?mode=ro'
        self._places = {}
        reader = self.context.offset_storage_reader
        for table in self._config['db.tables']:
            offset = reader.offset({'table': table})
            self._places[table] = ('', 0) if offset is None else parse_offset(offset)
        self._turn = 0

    def poll(self):
        tables = list(self._places)
        for _ in tables:
            if self._stop.is_set():
                return None
            table = tables[self._turn % len(tables)]
            rows = self._query(table)
            records = self._records(table, rows)
            self._turn += 1
            if records:
                return records
        self._pause()
        return None

    def stop(self):
        self._stop.set()

    def _pause(self):
        self._stop.wait(self._config['poll.ms'] / 1000)

    def _query(self, table):
        at, row_id = self._places[table]
        until = '9999'
        if self._config['delay.ms']:
            now = datetime.now(timezone.utc) - timedelta(milliseconds=self._config['delay.ms'])
            until = now.isoformat(timespec='microseconds')
        arguments = {'at': at, 'id': row_id, 'until': until, 'limit': self._config['batch.rows']}
        try:
            with closing(sqlite3.connect(self._uri, uri=True, timeout=0.5)) as connection:
                connection.row_factory = sqlite3.Row
                return connection.execute(QUERY % table, arguments).fetchall()
        except (sqlite3.Error, OSError) as e:
            message = 'cannot read table %s of %s: %s' % (table, self._config['db.path'], e)
            if 'no such' in str(e) or 'not a database' in str(e) or 'malformed' in str(e):
                raise pw.ConnectError(message, hint='check db.path and db.tables') from e
            self._pause()
            raise pw.RetriableError(message) from e

    def _records(self, table, rows):
        records = []
        for row in rows:
            try:
                value = row_to_struct(row, table)
                moment = parse_time(row['updated_at'])
            except (pw.DataError, TypeError, ValueError) as e:
                if records:
                    break  # the next poll begins at the bad row
                if isinstance(e, pw.DataError):
                    raise
                raise pw.DataError('table %s, row %s, column updated_at: %s'
                                   % (table, row['id'], e)) from e
            place = row['updated_at'], row['id']
            records.append(pw.SourceRecord(
                source_partition={'table': table},
                source_offset={'updated_at': place[0], 'id': place[1]},
                topic=self._config['topic'],
                key_schema=KEY_SCHEMA,
                key=pw.Struct(KEY_SCHEMA).put('id', row['id']),
                value_schema=VALUE_SCHEMA,
                value=value,
                timestamp=pw.Timestamp.from_logical(pw.Timestamp.SCHEMA, moment)))
            self._places[table] = place
        return records
