# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Links from pages to files of the repository, which work on a code host as they are, become downloads of the site."""

from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

_ROOT = Path(__file__).resolve().parents[2]


class RepositoryLinks(SphinxTransform):
    """Turn a link to a folder or file outside ``docs`` into the name of that place."""

    default_priority = 5

    def apply(self, **kwargs: object) -> None:
        """Rewrite the links of one page."""
        del kwargs
        page = Path(self.env.doc2path(self.env.docname)).parent
        for link in list(self.document.findall(addnodes.pending_xref)):
            target = str(link.get("reftarget", "")).split("#")[0]
            if not target or "://" in target:
                continue
            path = (page / target).resolve()
            if path.is_relative_to(_ROOT / "docs") or not path.exists():
                continue
            link.replace_self(nodes.literal(text=str(path.relative_to(_ROOT))))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.add_transform(RepositoryLinks)
    return {"parallel_read_safe": True}
