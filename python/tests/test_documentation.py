"""Examples in docstrings, on all pages of the site, in examples/python and in the notebooks work as they stand."""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages import RUN, blocks_of, pages, problems_of_blocks
from run_page import run_blocks

import sbdl

ROOT = Path(__file__).parents[2]
PAGES = {page.relative_to(ROOT).as_posix(): page.read_text() for page in pages()}
WITH_EXAMPLES = [place for place, text in PAGES.items() if RUN & {block.language for block in blocks_of(text)}]
SCRIPTS = sorted((ROOT / "examples/python").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "examples/python").glob("*.ipynb"))
MODULES = ["sbdl", *(f"sbdl.{m.name}" for m in pkgutil.iter_modules(sbdl.__path__) if m.name != "_core")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.failed == 0


def test_every_public_name_is_documented():
    for name in sbdl.__all__:
        assert name == "__version__" or getattr(sbdl, name).__doc__, name


def test_every_block_is_run_or_says_why_not():
    assert [problem for place, text in PAGES.items() for problem in problems_of_blocks(text, Path(place))] == []


@pytest.mark.parametrize("place", WITH_EXAMPLES)
def test_pages(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    assert run_blocks(ROOT / place, tmp_path) > 0


def test_commands_that_are_not_run_use_options_that_exist(program):
    """And so do the measurements on the pages of results, which are in no block."""
    known = {}
    for place, text in [page for page in PAGES.items() if page[0] != "CHANGELOG.md"]:
        for verb, options in re.findall(r"\bsbdl ([a-z0-9]+)( [^|#`\n]*--[^|#`\n]*)", text):
            if verb not in known:
                helped = subprocess.run([program.path, verb, "--help-all"], capture_output=True, text=True, check=True)
                known[verb] = set(re.findall(r"--[a-z0-9-]+", helped.stdout))
            assert set(re.findall(r"--[a-z0-9-]+", options)) <= known[verb], f"{place}: sbdl {verb}{options}"
    assert len(known) > 5


def test_cmake_blocks():
    """Options and targets exist, and the version is ours."""
    text = "\n".join(block.text for page in PAGES.values() for block in blocks_of(page) if block.language == "cmake")
    options = re.findall(r"^option\((\w+)", (ROOT / "cmake/options.cmake").read_text(), re.MULTILINE)
    assert set(re.findall(r"SBDL_\w+", text)) <= set(options)
    assert set(re.findall(r"sbdl::\w+", text)) == {"sbdl::sbdl"}
    assert "add_library(sbdl::sbdl ALIAS sbdl)" in (ROOT / "src/CMakeLists.txt").read_text()
    assert re.findall(r"find_package\(sbdl (\S+)", text) == [".".join(sbdl.__version__.split(".")[:2])]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts(script, tmp_path):
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    subprocess.run([sys.executable, str(script)], cwd=tmp_path, env=environment, check=True, capture_output=True)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks(notebook, tmp_path):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    content = nbformat.read(notebook, as_version=4)
    assert any(cell.get("outputs") for cell in content.cells), "it has been executed before"
    nbclient.NotebookClient(content, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
