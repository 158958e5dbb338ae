"""Processes of the suite's own: forked or started, with limits on their time."""
