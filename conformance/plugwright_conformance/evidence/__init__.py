"""Outcomes of checks, and the evidence for them."""
