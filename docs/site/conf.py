"""Settings of Sphinx for the documentation site. `./dev docs` builds it, by way of build.py beside this file."""

import os
import re
import shutil
from importlib import metadata
from pathlib import Path

from docutils import nodes

STAGE = Path(os.environ["SBDL_DOCS_STAGE"])  # the sources, as build.py has put them together
DOXYGEN = os.environ["SBDL_DOCS_DOXYGEN"]  # its XML

project = "sbdl"
author = "the sbdl authors"
copyright = author
version = release = os.environ["SBDL_DOCS_VERSION"]

extensions = [
    "breathe",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
]
root_doc = "index"
exclude_patterns = ["docs/site"]
nitpicky = False
default_role = "literal"  # docstrings write `name`
highlight_language = "none"  # indented blocks are shell commands, most of them
smartquotes = False  # -- is the beginning of an option

# Markdown as the forge reads it: anchors of headings, $...$ and ```math.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_fence_as_directive = ["math"]
myst_dmath_double_inline = True

autodoc_member_order = "bysource"
autodoc_mock_imports = ["dask", "distributed"]  # sbdl.dask is described without them
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

breathe_projects = {"sbdl": DOXYGEN}
breathe_default_project = "sbdl"
breathe_show_include = False
cpp_id_attributes = []

html_theme = "furo"
html_title = f"sbdl {version}"
html_static_path = [str(Path(__file__).parent / "static"), str(STAGE.parent / "static")]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "default"
pygments_dark_style = "monokai"

# Equations are drawn in the browser, by a file of the site itself: glyphs are paths, so no fonts are loaded either.
mathjax_path = "mathjax.js"
mathjax3_config = {"svg": {"fontCache": "global"}, "options": {"enableMenu": False}}

# Pages that the navigation shows below another one. The pages themselves are plain Markdown and have no such lists.
CHILDREN = {
    "docs/methods/README": ["docs/methods/*"],
    "docs/results/README": ["docs/results/*", "docs/results/*/*"],
}


def adapt_page(app, docname, source):
    """Adds the lists of CHILDREN, and lets links to folders lead to the page that the forge would show."""
    folder = STAGE / Path(docname).parent

    def with_readme(link):
        target = folder / link[1]
        readme = next((page for page in (target / "README.md", target.parent / "README.md") if page.exists()), None)
        return f"]({os.path.relpath(readme, folder)})" if target.is_dir() and readme else link[0]

    source[0] = re.sub(r"\]\(([^)\s:#]+/)\)", with_readme, source[0])
    if docname in CHILDREN:
        pages = "\n".join(f"/{pattern}" for pattern in CHILDREN[docname])
        source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:\n\n{pages}\n```\n"


def keep_short_code_whole(app, doctree):
    """Marks code whose words fit on a line of a phone: a browser would break --option after a dash."""
    for literal in doctree.findall(nodes.literal):
        if all(len(word) <= 28 for word in literal.astext().split()):
            literal["classes"].append("short")


def escape_bars(app, what, name, obj, options, lines):
    """|x| is a size in our docstrings, and not a substitution."""
    lines[:] = [line if "``" in line else line.replace("|", r"\|") for line in lines]


def copy_mathjax():
    """MathJax with everything in one file, out of the package that carries it."""
    files = metadata.files("sphinx-mathjax-offline")
    script = next(file for file in files if file.match("static/mathjax/tex-svg.js"))
    folder = STAGE.parent / "static"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(script.locate(), folder / "mathjax.js")


def setup(app):
    """What Sphinx calls."""
    copy_mathjax()
    app.connect("source-read", adapt_page)
    app.connect("doctree-read", keep_short_code_whole)
    app.connect("autodoc-process-docstring", escape_bars, priority=900)  # after numpydoc
