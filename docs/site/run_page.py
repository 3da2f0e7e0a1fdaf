"""Runs the examples of a page, one after another as a reader would; the tests do this with every page.

    build/python/tests/bin/python docs/site/run_page.py docs/tutorials/*.md

runs pages and keeps the figures that they show, in the folder images beside them. SBDL_PROGRAM names the program for
examples of the command line; without it those are left out.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pages import RUN, blocks_of


def run_blocks(page, folder):
    """Runs all blocks in the folder, Python in one namespace. Returns how many there are."""
    blocks = [block for block in blocks_of(page.read_text()) if block.language in RUN]
    program = os.environ.get("SBDL_PROGRAM")
    names = {}
    for block in blocks:
        if block.language == "python":
            lines_before = "\n" * block.line  # so that errors name the line of the page
            exec(compile(lines_before + block.text, page.name, "exec"), names)
        elif program:
            run_commands(block.text, folder, Path(program).resolve())
    return len(blocks)


def run_commands(text, folder, program):
    """Runs a block of commands. They may use the program, and nothing else."""
    for command in text.strip().splitlines():
        if not command.startswith("sbdl "):
            raise ValueError(f"not a command of sbdl: {command}")
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-euc", text], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{text}\n{done.stderr}")


def keep_figures(page):
    """Runs a page and keeps the figures that it links to."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run_blocks(page, folder)
        for name in re.findall(r"\]\(images/([\w.-]+)\)", page.read_text()):
            images = page.parent / "images"
            images.mkdir(exist_ok=True)
            shutil.copy2(Path(folder) / name, images / name)
            print(f"{page.parent.name}/images/{name}")


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    for argument in [Path(name).resolve() for name in sys.argv[1:]]:
        keep_figures(argument)
