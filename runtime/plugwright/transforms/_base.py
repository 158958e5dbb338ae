"""What a transformation and a predicate are: one record in, one record or a verdict out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from plugwright.record import ConnectRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.config import ConfigDef

__all__ = ["Predicate", "R", "Transformation"]

R = TypeVar("R", bound=ConnectRecord)
"""The kind of record: a source's or a sink's."""

_UNKNOWN_VERSION = "undefined"


class _Configured(ABC):
    """What transformations and predicates share: settings, a version, an end."""

    @abstractmethod
    def config(self) -> ConfigDef:
        """The settings that the plugin takes; works before ``configure``."""

    def configure(self, props: Mapping[str, Any]) -> None:  # an optional hook
        """Take the settings (without their prefix), once, before any record.

        Raises:
            ConfigError: if the settings are not valid, also together.
        """

    def close(self) -> None:  # an optional hook
        """Release what the plugin holds; called once, also after a failed ``configure``."""

    def version(self) -> str:
        """The version of the plugin; ``undefined`` unless it says otherwise, as in KIP-891."""
        return _UNKNOWN_VERSION


class Transformation(_Configured, Generic[R]):
    """Changes single records on their way; subclass it, for source and sink records alike.

    Records are shared with whoever made them: return a changed copy (``record.new_record``), never
    change one in place. One thread calls one instance.
    """

    @abstractmethod
    def apply(self, record: R) -> R | None:
        """The record to hand on, or ``None`` to drop it. Hot path: called once per record.

        Raises:
            RetriableError: the same record may come again.
            DataError: if the record cannot be transformed; ``errors.tolerance`` decides what then.
        """


class Predicate(_Configured, Generic[R]):
    """Says whether a transformation is for a record (KIP-585); subclass it."""

    @abstractmethod
    def test(self, record: R) -> bool:
        """Whether the record is one of those meant. Hot path: called once per record."""
