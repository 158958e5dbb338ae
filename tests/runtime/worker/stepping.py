"""A background whose steps a test takes."""

from __future__ import annotations

__all__ = ["SteppingBackground"]


class SteppingBackground:
    """A background whose steps the test takes, inside a poll."""

    def begin(self, lock, step):
        """Remember what there is to do."""
        self.lock, self.take = lock, step
        self.ended = False

    def end(self):
        """No more steps."""
        self.ended = True

    def step(self):
        """Take a step, if the lock is free."""
        taken = []
        self.lock.use(lambda: taken.append(self.take()))
        return bool(taken)
