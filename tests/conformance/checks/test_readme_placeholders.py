"""Which braces and words in a README are left over from a template."""

from __future__ import annotations

import pytest

from plugwright_conformance.checks.documentation import left_over


@pytest.mark.parametrize(
    "text",
    [
        "Writes to {{ service }}.\n",
        "{% if key %}Has a key.{% endif %}\n",
        "```\npip install {{ cookiecutter.name }}\n```\n",
        "Data model: TODO\n",
        "Lorem ipsum dolor.\n",
        "Run `it`, then `that`. {{ more }}\n",
        "```\ncode\n```\n{{ more }}\n",
    ],
)
def test_template_is_left_over(text):
    """In prose, and what names its generator everywhere."""
    assert left_over(text)


@pytest.mark.parametrize(
    "text",
    [
        '```python\nprint(f"{{{name}}}")\nprint(f\'{{"type": "STATE"}}\')\n```\n',
        "~~~properties\nfile.name={{topic}}-{{partition}}.gz\n~~~\n",
        "Files are named `{{topic}}-{{partition}}`, or ``{% raw %}``.\n",
        "Names::\n\n    file.name={{topic}}\n",
        "A map {a: {b: 1}}.\n",
    ],
)
def test_code_may_have_braces(text):
    """Of formats, and of templates that the plugin fills: Aiven's sinks name files like that."""
    assert left_over(text) == ""
