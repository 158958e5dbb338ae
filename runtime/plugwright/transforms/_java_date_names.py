"""The words in Java's dates, in English."""

from __future__ import annotations

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HALVES = ("AM", "PM")
ERAS = ("BC", "AD")
ZONES = ("Coordinated Universal Time", "Greenwich Mean Time", "UTC", "GMT")
"""The names of zones that are the same everywhere; those of other zones are not understood."""
