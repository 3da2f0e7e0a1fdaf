#!/usr/bin/env python3
"""Runs sbdl while memory, disks and files fail, and checks how each run ends.

Each case is one small command. It is run once to count its calls (inject.cpp), and then again and again, each time with
another call failing. Whatever fails, a run ends with exit status 0, 1 or 2; unless it is 0, the last line on standard
error says why and, where a file is the reason, which; every output is the old file or the whole new one; no temporary
file is left; and a checkpoint that is left can be resumed to the undisturbed result.

    faults.py --program build/dev/apps/sbdl/sbdl --inject build/dev/tests/faults/libsbdl_inject.so [--all] [CASE ...]

--all tries every disk fault both once and for good, and an allocation from every place in the code; without it the disk
faults are all there, and some of the allocations.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cases import CASES, Case, whole

LIMIT = 120  # seconds after which a run is taken to hang
NO_PROCESS = 4194305  # the largest number of a process is 4194304
LARGE = 4096  # bytes that can be missing while less is there
QUICK_PLACES = 12  # allocations that fail in the quick tests, of each kind


def machine_mark():
    """Return what stands for this machine in the names of temporary files (src/base/atomic_file.cpp)."""
    mark = 2166136261
    for byte in (os.uname().nodename + os.readlink("/proc/self/ns/pid")).encode():
        mark = (mark ^ byte) * 16777619 % 2**32
    return mark


class Run:
    """How one run of the program ended."""

    def __init__(self, program, folder, arguments, fault=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SBDL_")}
        environment |= {"OMP_WAIT_POLICY": "passive", **(fault or {})}
        try:
            done = subprocess.run(
                [program, *arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LIMIT,
                check=False,
            )
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            self.status, self.out, self.err = None, b"", "hangs"

    def ending(self):
        """A word for the table of results."""
        if self.status is None:
            return "hangs"
        return f"exit {self.status}" if self.status >= 0 else signal.Signals(-self.status).name


class Prepared:
    """A case with its folder as it is before the run, and what an undisturbed run leaves."""

    def __init__(self, case: Case, program: str, inject: str, place: Path):
        self.case, self.program, self.inject = case, program, inject
        self.before = place / case.name
        self.before.mkdir()
        for command in case.setup:
            self.must(Run(program, self.before, command), command)
        self.after = place / f"{case.name}.after"
        shutil.copytree(self.before, self.after)
        for name in case.outputs:
            path = self.after / name
            if path.suffix == ".csv":  # grows line by line
                continue
            path.parent.mkdir(exist_ok=True)
            (path.parent / f".{path.name}.{machine_mark():08x}-{NO_PROCESS}-1.tmp").touch()  # of a run that was killed
        self.must(Run(program, self.after, case.command), case.command)
        if left := [path.name for path in self.after.rglob("*.tmp")]:
            raise SystemExit(f"{case.name}: these files of a killed run are still there: {left}")
        self.old = {name: (self.before / name).read_bytes() for name in case.outputs if (self.before / name).exists()}

    def must(self, run, command):
        """Ends the test if a command without faults fails."""
        if run.status != 0:
            raise SystemExit(f"{self.case.name}: sbdl {' '.join(command)}: {run.ending()}: {run.err}")

    def fault(self, kind, at, ever, log):
        """The variables that inject.cpp reads."""
        return {
            "LD_PRELOAD": self.inject,
            "SBDL_FAULT": kind,
            "SBDL_FAULT_AT": str(at),
            "SBDL_FAULT_EVER": "1" if ever else "0",
            "SBDL_FAULT_LOG": str(log),
        }

    def calls(self, kind):
        """The numbers of the calls that can fail; of allocations, with their bytes, the first from each place.

        HDF5's own are left out: it is not made for memory that runs out (docs/results/robustness.md).
        """
        with tempfile.TemporaryDirectory(dir=scratch()) as work:
            folder, log = Path(work) / "run", Path(work) / "log"
            shutil.copytree(self.before, folder)
            self.must(Run(self.program, folder, self.case.command, self.fault(kind, 0, False, log)), self.case.command)
            lines = [line.split() for line in log.read_text().splitlines()]
        if kind == "memory":
            return [(int(line[0]), int(line[1])) for line in lines if line[0] != "calls" and "libhdf5" not in line[2]]
        return range(1, int(lines[-1][1]) + 1)

    def try_fault(self, kind, at, ever):
        """Makes one call fail. Returns how the run ended, and what is wrong with that."""
        with tempfile.TemporaryDirectory(dir=scratch()) as work:
            folder, log = Path(work) / "run", Path(work) / "log"
            shutil.copytree(self.before, folder)
            run = Run(self.program, folder, self.case.command, self.fault(kind, at, ever, log))
            return run, list(self.complaints(run, folder, kind))

    def complaints(self, run, folder, kind):
        """What is wrong with how a run ended."""
        case = self.case
        if run.status not in (0, 1, 2):
            yield f"{run.ending()}: {run.err.strip()[-300:]}"
            return
        if run.status != 0:
            last = run.err.strip().splitlines()[-1] if run.err.strip() else ""
            if not last.startswith(f"sbdl {case.command[0]}: "):
                yield f"exit {run.status} without a message of sbdl: {run.err.strip()[-300:]!r}"
            elif kind == "memory":
                if "memory" not in last and not any(name in last for name in case.names()):
                    yield f"neither memory nor a file is named: {last}"
            elif not any(name in last for name in (*case.names(), "standard output")):
                yield f"no file is named: {last}"
        elif case.json:
            try:
                json.loads(run.out)
            except ValueError:
                yield f"exit 0 and no JSON: {run.out[-200:]!r}"
        left = [str(path.relative_to(folder)) for path in folder.rglob("*.tmp")]
        if left:
            yield f"left behind: {left}"
        for name in case.outputs:
            path = folder / name
            if not path.exists():
                if run.status == 0 or name in self.old:
                    yield f"exit {run.status}, and {name} is not there"
            elif not (run.status != 0 and path.read_bytes() == self.old.get(name)):
                reason = whole(path, self.after / name, lambda words: Run(self.program, folder, words))
                if reason:
                    yield f"exit {run.status}: {name} {reason}"
        if run.status != 0 and case.again(folder):
            again = Run(self.program, folder, case.again(folder))
            if again.status != 0:
                yield f"cannot be continued: {again.err.strip()[-300:]}"
            else:
                for name in case.outputs:
                    reason = whole(folder / name, self.after / name, lambda words: Run(self.program, folder, words))
                    if reason:
                        yield f"continued: {name} {reason}"


def scratch():
    """Memory is quicker than a disk; the program waits for the disk at the end of each file."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def plan(prepared, everything, most_places, chance):
    """All (kind, number of the call, for good) to be tried."""
    steps = []
    for kind in ("full", "broken", "unreadable"):
        for number in prepared.calls(kind):
            steps.append((kind, number, False))
            if kind == "full" or (everything and kind == "broken"):
                steps.append((kind, number, True))
    steps += [("short", 0, False), ("interrupted", 0, False)]
    # Where a small piece of memory cannot be had, nothing later can either.
    places = prepared.calls("memory")
    for ever in (False, True):
        numbers = [number for number, size in places if ever or size >= LARGE]
        if most_places is not None:
            numbers = chance.sample(numbers, min(most_places, len(numbers)))
        steps += [("memory", number, ever) for number in numbers]
    return steps


