"""Child processes of the suite, forked or started, with time limits."""
