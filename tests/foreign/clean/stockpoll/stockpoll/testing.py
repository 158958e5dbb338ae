'''The database for the conformance suite.'''
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta, timezone
from decimal import Decimal

TABLES = ('north', 'south')
COLUMNS = ('sku', 'quantity', 'price', 'discount', 'restocked', 'remark')


class StockDatabase:

    def __init__(self, directory):
        self.path = directory / 'stock.sqlite'
        self.away = directory / 'stock.away'

    def _connect(self):
        path = self.away if self.away.exists() else self.path
        return closing(sqlite3.connect(path, timeout=30, isolation_level=None))

    def start(self):
        with self._connect() as db:
            for table in TABLES:
                db.execute('CREATE TABLE IF NOT EXISTS %s (id INTEGER PRIMARY KEY AUTOINCREMENT,'
                           ' updated_at TEXT, sku TEXT, quantity, price TEXT, discount TEXT,'
                           ' restocked TEXT, remark TEXT)' % table)
                db.execute('CREATE INDEX IF NOT EXISTS %s_at ON %s (updated_at, id)'
                           % (table, table))
        return {'db.path': str(self.path), 'db.tables': ','.join(TABLES)}

    def stop(self):
        for path in (self.path, self.away):
            path.unlink(missing_ok=True)

    def seed(self, values):
        self._insert([to_row(value) for value in values], timedelta(microseconds=7))

    def seed_at_once(self, values):
        self._insert([to_row(value) for value in values], timedelta())
        return ()

    def seed_corrupt(self):
        table, number = self._insert([dict(to_row(SAMPLE), price='1.2.3')], timedelta())
        return table, 'row %d' % number, 'price'

    def seed_foreign(self):
        self._insert([dict(to_row(SAMPLE), quantity='plenty')], timedelta())
        return ('quantity',)

    def read_back(self):
        return [from_row(row) for row in self._rows()]

    def read_keys(self):
        return [{'id': row['id']} for row in self._rows()]

    def read_timestamps(self):
        epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
        return [(datetime.fromisoformat(row['updated_at']) - epoch) // timedelta(milliseconds=1)
                for row in self._rows()]

    def refuse(self):
        self.path.rename(self.away)
        return ('unable to open database file',)

    def recover(self):
        self.away.rename(self.path)
        return ()

    def deny(self):
        with self._connect() as db:
            for table in TABLES:
                db.execute('ALTER TABLE %s RENAME TO %s_dropped' % (table, table))
        return ()

    def _insert(self, rows, step):
        with self._connect() as db:
            db.execute('BEGIN IMMEDIATE')
            newest, count = '', 0
            for table in TABLES:
                found = db.execute('SELECT max(updated_at), count(*) FROM ' + table).fetchone()
                newest, count = max(newest, found[0] or ''), count + found[1]
            now = datetime.now(timezone.utc)
            if newest:
                now = max(now, datetime.fromisoformat(newest) + timedelta(microseconds=1))
            table = number = None
            for at, row in enumerate(rows):
                table = TABLES[(count + at) % len(TABLES)]
                moment = (now + at * step).isoformat(timespec='microseconds')
                number = db.execute(
                    'INSERT INTO %s (updated_at, %s) VALUES (?, ?, ?, ?, ?, ?, ?)'
                    % (table, ', '.join(COLUMNS)),
                    [moment, *(row[name] for name in COLUMNS)]).lastrowid
            db.execute('COMMIT')
            return table, number

    def _rows(self):
        with self._connect() as db:
            db.row_factory = sqlite3.Row
            parts = ['SELECT %d AS part, * FROM %s' % part for part in enumerate(TABLES)]
            return db.execute(' UNION ALL '.join(parts) + ' ORDER BY updated_at, id, part'
                              ).fetchall()


SAMPLE = {'sku': 'A-1', 'quantity': 3, 'price': Decimal('9.90'), 'discount': None,
          'restocked': None, 'remark': None}


def to_row(value):
    row = {name: value.get(name) for name in COLUMNS}
    for name in ('price', 'discount'):
        if row[name] is not None:
            row[name] = format(row[name], 'f')
    if row['restocked'] is not None:
        moment = row['restocked'].astimezone(timezone.utc)
        row['restocked'] = moment.isoformat(timespec='microseconds')
    return row


def from_row(row):
    value = {name: row[name] for name in COLUMNS}
    for name in ('price', 'discount'):
        if value[name] is not None:
            value[name] = Decimal(value[name])
    if value['restocked'] is not None:
        value['restocked'] = datetime.fromisoformat(value['restocked'])
    return value
