"""The pages of the site, and the blocks of code in them.

Every block says what becomes of it:

    python, sh      run by the tests, one after another (run_page.py)
    cpp, cmake      compiled (tests/documentation); the names are looked up
    console         commands that the tests cannot run; a comment above the block, <!-- not run: ... -->, says why
    text, math      no code

A comment that begins with `<!-- run: python` or `<!-- run: sh`, up to a line `-->`, is run in its place and not shown:
it makes the data that the examples read.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = {"site", "__pycache__"}

RUN = {"python", "sh"}
CHECKED = {"cpp", "cmake"}
NO_CODE = {"text", "math", "{toctree}"}

BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>[^\n`]*)\n(?P<text>.*?)^ *```$|^<!-- run: (?P<hidden>\w+)\n(?P<made>.*?)^-->$",
    re.MULTILINE | re.DOTALL,
)
REASON = re.compile(r" *<!-- not run: .+ -->\n$")
INDENTED_COMMAND = re.compile(r"(?:\A|\n)[ ]*\n {4,}(?:sbdl|mpirun|\./dev|pip|cmake|python3?|curl) ")
# The commands on these pages are measurements, or for those who change the code.
WITH_PLAIN_BLOCKS = {"docs/results", "docs/math.md", "HACKING.md", "CONTRIBUTING.md", "CHANGELOG.md"}


@dataclass
class Block:
    """A fenced block, or a hidden one."""

    language: str
    text: str
    line: int  # of the page, where it begins, from 1


def sources():
    """The files of the tree that the site has, and where: path in the tree, path in the site."""
    yield ROOT / "docs/site/index.md", Path("index.md")
    for path in [*ROOT.glob("*.md"), ROOT / "LICENSE", ROOT / "CITATION.cff"]:
        yield path, path.relative_to(ROOT)
    for folder in ("docs", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and not LEFT_OUT & set(path.relative_to(ROOT).parts):
                yield path, path.relative_to(ROOT)


def pages():
    """The pages of the site, as they are in the tree."""
    return [path for path, place in sources() if place.suffix == ".md"]


def blocks_of(text):
    """All blocks of a page, hidden ones too, in their order."""
    for found in BLOCK.finditer(text):
        body = (
            found["made"] if found["hidden"] else re.sub(rf"^{found['indent']}", "", found["text"], flags=re.MULTILINE)
        )
        yield Block(found["hidden"] or found["language"], body, text.count("\n", 0, found.start()) + 1)


def problems_of_blocks(text, place):
    """What is wrong with the marks of the blocks of a page; place is its path in the tree."""
    lines = text.splitlines(keepends=True)
    plain = WITH_PLAIN_BLOCKS & {place.as_posix(), *(parent.as_posix() for parent in place.parents)}
    for block in blocks_of(text):
        if block.language == "console":
            if block.line < 2 or not REASON.fullmatch(lines[block.line - 2]):
                yield f"{place}:{block.line}: <!-- not run: why --> is missing above the block"
        elif block.language not in RUN | CHECKED | NO_CODE and (block.language or not plain):
            yield f"{place}:{block.line}: a block must be one of those of docs/site/pages.py, not '{block.language}'"
    if not plain:
        for found in INDENTED_COMMAND.finditer(text):
            line = text.count("\n", 0, found.end()) + 1
            yield f"{place}:{line}: commands belong into a block of sh, which is run, or console, which is not"
