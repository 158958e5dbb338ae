"""A source that reads ahead on a thread of its own (G12): odd, but right."""

from __future__ import annotations

import queue
import threading

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask


class BrokenSourceTask(FileStreamSourceTask):
    """Hands over what the reader has found, and what has gone wrong there."""

    _reader = None

    def start(self, props):
        """Begin to read."""
        super().start(props)
        self._found = queue.Queue(maxsize=4)
        self._ending = threading.Event()
        self._reader = threading.Thread(target=self._read_on, daemon=True)
        self._reader.start()

    def poll(self):
        """What is at hand, or nothing after a short wait."""
        try:
            found = self._found.get(timeout=0.05)
        except queue.Empty:
            return None
        if isinstance(found, Exception):
            raise found
        return found

    def stop(self):
        """End the reader."""
        if self._reader is not None:
            self._ending.set()
            self._reader.join()
        super().stop()

    def _read_on(self):
        while not self._ending.is_set():
            try:
                found = super().poll()
            except Exception as error:  # noqa: BLE001  # for the runtime to see
                found = error
            while found and not self._ending.is_set():
                try:
                    self._found.put(found, timeout=0.05)
                    break
                except queue.Full:
                    continue


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the task."""

    def task_class(self):
        """The odd one."""
        return BrokenSourceTask
