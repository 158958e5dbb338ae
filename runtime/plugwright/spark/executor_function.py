"""Calls a function on executors, if they have the same version of Plugwright as the driver."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from plugwright._version import __version__
from plugwright.errors import SetupError, render
from plugwright.spark.version_check import require_version

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class ExecutorFunction:
    """A function by its name, so that another version of it is not called by mistake.

    Spark pickles it. What it consists of must stay as it is, or workers of two versions could not
    tell each other which they are.

    Attributes:
        version: of Plugwright on the driver.
        module: where the function is.
        name: of the function.
        arguments: that it is called with, besides those that Spark passes.
    """

    version: str
    module: str
    name: str
    arguments: Mapping[str, Any]

    @classmethod
    def of(cls, function: Callable[..., Any], **arguments: object) -> ExecutorFunction:
        """A function of this version.

        Args:
            function: found in its module by its name.
            arguments: that it is called with, besides those that Spark passes.
        """
        return cls(__version__, function.__module__, function.__name__, arguments)

    def __call__(self, batches: Any) -> Any:
        """Call the function.

        Raises:
            RuntimeError: if this is another version of Plugwright, with code and hint, because
                Spark passes on only the text.
        """
        try:
            require_version(self.version)
        except SetupError as error:
            raise RuntimeError(render(error)) from None
        return getattr(import_module(self.module), self.name)(batches, **self.arguments)
