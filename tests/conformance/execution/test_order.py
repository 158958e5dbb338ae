"""Checks run once each, and no check waits while others could run."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from plugwright_conformance.execution.order import RunOrder

LIMIT_S = 60
"""After which a test that waits for an event fails."""


def check(name, *, live=False, detached=False, in_turn=False):
    """What an order looks at."""
    kind = {"live": live, "detached": detached, "in_turn": in_turn}
    return SimpleNamespace(id=name, label=lambda: name, **kind)


def order_of(chosen, run, workers, alone=0, prepare=lambda: None):
    """An order that knows no other checks."""
    known = {each.id: each for each in chosen}
    places = SimpleNamespace(load=prepare, run=run)
    return RunOrder(chosen=chosen, known=known, alone=alone, processes=places, workers=workers)


def test_live_checks_run_beside_detached_ones_and_after_all_that_may_crash():
    """Those that may crash have ended; live ones run in the caller's thread, in their order."""
    chosen = [
        check("sweep", detached=True),
        check("live-1", live=True),
        check("crash"),
        check("live-2", live=True),
    ]
    ended, last_live, here = [], threading.Event(), threading.get_ident()

    def run(each):
        if each.id == "sweep":
            assert last_live.wait(LIMIT_S)
        if each.live:
            assert threading.get_ident() == here
        ended.append(each.id)
        if each.id == "live-2":
            last_live.set()
        return each.id

    with order_of(chosen, run, workers=1) as order:
        found = [order.result(each) for each in chosen]

    assert found == ["sweep", "live-1", "crash", "live-2"]
    assert ended == ["crash", "live-1", "live-2", "sweep"]


def test_checks_without_spark_run_beside_one_another():
    """As many as there are workers, and one that may crash in the caller's thread."""
    chosen = [check("walk", detached=True), check("a"), check("b"), check("sweep", detached=True)]
    together, here, mine = threading.Barrier(3), threading.get_ident(), []

    def run(each):
        if each.id != "sweep":
            together.wait(LIMIT_S)
        if threading.get_ident() == here:
            mine.append(each.id)
        return each.id

    with order_of(chosen, run, workers=2) as order:
        found = [order.result(each) for each in chosen]

    assert found == ["walk", "a", "b", "sweep"]
    assert set(mine) <= {"a", "b"}


def test_first_checks_run_alone():
    """In the caller's thread; what prepares the others is called when they have ended."""
    chosen = [check("a"), check("b", detached=True), check("c"), check("d", detached=True)]
    ended, here = [], threading.get_ident()

    def run(each):
        if each.id in {"a", "b"}:
            assert threading.get_ident() == here
        else:
            assert ended[:3] == ["a", "b", "prepared"]
        ended.append(each.id)
        return each.id

    def prepare():
        ended.append("prepared")

    with order_of(chosen, run, workers=2, alone=2, prepare=prepare) as order:
        assert [order.result(each) for each in chosen] == ["a", "b", "c", "d"]


def test_check_that_uses_results_waits_for_them_in_its_turn():
    """It does not run ahead, so that it asks for live results in the caller's thread."""
    chosen = [check("A"), check("B", in_turn=True), check("C", live=True)]
    here = threading.get_ident()

    def run(each):
        if each.id == "B":
            assert threading.get_ident() == here
            return f"B after {order.ask('C')} and {order.ask('A')}"
        return each.id

    with order_of(chosen, run, workers=2) as order:
        assert [order.result(each) for each in chosen] == ["A", "B after C and A", "C"]


@pytest.mark.parametrize("workers", [0, 2])
def test_check_that_was_asked_for_does_not_run_again(workers):
    """Its turn comes later; a strange name is answered with nothing."""
    chosen, ran = [check("A", in_turn=True), check("B"), check("D", detached=True)], []

    def run(each):
        if each.id == "A":
            order.ask("B")
            order.ask("D")
        ran.append(each.id)
        return each.id

    with order_of(chosen, run, workers) as order:
        assert [order.result(each) for each in chosen] == ["A", "B", "D"]
        assert order.ask("C") is None

    assert sorted(ran) == ["A", "B", "D"]


def test_nothing_begins_after_the_end():
    """A run that an error ends waits for nobody, and leaves alone what has not begun."""
    chosen = [check("first", in_turn=True), check("A"), check("B")]
    ran, begun, go_on = [], threading.Event(), threading.Event()

    def run(each):
        ran.append(each.id)
        if each.id == "A":
            begun.set()
            assert go_on.wait(LIMIT_S)
        return each.id

    def break_off(order):
        order.result(chosen[0])
        assert begun.wait(LIMIT_S)
        raise ZeroDivisionError

    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError), order_of(chosen, run, workers=1) as order:
        break_off(order)
    workers = set(threading.enumerate()) - before
    go_on.set()
    for worker in workers:
        worker.join(LIMIT_S)

    assert sorted(ran) == ["A", "first"]


def test_what_a_check_cannot_catch_reaches_the_caller():
    """An interruption in a worker is not lost with its thread."""

    def run(_):
        raise KeyboardInterrupt

    chosen = [check("walk", detached=True)]
    with pytest.raises(KeyboardInterrupt), order_of(chosen, run, workers=1) as order:
        order.result(chosen[0])
