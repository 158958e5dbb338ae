"""Settings: their definitions, validation, config providers and documentation."""

from __future__ import annotations

from plugwright.config._abstract_config import AbstractConfig
from plugwright.config._allowed_paths import AllowedPaths
from plugwright.config._classes import ClassResolver, import_class, resolving_classes
from plugwright.config._definition import ConfigDef
from plugwright.config._hidden_texts import HiddenTexts
from plugwright.config._infos import config_infos, infos_of, key_info, value_info
from plugwright.config._key import ConfigKey
from plugwright.config._parsing import parse_type
from plugwright.config._password import Password
from plugwright.config._printing import convert_to_string
from plugwright.config._problems import (
    invalid_value,
    misspelling,
    misspelt,
    not_null,
    require_valid,
)
from plugwright.config._properties import parse_properties, properties_text
from plugwright.config._provider import ConfigData, ConfigProvider
from plugwright.config._provider_set import config_providers
from plugwright.config._providers import (
    DirectoryConfigProvider,
    EnvVarConfigProvider,
    FileConfigProvider,
)
from plugwright.config._recommender import Recommender
from plugwright.config._reference_page import (
    to_enriched_rst,
    to_html,
    to_html_table,
    to_markdown,
    to_rst,
)
from plugwright.config._resolving import Resolution, resolve_references
from plugwright.config._transformer import (
    ConfigTransformer,
    ConfigTransformerResult,
    is_reference,
)
from plugwright.config._types import NO_DEFAULT_VALUE, ConfigType, Importance, Width
from plugwright.config._validators import (
    CaseInsensitiveValidString,
    CompositeValidator,
    LambdaValidator,
    ListSize,
    NonEmptyString,
    NonEmptyStringWithoutControlChars,
    NonNullValidator,
    Range,
    Validator,
    ValidList,
    ValidString,
)
from plugwright.config._values import ConfigValue

__all__ = [
    "NO_DEFAULT_VALUE",
    "AbstractConfig",
    "AllowedPaths",
    "CaseInsensitiveValidString",
    "ClassResolver",
    "CompositeValidator",
    "ConfigData",
    "ConfigDef",
    "ConfigKey",
    "ConfigProvider",
    "ConfigTransformer",
    "ConfigTransformerResult",
    "ConfigType",
    "ConfigValue",
    "DirectoryConfigProvider",
    "EnvVarConfigProvider",
    "FileConfigProvider",
    "HiddenTexts",
    "Importance",
    "LambdaValidator",
    "ListSize",
    "NonEmptyString",
    "NonEmptyStringWithoutControlChars",
    "NonNullValidator",
    "Password",
    "Range",
    "Recommender",
    "Resolution",
    "ValidList",
    "ValidString",
    "Validator",
    "Width",
    "config_infos",
    "config_providers",
    "convert_to_string",
    "import_class",
    "infos_of",
    "invalid_value",
    "is_reference",
    "key_info",
    "misspelling",
    "misspelt",
    "not_null",
    "parse_properties",
    "parse_type",
    "properties_text",
    "require_valid",
    "resolve_references",
    "resolving_classes",
    "to_enriched_rst",
    "to_html",
    "to_html_table",
    "to_markdown",
    "to_rst",
    "value_info",
]
