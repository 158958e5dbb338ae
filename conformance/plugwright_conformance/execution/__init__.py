"""Runs checks: their order, processes, workbenches and verdicts."""
