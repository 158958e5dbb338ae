"""{{ cookiecutter.description }}."""

from __future__ import annotations

from {{ cookiecutter.__package }}._version import __version__
{% if cookiecutter.kind == 'converter' %}
from {{ cookiecutter.__package }}.converter import (
    {{ cookiecutter.__prefix }}Converter,
)
{% endif %}
{% if cookiecutter.__sink %}
from {{ cookiecutter.__package }}.sink import (
    {{ cookiecutter.__prefix }}SinkConnector,
    {{ cookiecutter.__prefix }}SinkTask,
)
{% endif %}
{% if cookiecutter.__source %}
from {{ cookiecutter.__package }}.source import (
    {{ cookiecutter.__prefix }}SourceConnector,
    {{ cookiecutter.__prefix }}SourceTask,
)
{% endif %}
{% if cookiecutter.kind == 'transformation' %}
from {{ cookiecutter.__package }}.transformation import (
    {{ cookiecutter.__prefix }}Transformation,
)
{% endif %}

__all__ = [
{% if cookiecutter.kind == 'converter' %}
    "{{ cookiecutter.__prefix }}Converter",
{% endif %}
{% if cookiecutter.__sink %}
    "{{ cookiecutter.__prefix }}SinkConnector",
    "{{ cookiecutter.__prefix }}SinkTask",
{% endif %}
{% if cookiecutter.__source %}
    "{{ cookiecutter.__prefix }}SourceConnector",
    "{{ cookiecutter.__prefix }}SourceTask",
{% endif %}
{% if cookiecutter.kind == 'transformation' %}
    "{{ cookiecutter.__prefix }}Transformation",
{% endif %}
    "__version__",
]
