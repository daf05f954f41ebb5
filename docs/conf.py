# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration of the documentation site: ``make docs``."""

import sys
from pathlib import Path

from tidings import __version__

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE / "extensions"))

project = "Tidings"
author = "Tidings contributors"
copyright = author  # noqa: A001 (Sphinx's name)
version = release = __version__

extensions = [
    "breathe",
    "generated_pages",
    "myst_parser",
    "repository_links",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["extensions"]
# A type and a function of C may have the same name; Breathe declares such a pair twice.
suppress_warnings = ["duplicate_declaration.c"]

# Pages are read on a code host too, so links are plain Markdown and headings are their own anchors.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]

autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False

breathe_projects = {"drivers": str(_HERE.parent / "build" / "docs" / "doxygen" / "xml")}
breathe_default_project = "drivers"
breathe_domain_by_extension = {"h": "c"}

html_theme = "furo"
html_title = f"Tidings {release}"