def run_case(case, options, place):
    """Tries all faults of a case. Returns how many runs went wrong."""
    began = time.monotonic()
    prepared = Prepared(case, options.program, options.inject, place)
    most_places = options.places if options.all else QUICK_PLACES
    steps = plan(prepared, options.all, most_places, random.Random(options.seed))
    endings, wrong = {}, 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for (kind, at, ever), (run, complaints) in zip(
            steps, pool.map(lambda step: prepared.try_fault(*step), steps), strict=True
        ):
            row = endings.setdefault(kind + (" for good" if ever else ""), {})
            row[run.ending()] = row.get(run.ending(), 0) + 1
            if kind in ("short", "interrupted") and run.status != 0:
                complaints = [f"{run.ending()}: {run.err}", *complaints]
            for complaint in complaints:
                wrong += 1
                print(f"{case.name}: {kind} at call {at}{' and later' if ever else ''}: {complaint}", flush=True)
    for kind, row in endings.items():
        total = ", ".join(f"{count} {ending}" for ending, count in sorted(row.items()))
        print(f"{case.name:10} {kind:18} {sum(row.values()):6} runs: {total}", flush=True)
    print(f"{case.name:10} {len(steps)} runs, {wrong} wrong, {time.monotonic() - began:.0f} s", flush=True)
    return wrong


def main():
    """Reads the command line and does what it says."""
    parser = argparse.ArgumentParser(description="Runs sbdl while memory, disks and files fail.")
    parser.add_argument("--program", required=True)
    parser.add_argument("--inject", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--places", type=int, metavar="N", help="with --all: at most so many allocations of each kind")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="chooses the allocations that fail, without --all")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(case.name for case in CASES))
    options = parser.parse_args()
    options.program, options.inject = (str(Path(name).resolve()) for name in (options.program, options.inject))
    known = {case.name: case for case in CASES}
    wrong = 0
    with tempfile.TemporaryDirectory(dir=scratch(), prefix="sbdl-faults-") as place:
        for name in options.cases or [case.name for case in CASES if options.all or not case.long]:
            wrong += run_case(known[name], options, Path(place))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
