"""The pages about the C++ and the Python interface: lists of what Breathe and autodoc are to describe."""

import re
from xml.etree import ElementTree

# Headers by what they are for, a page for each; a header that is not named here is an error.
HEADERS = {
    "learn": ("Learn and code", ["train", "context", "ranks", "observer", "observers", "encode", "omp"]),
    "data": (
        "Signals and models",
        ["matrix", "signals", "model", "atoms_in_use", "settling", "synth", "score", "error"],
    ),
    "options": ("Options", ["options", "methods"]),
    "bayesian": ("Methods with a posterior", ["gibbs", "vb", "bpfa"]),
    "rounds": ("Methods that go in rounds", ["ksvd", "mod", "simco", "majorization", "apru", "dct"]),
    "streams": ("Methods for streams", ["stream", "svb", "online", "rls", "sgd"]),
    "images": (
        "Images",
        ["image", "image_stack", "incomplete_image", "denoise", "denoise_stack", "inpaint", "quality"],
    ),
    "series": ("Sounds and other one-dimensional signals", ["series", "denoise_signal"]),
    "reports": ("Reports", ["report", "stack_report", "inpaint_report"]),
}

# For every choice of words, and of use only to those who describe options.
NOT_SHOWN = {"words_of", "with_on_off", "with_student_t"}

PYTHON = {
    "estimator": ("The estimator", ["DictionaryLearning", "ConvergenceWarning", "NarrowPosteriorWarning"]),
    "images": ("Images", ["denoise", "denoise_stack", "inpaint", "DenoiseInfo", "StackInfo", "InpaintInfo"]),
    "signals": ("One-dimensional signals", ["denoise_signal", "SignalInfo"]),
    "coding": ("Coding and comparing", ["sparse_encode", "omp", "match_atoms", "AtomMatch", "psnr", "ssim"]),
    "data": ("Data with a known truth", ["synthetic", "SyntheticSet", "make_image", "make_noisy"]),
    "models": ("Models and runs", ["methods", "load_model", "Model", "SweepReport"]),
}
MODULES = {
    "plots": ("Plots", ["atoms", "trace", "before_after"]),
    "dask": ("Dask", ["DictionaryLearning", "denoise", "denoise_stack"]),
}


def purpose_of(header):
    """The comment that a header starts with, as Markdown."""
    lines = []
    for line in header.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[3:])
    blocks = "\n".join(lines).split("\n\n")
    return "\n\n".join(
        "```cpp\n" + re.sub(r"^    ", "", block, flags=re.MULTILINE) + "\n```" if block.startswith("    ") else block
        for block in blocks
    )


def first_sentence(purpose):
    """Up to the first full stop or colon that ends a sentence."""
    return re.split(r"[.:](?:\s|$)", purpose, maxsplit=1)[0].replace("\n", " ") + "."


def with_links(purpose):
    """`docs/methods/ksvd.md` in a comment leads to that page."""
    return re.sub(r"docs/([\w/]+\.md)", r"[docs/\1](../../docs/\1)", purpose)


def header_pages(headers, doxygen, folder):
    """index.md and a page for each group of public headers."""
    found = {path.stem: purpose_of(path.read_text()) for path in sorted(headers.glob("*.hpp")) if path.stem != "sbdl"}
    named = [name for _, names in HEADERS.values() for name in names]
    if sorted(named) != sorted(found):
        raise SystemExit(f"docs/site/library_pages.py: HEADERS differs in {sorted(set(named) ^ set(found))}")
    index = [
        "# C++ interface",
        "",
        "`#include <sbdl/sbdl.hpp>` has all of it; each header can be included by itself.",
        "",
    ]
    index += ["[sbdl from C++](../../docs/cpp.md) shows how the parts are used together.", ""]
    pages = {}
    for group, (title, names) in HEADERS.items():
        index += [f"## {title}", ""]
        page = [f"# {title}", ""]
        for name in names:
            anchor = f"sbdl{name}hpp".replace("/", "").replace(".", "")
            index += [f"[`sbdl/{name}.hpp`]({group}.md#{anchor})", f": {first_sentence(found[name])}", ""]
            page += [f"## sbdl/{name}.hpp", "", with_links(found[name]), "", members_of(doxygen, name), ""]
        pages[folder / f"{group}.md"] = "\n".join(page)
    index += ["```{toctree}", ":hidden:", "", *HEADERS, "```", ""]
    return pages | {folder / "index.md": "\n".join(index)}


def members_of(doxygen, header):
    """What a header declares, in its order, as directives of Breathe."""
    directives = []
    for inner in ElementTree.parse(doxygen / f"{header.replace('_', '__')}_8hpp.xml").iter("innerclass"):
        compound = ElementTree.parse(doxygen / f"{inner.get('refid')}.xml").find("compounddef")
        if inner.get("prot") == "public" and "::" not in inner.text.removeprefix("sbdl::"):
            line = int(compound.find("location").get("line"))
            directives.append(
                (line, f"```{{doxygen{compound.get('kind')}}} {inner.text}\n:members:\n:undoc-members:\n```")
            )
    for member in ElementTree.parse(doxygen / "namespacesbdl.xml").iter("memberdef"):
        place, name = member.find("location"), member.findtext("name")
        if place.get("file") != f"sbdl/{header}.hpp" or name in NOT_SHOWN:
            continue
        kind = member.get("kind")
        types = ["".join(argument.find("type").itertext()) for argument in member.findall("param")]
        called_with = f"({', '.join(types)})" if kind == "function" else ""
        directives.append((int(place.get("line")), f"```{{doxygen{kind}}} sbdl::{name}{called_with}\n```"))
    return "\n\n".join(text for _, text in sorted(directives))


def autodoc(name):
    """The directive for a class, an exception or a function of the package."""
    if name == "ConvergenceWarning":
        return f".. autoexception:: {name}"
    if name[0].isupper():
        return f".. autoclass:: {name}\n   :members:\n   :inherited-members: dict, object"
    return f".. autofunction:: {name}"


def python_pages(public, folder):
    """index.md and a page for each group of names."""
    named = {name for _, names in PYTHON.values() for name in names} | {"plots", "__version__"}
    if named != set(public):
        raise SystemExit(f"docs/site/library_pages.py: PYTHON differs in {sorted(named ^ set(public))}")
    index = [
        "# Python interface",
        "",
        "[sbdl from Python](../../docs/python.md) shows how the parts are used together.",
        "",
    ]
    pages = {}
    for group, (title, names) in [*PYTHON.items(), *MODULES.items()]:
        index += [f"[{title}]({group}.md)", ": " + ", ".join(f"`{name}`" for name in names), ""]
        module = f"sbdl.{group}" if group in MODULES else "sbdl"
        # The class for dask has what the other one has, which is described there.
        own = [f".. autoclass:: {n}" if group == "dask" and n[0].isupper() else autodoc(n) for n in names]
        directives = "\n\n".join([f".. currentmodule:: {module}", *own])
        pages[folder / f"{group}.md"] = f"# {title}\n\n```{{eval-rst}}\n{directives}\n```\n"
    index += ["```{toctree}", ":hidden:", "", *PYTHON, *MODULES, "```", ""]
    return pages | {folder / "index.md": "\n".join(index)}
