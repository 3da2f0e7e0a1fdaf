"""Read and write the figures that benchmarks print as lines of JSON (described in bench/figures.hpp)."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

Figure = dict[str, Any]

IMAGES = ("cameraman", "boat256", "couple256")  # the .png files in the folder of --images


def add(name: str, value: float, unit: str, better: str, target: float | None = None, note: str = "") -> None:
    """Print one figure, as bench/figures.hpp does."""
    figure: Figure = {"name": name, "value": value, "unit": unit, "better": better}
    if target is not None:
        figure["target"] = target
    if note:
        figure["note"] = note
    print(json.dumps(figure), flush=True)


def run(command: list[str], **environment: str) -> list[Figure]:
    """Return the figures that a program prints; its other output is ignored."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | environment)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name":')]
