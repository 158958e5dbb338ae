"""The references in a configuration, resolved, with a record of what was resolved."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright.config._printing import printed
from plugwright.config._problems import problem
from plugwright.config._provider_set import config_providers
from plugwright.config._transformer import ConfigTransformer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.config._classes import ClassResolver
    from plugwright.config._provider import ConfigProvider
    from plugwright.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Resolution:
    """Settings after resolution.

    Attributes:
        settings: all of them, resolved; never printed.
        written: for those that providers changed, what stood there before.
    """

    settings: dict[str, Any] = field(repr=False)
    written: Mapping[str, str]

    def discreet(self, error: ConfigError) -> ConfigError:
        """The error, without the value if a provider supplied it: that is likely a secret."""
        key = str(error.facts.get("key", ""))
        if key not in self.written:
            return error
        message = f"Invalid value {printed(self.written[key])} for configuration {key}"
        hint = "correct what the config provider returns, or the reference"
        return problem(key, f"{message}: what it refers to is not valid", hint=hint)


def resolved(
    originals: Mapping[str, Any],
    provider_props: Mapping[str, object],
    providers: Mapping[str, ConfigProvider] | None,
    class_loader: ClassResolver | None,
) -> Resolution:
    """Resolve the references in all string values.

    Args:
        originals: the settings as written.
        provider_props: where ``config.providers`` stands.
        providers: ready providers, used in place of declared ones.
        class_loader: loads the classes of declared providers.

    Raises:
        ConfigError: if a provider cannot be loaded or fails.
    """
    settings = dict(originals.items())
    texts: dict[str, str | None] = {k: v for k, v in settings.items() if isinstance(v, str)}
    declared = config_providers(provider_props, class_loader)
    with declared if providers is None else nullcontext(providers) as available:
        data = ConfigTransformer(available).transform(texts).data if available else texts
    written = {key: str(text) for key, text in texts.items() if data[key] != text}
    return Resolution({**settings, **data}, written)
