"""Checks run once each, in turn, and no check waits while others could run."""

from __future__ import annotations

import threading
from types import SimpleNamespace

from plugwright_conformance.execution.order import RunOrder


def check(name, *, live=False, detached=False):
    """What an order looks at."""
    return SimpleNamespace(id=name, label=lambda: name, live=live, detached=detached)


def test_detached_check_begins_with_the_first_live_one_and_live_ones_run_meanwhile():
    """None of them begins earlier: the process is still looked at."""
    chosen = [
        check("early", detached=True),
        check("census"),
        check("live-1", live=True),
        check("sweep", detached=True),
        check("live-2", live=True),
    ]
    begun, last_live = [], threading.Event()

    def run(each):
        begun.append(each.id)
        if each.id == "sweep":
            assert last_live.wait(60)
        if each.id == "live-2":
            last_live.set()
        return each.id

    with RunOrder(
        chosen=chosen, known={each.id: each for each in chosen}, run=run, workers=1
    ) as order:
        found = [order.result(each) for each in chosen[:2]]
        before = list(begun)
        found += [order.result(each) for each in chosen[2:]]

    assert before == ["early", "census"]
    assert sorted(begun[2:]) == ["live-1", "live-2", "sweep"]
    assert found == ["early", "census", "live-1", "sweep", "live-2"]


def test_detached_checks_run_beside_one_another_where_nothing_is_live():
    """After all that look at the process."""
    chosen = [check("sweep", detached=True), check("census"), check("walk", detached=True)]
    begun, both = [], threading.Barrier(2)

    def run(each):
        begun.append(each.id)
        if each.detached:
            both.wait(5)
        return each.id

    with RunOrder(
        chosen=chosen, known={each.id: each for each in chosen}, run=run, workers=2
    ) as order:
        found = [order.result(each) for each in chosen]

    assert found == ["sweep", "census", "walk"]
    assert (begun[0], sorted(begun[1:])) == ("census", ["sweep", "walk"])


def test_check_that_was_asked_for_does_not_run_again():
    """Its turn comes later; a strange name is answered with nothing."""
    chosen, ran = [check("A"), check("B")], []

    def run(each):
        if each.id == "A":
            order.ask("B")
        ran.append(each.id)
        return each.id

    with RunOrder(
        chosen=chosen, known={each.id: each for each in chosen}, run=run, workers=0
    ) as order:
        assert [order.result(each) for each in chosen] == ["A", "B"]
        assert order.ask("C") is None

    assert ran == ["B", "A"]
