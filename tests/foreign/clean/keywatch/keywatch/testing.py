import json
import os
import shutil
from fcntl import LOCK_EX, flock


class StateFile:
    """An application that saves its state under new names.

    Each value becomes the value of a new key. When there are many, the oldest keys go.
    """

    KEPT = 12

    def __init__(self, directory):
        self.root = directory
        self.saved = directory / 'saved'
        self.hidden = directory / 'hidden'

    def start(self):
        self.saved.mkdir(exist_ok=True)
        return {'directory': str(self.saved)}

    def stop(self):
        for path in (self.saved, self.hidden):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        (self.root / 'lock').unlink(missing_ok=True)

    def seed(self, values):
        if values:
            self._save(values)

    def read_back(self):
        return list(self._history().values())

    def read_keys(self):
        return list(self._history())

    def seed_corrupt(self):
        number = self._save([1], cut=True)
        return ['state-%06d.json' % number]

    def seed_foreign(self):
        self._save([['a', 'list']])
        return ['list', 'not supported']

    def refuse(self):
        self.saved.rename(self.hidden)
        return ['No such file or directory']

    def recover(self):
        self.hidden.rename(self.saved)
        return []

    def deny(self):
        self.saved.rename(self.hidden)
        self.saved.touch()
        return []

    def _place(self):
        return self.hidden if self.hidden.exists() else self.saved

    def _versions(self):
        return sorted(self._place().glob('state-*.json'))

    def _history(self):
        seen = {}
        for path in self._versions():
            seen.update(load(path))
        return seen

    def _save(self, values, cut=False):
        with open(self.root / 'lock', 'w') as lock:
            flock(lock, LOCK_EX)
            versions = self._versions()
            state = load(versions[-1]) if versions else {}
            first = len(self._history()) + 1
            for key in list(state)[:-self.KEPT]:
                del state[key]
            for number, value in enumerate(values, first):
                state['key.%d' % number] = value
            text = json.dumps(state, indent=1)
            part = self.root / 'part'
            part.write_text(text[:len(text) // 2] if cut else text, 'utf-8')
            os.rename(part, self._place() / ('state-%06d.json' % (len(versions) + 1)))
            return len(versions) + 1


def load(path):
    try:
        return json.loads(path.read_text('utf-8'))
    except ValueError:
        return {}  # one that was cut on purpose
