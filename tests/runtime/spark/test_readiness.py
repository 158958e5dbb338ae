"""A cluster that cannot run tasks says why before any task is blamed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plugwright.errors import SetupError
from plugwright.spark import readiness, require_executors


@pytest.fixture
def cluster(monkeypatch):
    """A cluster: how many slots it has at each look, and what its Python tasks say."""
    monkeypatch.setattr(readiness, "_LOOK_S", 0)

    def cluster(*slots, words=None, attempts=3):
        looks = list(slots)
        failures = {0: (attempts, words)} if words else {}
        placement = SimpleNamespace(
            master="spark://m:7077",
            slots=lambda: looks.pop(0) if len(looks) > 1 else looks[0],
            failures=lambda tag: failures if tag == "the tag" else {},
        )

        def warm_up(session, path, limit_s, is_hopeless):
            assert is_hopeless("the tag") == bool(words)
            return words is None

        monkeypatch.setattr(readiness, "Placement", lambda _: placement)
        monkeypatch.setattr(readiness, "warm_up", warm_up)

    return cluster


def test_executors_may_take_a_while_to_appear(cluster):
    """Then nothing is wrong."""
    cluster(0, 2, 4)

    require_executors(None, 4)


@pytest.mark.parametrize(
    ("slots", "words"), [(0, "Spark has no executor yet; 4 tasks"), (2, "it has 2, and 4 tasks")]
)
def test_too_few_slots_are_reported(cluster, slots, words):
    """With how many there are, and the cluster's name."""
    cluster(slots)

    with pytest.raises(SetupError, match=words) as caught:
        require_executors(None, 4, slots_s=0)

    assert caught.value.code == "spark.no-slot"


@pytest.mark.parametrize("words", ['Cannot run program "python3"', ""])
def test_executors_without_python_are_reported(cluster, words):
    """In the words of Spark, if it has any."""
    cluster(4, words=words)

    with pytest.raises(SetupError) as caught:
        require_executors(None, 4)

    assert str(caught.value) == (
        f"the executors of spark://m:7077 run no Python task: {words or 'see the log of Spark'}"
    )
    assert (caught.value.code, "pack-environment" in caught.value.hint) == ("spark.no-python", True)
