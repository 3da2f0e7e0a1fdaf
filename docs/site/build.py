#!/usr/bin/env python3
"""Builds the documentation site; `./dev docs` calls it. Warnings are errors.

    build.py --program build/release/apps/sbdl/sbdl --out build/docs

The pages keep the places they have in the tree, so that their links work there as well as here. They are copied to a
folder of their own, together with those that are made: the program's options, the C++ and the Python interface. Sphinx
reads that folder.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from check_browser import check_in_browser
from check_links import check
from library_pages import header_pages, python_pages
from pages import ROOT, sources
from program_pages import program_pages

import sbdl

HERE = Path(__file__).resolve().parent


def stage(folder, made):
    """Puts the sources together: those of the tree, and the text of those that are made."""
    for path, place in sources():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    for place, text in made.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def run_doxygen(folder):
    """The XML of the public headers."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = (HERE / "Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {folder}\n"
    subprocess.run(["doxygen", "-"], input=settings, cwd=ROOT, check=True, text=True)


def main():
    """Reads the command line and builds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, required=True, help="sbdl itself, which lists its options")
    parser.add_argument("--out", type=Path, required=True, help="folder of the site")
    options = parser.parse_args()
    out = options.out.resolve()
    work = out.with_name(out.name + "-work")
    folder = work / "source"
    for old in (out, work):  # pages that have not changed would keep their warnings to themselves
        shutil.rmtree(old, ignore_errors=True)
    run_doxygen(work / "doxygen")
    made = program_pages(options.program.resolve(), Path("reference/program"))
    made |= header_pages(ROOT / "include/sbdl", work / "doxygen/xml", Path("reference/cpp"))
    made |= python_pages(sbdl.__all__, Path("reference/python"))
    stage(folder, made)
    os.environ["SBDL_DOCS_STAGE"] = str(folder)
    os.environ["SBDL_DOCS_DOXYGEN"] = str(work / "doxygen/xml")
    os.environ["SBDL_DOCS_VERSION"] = sbdl.__version__
    sphinx = [sys.executable, "-B", "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going"]
    built = subprocess.run([*sphinx, "-c", HERE, "-d", work / "doctrees", folder, out])
    sys.exit(0 if built.returncode == 0 and check(out) and check_in_browser(out) else 1)


if __name__ == "__main__":
    main()
