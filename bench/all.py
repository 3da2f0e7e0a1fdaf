"""Run all benchmarks and write bench.md and bench.json; or compare two builds.

python3 bench/all.py --build BUILD --out FOLDER [--python PYTHON] [--images FOLDER]
python3 bench/all.py --build BUILD --against OTHER --out FOLDER [--rounds N]

PYTHON has sbdl and the peers; without it the peers are left out. Each program runs several times, and a figure is the
median of its rounds. In a comparison, the two builds take turns. A figure has changed when all rounds agree on the
direction (five agree by chance once in 16 times) and the median of the ratios differs from 1 by more than 2 % and by
more than three times the median distance of the ratios from it. With fewer than four rounds nothing is called a change,
because two agree by chance half of the time.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import figures

LEAST_CHANGE = 0.02
LEAST_ROUNDS = 4  # to call something a change
SPREADS = 3.0
HELP_TARGET_MS = 30.0

# Rounds of each program; those of growth and of the peers take long. Programs that are not built are skipped.
PROGRAMS = {"machine": 3, "core": 3, "on_off": 2, "vb": 2, "sparse_path": 2, "coders": 2, "growth": 1}
COMPARED = ("core", "on_off", "vb", "sparse_path", "coders")

# Figures whose names changed: what they contained, and what they contain now. Older trees still print the old names.
RENAMED = {"/signals a second/": "/signals per second/", "noise held at ": "noise fixed at "}

Measured = dict[str, dict[str, Any]]  # by name: the figure, and "values" of its rounds


def program_of(build: Path, name: str) -> Path:
    return build / "bench" / f"sbdl_bench_{name}"


def time_help(build: Path) -> list[figures.Figure]:
    """Return how long `sbdl --help` takes, the median of 15 starts."""
    times = []
    for _ in range(15):
        begin = time.perf_counter()
        subprocess.run([build / "apps/sbdl/sbdl", "--help"], stdout=subprocess.DEVNULL, check=True)
        times.append(1e3 * (time.perf_counter() - begin))
    value = statistics.median(times)
    return [{"name": "sbdl --help", "value": value, "unit": "ms", "better": "lower", "target": HELP_TARGET_MS}]


def add_round(measured: Measured, found: list[figures.Figure]) -> None:
    for figure in found:
        entry = measured.setdefault(figure["name"], {**figure, "values": []})
        entry["values"].append(figure["value"])


def run_program(build: Path, name: str, *arguments: str) -> list[figures.Figure]:
    command = [str(program_of(build, name)), *arguments, "--json"]
    print("+", *command, flush=True)
    return figures.run(command)


def measure(build: Path, python: str | None, images: str | None) -> Measured:
    measured: Measured = {}
    for name, rounds in PROGRAMS.items():
        if program_of(build, name).exists():
            for _ in range(rounds):
                add_round(measured, run_program(build, name))
    if images and program_of(build, "sparse_path").exists():
        for image in figures.IMAGES:
            add_round(measured, run_program(build, "sparse_path", str(Path(images) / f"{image}.png")))
    for _ in range(3):
        add_round(measured, time_help(build))
    if python:
        command = [python, str(Path(__file__).with_name("peers.py")), "--build", str(build)]
        command += ["--images", images] if images else []
        print("+", *command, flush=True)
        add_round(measured, figures.run(command, OMP_WAIT_POLICY="passive"))
    for entry in measured.values():
        entry["value"] = statistics.median(entry["values"])
    return measured


def measure_both(builds: tuple[Path, Path], rounds: int) -> tuple[Measured, Measured]:
    both: tuple[Measured, Measured] = ({}, {})
    jobs: list[Callable[[Path], list[figures.Figure]]] = [time_help]
    for name in COMPARED:
        if all(program_of(build, name).exists() for build in builds):
            jobs.append(lambda build, name=name: run_program(build, name))
        else:
            print(f"{name}: not built in both trees, so not compared", flush=True)
    for job in jobs:
        for turn in range(rounds):
            for side in (0, 1) if turn % 2 == 0 else (1, 0):  # against drift, neither is always the first
                add_round(both[side], job(builds[side]))
    return both


def judge(old: list[float], new: list[float], better: str) -> tuple[float, float, str]:
    """Return the ratio of new to old, its noise band, and the verdict."""
    ratios = [b / a for a, b in zip(old, new, strict=True)]
    ratio = statistics.median(ratios)
    spread = statistics.median(abs(r - ratio) for r in ratios)
    band = max(LEAST_CHANGE, SPREADS * spread)
    agree = all(r > 1 for r in ratios) or all(r < 1 for r in ratios)
    if len(ratios) < LEAST_ROUNDS or not agree or abs(ratio - 1) <= band:
        return ratio, band, ""
    return ratio, band, "**better**" if (ratio > 1) == (better == "higher") else "**worse**"


def short(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(measured: Measured) -> str:
    lines = ["| figure | median | lowest to highest | unit | target | met |", "|:--|--:|:--|:--|--:|:--|"]
    for name, entry in measured.items():
        values, target, met = entry["values"], entry.get("target"), ""
        if target is not None:
            met = "yes" if (entry["value"] >= target) == (entry["better"] == "higher") else "**no**"
        spread = f"{short(min(values))} to {short(max(values))}" if len(values) > 1 else ""
        goal = "" if target is None else f"{'>=' if entry['better'] == 'higher' else '<='} {target:g}"
        note = f" ({entry['note']})" if "note" in entry else ""
        lines.append(f"| {name}{note} | {short(entry['value'])} | {spread} | {entry['unit']} | {goal} | {met} |")
    return "\n".join(lines)


def with_current_names(measured: Measured) -> Measured:
    def current(name: str) -> str:
        for old, new in RENAMED.items():
            name = name.replace(old, new)
        return name

    return {current(name): entry for name, entry in measured.items()}


def unpaired(old: Measured, new: Measured) -> str:
    """Return a list of the figures that only one side has, empty if there are none."""
    parts = []
    for title, side, other in (("before", old, new), ("now", new, old)):
        names = [name for name in side if name not in other]
        if names:
            parts.append(f"Only {title}, so not compared:\n\n" + "\n".join(f"- {name}" for name in names))
    return "\n\n".join(parts)


def compared_table(old: Measured, new: Measured) -> str:
    """Return the figures that both sides have, and a list of the others."""
    old, new = with_current_names(old), with_current_names(new)
    lines = ["| figure | before | now | unit | ratio | noise | |", "|:--|--:|--:|:--|--:|--:|:--|"]
    for name, before in old.items():
        if name in new:
            now = new[name]
            ratio, band, word = judge(before["values"], now["values"], now["better"])
            medians = [short(statistics.median(side["values"])) for side in (before, now)]
            lines.append(f"| {name} | {' | '.join(medians)} | {now['unit']} | {ratio:.3f} | {band:.3f} | {word} |")
    rest = unpaired(old, new)
    return "\n".join(lines) + (f"\n\n{rest}" if rest else "")


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def where(build: Path) -> dict[str, Any]:
    """Return commit, machine and date of a run."""
    version = subprocess.run([build / "apps/sbdl/sbdl", "--version"], stdout=subprocess.PIPE, text=True, check=True)
    commit = subprocess.run(["git", "-C", build, "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True)
    return {
        "version": f"{version.stdout.split(chr(10), 1)[0]} ({commit.stdout.strip() or 'unknown commit'})",
        "machine": cpu_model(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "date": datetime.date.today().isoformat(),
    }


def heading(title: str, facts: dict[str, Any], seconds: float) -> str:
    return (
        f"# {title}\n\n{facts['version']}; {facts['cores']} cores of {facts['machine']}; {facts['date']}; "
        f"{seconds / 60:.1f} minutes; load before the run {facts['load']}.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="build folder of the release preset")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--python", help="the interpreter that has sbdl and the peers")
    parser.add_argument("--images", help="a folder with cameraman.png, boat256.png and couple256.png")
    parser.add_argument("--against", type=Path, help="build folder to compare with")
    parser.add_argument("--rounds", type=int, default=5, help="of the comparison")
    wanted = parser.parse_args()

    begin = time.perf_counter()
    facts: dict[str, Any] = where(wanted.build)
    if wanted.against:
        facts["before"] = where(wanted.against)["version"]
        old, new = measure_both((wanted.against, wanted.build), wanted.rounds)
        name, found = "compare", {"before": old, "now": new}
        rule = (__doc__ or "").split("In a comparison, ", 1)[1].strip()
        body = f"Before: {facts['before']}. {rule[0].upper()}{rule[1:]}\n\n{compared_table(old, new)}"
    else:
        name, found = "bench", measure(wanted.build, wanted.python, wanted.images)
        body = table(found)
    text = f"{heading('Speed', facts, time.perf_counter() - begin)}\n{body}\n"
    wanted.out.mkdir(parents=True, exist_ok=True)
    (wanted.out / f"{name}.md").write_text(text, encoding="utf-8")
    (wanted.out / f"{name}.json").write_text(json.dumps({**facts, "figures": found}, indent=1), encoding="utf-8")
    print(text)  # it ends with the figures that only one side has


if __name__ == "__main__":
    main()
