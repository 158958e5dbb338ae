"""One setting of a definition."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plugwright.config._parsing import parse_type
from plugwright.config._password import HIDDEN, Password
from plugwright.config._printing import printed
from plugwright.config._problems import invalid_value, problem
from plugwright.config._types import NO_DEFAULT_VALUE, ConfigType, Importance, NoDefault, Width
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.config._classes import ClassResolver
    from plugwright.config._recommender import Recommender
    from plugwright.config._validators import Validator


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """The definition of one setting (Kafka's ``ConfigDef.ConfigKey``).

    Attributes:
        name: the key.
        type: the type of its values.
        default_value: the parsed default, may be ``None``; ``NO_DEFAULT_VALUE`` makes it required.
        importance: determines the order in the documentation.
        documentation: what the setting does, for users.
        validator: checks the parsed value, default included.
        group: heading in documentation and user interfaces.
        order_in_group: position under that heading.
        width: of an input field.
        display_name: label of an input field, by default the name.
        dependents: keys whose recommended values or visibility depend on this one.
        recommender: proposes values and determines visibility.
        internal: whether the documentation omits it.
        alternative_string: what ``to_html`` and ``to_markdown`` print instead of the default;
            tables and reStructuredText print the default, as in Kafka.
    """

    name: str
    type: ConfigType
    default_value: object = NO_DEFAULT_VALUE
    importance: Importance = Importance.MEDIUM
    documentation: str | None = ""
    validator: Validator | None = None
    group: str | None = None
    order_in_group: int = -1
    width: Width = Width.NONE
    display_name: str = ""
    dependents: tuple[str, ...] = ()
    recommender: Recommender | None = None
    internal: bool = False
    alternative_string: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "display_name", self.display_name or self.name)

    @property
    def has_default(self) -> bool:
        """Whether the setting is optional."""
        return not isinstance(self.default_value, NoDefault)

    def with_default(self, value: object) -> ConfigKey:
        """The same setting with another default."""
        return replace(self, default_value=value)

    def parse(self, props: Mapping[str, object], resolver: ClassResolver | None) -> object:
        """The value of this setting in ``props``, or its default, without running the validator.

        Raises:
            ConfigError: if the value does not fit the type, or a required one is missing.
        """
        if self.name in props:
            return parse_type(self.name, props[self.name], self.type, resolver)
        if not self.has_default:
            raise problem(
                self.name,
                f'Missing required configuration "{self.name}" which has no default value.',
                code="config.missing",
                hint=f"set {self.name} in the configuration",
            )
        default = self.default_value
        return list(default) if isinstance(default, list) else default

    def check(self, value: object) -> None:
        """Run the validator on a parsed value.

        Raises:
            ConfigError: if the validator refuses the value or fails; passwords are not shown.
        """
        if self.validator is None:
            return
        try:
            self.validator(self.name, value)
        except ConfigError as error:
            if _contains_password(error, value):
                raise invalid_value(self.name, HIDDEN) from None
            raise
        except Exception as error:
            message = f"the validator failed with {type(error).__name__}"
            if isinstance(value, Password):
                raise invalid_value(self.name, HIDDEN, message) from None
            raise invalid_value(self.name, value, f"{message}: {printed(error)}") from error


def _contains_password(error: ConfigError, value: object) -> bool:
    """Whether an error of a plugin's validator contains a password."""
    return isinstance(value, Password) and bool(value.value) and value.value in str(error)
