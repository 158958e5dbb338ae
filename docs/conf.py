"""How the documentation site is built: ``make docs``."""

from __future__ import annotations

import sys
from pathlib import Path

import plugwright

sys.path.insert(0, str(Path(__file__).parent / "_extension"))

project = "Plugwright"
author = "The Plugwright maintainers"
release = version = plugwright.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",
    "reference_pages",
]
exclude_patterns = ["_extension"]
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_google_docstring = True
python_use_unqualified_type_names = True

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["plugwright.css"]
html_js_files = [(name, {"defer": "defer"}) for name in ("accessible.js", "filter.js")]
html_theme_options = {"top_of_page_buttons": []}
html_favicon = "_static/favicon.svg"
html_title = f"Plugwright {release}"
