"""Definitions that make bad forms, as functions that break the files of a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import add_module, mutant, replace_text

if TYPE_CHECKING:
    from pathlib import Path

_URL = 'documentation="Where the tables are'
_PASSWORD = 'documentation="Password of the server'  # noqa: S105  # where the setting is defined
_BATCH = 'documentation="The most rows that are handled at once.",'
_FUTURE = "from __future__ import annotations\n"


@mutant(
    "M308",
    "two settings of a group have the same order",
    base="rows-sink",
    killed_by="CON-CFG-11",
    failure="rows.url, rows.password",
)
def copy_order(location: Path) -> None:
    """Repeat a number in a copied line.

    Reported at https://github.com/apache/kafka/pull/1721: both converters had order 4 in their
    group.
    """
    order_settings(location, 4, 4)


def order_settings(location: Path, url: int, password: int) -> None:
    """Put URL and password into a group, in this order."""
    (codec,) = location.glob("*/codec.py")
    for setting, order in ((_URL, url), (_PASSWORD, password)):
        place = f'group="Connection", order_in_group={order}, '
        replace_text(codec, setting, f"{place}{setting}")


@mutant(
    "M309",
    "null is recommended where there is nothing to recommend",
    base="rows-sink",
    killed_by="CON-CFG-12",
    failure="NoneType",
)
def propose_null(location: Path) -> None:
    """Recommend null.

    Reported at https://github.com/scylladb/kafka-connect-scylladb/pull/64: null was passed for an
    empty list, and forms showed no further settings.
    """
    propose(location, "ProposesNull")


@mutant(
    "M309a",
    "a recommended value is rejected by the validator",
    base="rows-sink",
    killed_by="CON-CFG-12",
    failure="Invalid value 0",
)
def propose_beyond_limit(location: Path) -> None:
    """Recommend a value that is out of range."""
    propose(location, "ProposesBeyondLimit")


@mutant(
    "M309b",
    "the recommender fails while another setting is not given yet",
    base="rows-source",
    killed_by="CON-CFG-12",
    failure="TypeError",
)
def propose_by_url(location: Path) -> None:
    """Recommend by a setting that may be null.

    After https://github.com/jcustenborder/kafka-connect-spooldir/issues/22: a form with nothing in
    it yet led to a null pointer.
    """
    propose(location, "ProposesByUrl")


def propose(location: Path, recommender: str) -> None:
    """Let a class of ``rows_proposals`` recommend the number of rows in a batch."""
    (codec,) = location.glob("*/codec.py")
    add_module("rows_proposals", codec.parent)
    imported = f"from {codec.parent.name}.rows_proposals import {recommender}\n"
    replace_text(codec, _FUTURE, f"{_FUTURE}\n{imported}")
    replace_text(codec, _BATCH, f"{_BATCH} recommender={recommender}(),")
