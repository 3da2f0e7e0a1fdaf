"""Examples in docstrings, in the pages, in examples/python and in the notebooks work as they stand."""

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from run_page import run_blocks

import sbdl

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "docs/python.md",
    ROOT / "docs/dask.md",
    ROOT / "docs/start.md",
    *sorted((ROOT / "docs/tutorials").glob("*.md")),
]
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


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    assert run_blocks(page, tmp_path) > 0


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
