"""Scripted histories: what clients do to a Kafka, and what has to be the end of it.

Each runs on the simulated Kafka and to a live broker; the expected ends are written down here,
from Kafka's documentation.
"""

from __future__ import annotations

__all__ = ["HISTORIES"]


def commit_shows(kafka):
    """Records of a transaction become visible with its commit."""
    producer = kafka.producer("t")
    producer.begin()
    producer.send("a", "b")
    before = kafka.visible()
    return before, producer.commit(), kafka.visible(), kafka.end()


def abort_hides(kafka):
    """Aborted records stay in the log and are never visible."""
    producer = kafka.producer("t")
    producer.begin()
    producer.send("a")
    producer.abort()
    producer.begin()
    producer.send("b")
    producer.commit()
    return kafka.visible(), kafka.stored(), kafka.end()


def open_transaction_holds_up(kafka):
    """Nothing behind an open transaction is visible, whichever producer wrote it."""
    slow, plain = kafka.producer("t"), kafka.producer()
    slow.begin()
    slow.send("a")
    plain.send("b")
    held = kafka.visible(), kafka.stored()
    slow.commit()
    return held, kafka.visible()


def transactions_interleave(kafka):
    """Each transaction has its own end, and each end takes an offset."""
    one, two = kafka.producer("t-1"), kafka.producer("t-2")
    one.begin()
    two.begin()
    one.send("a1")
    two.send("b1")
    one.send("a2")
    two.commit()
    between = kafka.visible()
    one.abort()
    return between, kafka.visible(), kafka.stored(), kafka.end()


def successor_aborts(kafka):
    """A new producer of the same id aborts what its predecessor left open."""
    kafka.producer("t").begin_and_send("a")
    successor = kafka.producer("t")
    successor.begin()
    successor.send("b")
    successor.commit()
    return kafka.visible(), kafka.stored(), kafka.end()


def zombie_cannot_commit(kafka):
    """Nor can the predecessor commit it any more."""
    zombie = kafka.producer("t")
    zombie.begin_and_send("a")
    kafka.producer("t")
    return zombie.commit(), kafka.visible()


def zombie_cannot_begin_again(kafka):
    """A predecessor that had nothing open is out as well."""
    zombie = kafka.producer("t")
    zombie.begin_and_send("a")
    zombie.commit()
    kafka.producer("t")
    zombie.begin_and_send("b")
    return zombie.commit(), kafka.visible()


def other_ids_are_not_fenced(kafka):
    """Fencing concerns one transactional id."""
    other = kafka.producer("u")
    other.begin_and_send("a")
    kafka.producer("t")
    return other.commit(), kafka.visible()


def members_share(kafka):
    """Two members of an eager group have one partition each, by ranges; who stays has both."""
    kafka.join("m1")
    alone = kafka.assigned("m1")
    kafka.join("m2")
    both = sorted([kafka.assigned("m1"), kafka.assigned("m2")])
    kafka.leave("m2")
    return alone, both, kafka.assigned("m1")


def eager_members_give_all_up(kafka):
    """A member of an eager group hears that everything goes before it hears what comes."""
    kafka.join("m1")
    kafka.join("m2")
    return [(what, len(partitions)) for what, partitions in kafka.callbacks("m1")]


def cooperative_members_keep(kafka):
    """A member of a cooperative group gives up only what another one gets (KIP-429)."""
    kafka.join("m1")
    kafka.join("m2")
    heard = [(what, len(partitions)) for what, partitions in kafka.callbacks("m1") if partitions]
    return heard, sorted(map(len, [kafka.assigned("m1"), kafka.assigned("m2")]))


def commits_outlive_members(kafka):
    """A successor begins where its predecessor has committed."""
    kafka.producer().send("a", "b", "c")
    kafka.join("m1")
    answer = kafka.commit("m1", 2)
    kafka.leave("m1")
    kafka.join("m2")
    return answer, kafka.committed(), kafka.polled("m2")


def silent_member_is_put_out(kafka):
    """A member that is silent for too long has lost its partitions and may not commit."""
    kafka.producer().send("a", "b")
    kafka.join("m1")
    kafka.commit("m1", 1)
    kafka.fall_silent("m1")
    kafka.join("m2")
    return kafka.commit("m1", 2), kafka.committed(), kafka.polled("m2")


def offsets_reset_needs_an_empty_group(kafka):
    """A tool may set offsets only while the group has no member."""
    kafka.producer().send("a", "b", "c")
    kafka.join("m1")
    kafka.commit("m1", 3)
    refused = kafka.reset(1)
    kafka.leave("m1")
    done = kafka.reset(1)
    kafka.join("m2")
    return refused, done, kafka.committed(), kafka.polled("m2")


HISTORIES = {
    commit_shows: ([], "ok", ["a", "b"], 3),
    abort_hides: (["b"], ["a", "b"], 4),
    open_transaction_holds_up: (([], ["a", "b"]), ["a", "b"]),
    transactions_interleave: ([], ["b1"], ["a1", "b1", "a2"], 5),
    successor_aborts: (["b"], ["a", "b"], 4),
    zombie_cannot_commit: ("fenced", []),
    zombie_cannot_begin_again: ("fenced", ["a"]),
    other_ids_are_not_fenced: ("ok", ["a"]),
    members_share: ([0, 1], [[0], [1]], [0, 1]),
    eager_members_give_all_up: [("assigned", 2), ("revoked", 2), ("assigned", 1)],
    cooperative_members_keep: ([("assigned", 2), ("revoked", 1)], [1, 1]),
    commits_outlive_members: ("ok", 2, ["c"]),
    silent_member_is_put_out: ("refused", 1, ["b"]),
    offsets_reset_needs_an_empty_group: ("refused", "ok", 1, ["b", "c"]),
}
"""Each history with its end. All records go to partition 0."""
