#!/usr/bin/env python3
"""Compiles the C++ examples of the pages and of the public headers, all at once and without code.

    cpp_examples.py g++ -I include ...

Each becomes a function of one source; an example with a main() of its own gets a namespace. names.hpp declares what
they use without making it. Errors name the page and its line.
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "docs/site"))

from pages import blocks_of, pages  # noqa: E402

INCLUDE = re.compile(r"#include .*")
COMMENTED = re.compile(r"^//\n((?://(?:     .*)?\n)+)", re.MULTILINE)


def examples_of_pages():
    """Text, file and line of each block."""
    for page in pages():
        for block in blocks_of(page.read_text()):
            if block.language == "cpp":
                yield block.text, page, block.line + 1


def examples_of_headers():
    """Those in the comments at the top of the headers: lines with four more blanks, of which one ends a statement."""
    for header in sorted((ROOT / "include/sbdl").glob("*.hpp")):
        top = header.read_text().partition("#pragma once")[0]
        for found in COMMENTED.finditer(top):
            text = re.sub(r"^//(     )?", "", found[1], flags=re.MULTILINE)
            if re.search(r";\s*(//.*)?$", text, re.MULTILINE):
                yield text, header, top.count("\n", 0, found.start(1)) + 1


def source_of(examples):
    """One source with all of them."""
    includes, bodies = ['#include "names.hpp"'], []
    for number, (text, file, line) in enumerate(examples):
        includes += INCLUDE.findall(text)
        kind = f"namespace example_{number}" if "int main(" in text else f"void example_{number}()"
        bodies.append(f'{kind} {{\n#line {line} "{file.relative_to(ROOT)}"\n{INCLUDE.sub("", text)}\n}}')
    return "\n".join(['#line 1 "includes"', *dict.fromkeys(includes), "", *bodies, ""])


def main():
    """Compiles; the arguments are the compiler and its options."""
    source = source_of([*examples_of_pages(), *examples_of_headers()])
    command = [*sys.argv[1:], "-std=c++20", "-Werror", "-fsyntax-only", "-I", HERE, "-x", "c++", "-"]
    sys.exit(subprocess.run(command, input=source, text=True).returncode)


if __name__ == "__main__":
    main()
