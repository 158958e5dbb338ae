"""The interfaces of transformations, which change a record, and predicates, which test one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from plugwright.record import ConnectRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.config import ConfigDef

R = TypeVar("R", bound=ConnectRecord)
"""The kind of record: a source's or a sink's."""

_UNKNOWN_VERSION = "undefined"


class _Configured(ABC):
    """The common base of transformations and predicates: settings, version, ``close``."""

    @abstractmethod
    def config(self) -> ConfigDef:
        """The plugin's settings; callable before ``configure``."""

    def configure(self, props: Mapping[str, Any]) -> None:  # an optional hook
        """Receive the settings (without their prefix), once, before any record.

        Raises:
            ConfigError: if the settings are invalid, alone or in combination.
        """

    def close(self) -> None:  # an optional hook
        """Release the plugin's resources; called once, also after a failed ``configure``."""

    def version(self) -> str:
        """The version of the plugin; ``undefined`` unless overridden, as in KIP-891."""
        return _UNKNOWN_VERSION


class Transformation(_Configured, Generic[R]):
    """Changes single source or sink records; subclass it.

    Records are shared with their creator: return a changed copy (``record.new_record``), never
    change one in place. Only one thread calls an instance.
    """

    @abstractmethod
    def apply(self, record: R) -> R | None:
        """The record to pass on, or ``None`` to drop it. Hot path: called once per record.

        Raises:
            RetriableError: if the same record may be retried.
            DataError: if the record cannot be transformed; ``errors.tolerance`` decides what
                follows.
        """


class Predicate(_Configured, Generic[R]):
    """Decides whether a transformation applies to a record (KIP-585); subclass it."""

    @abstractmethod
    def test(self, record: R) -> bool:
        """Whether the record matches. Hot path: called once per record."""
