#!/usr/bin/env python3
"""Kills runs with checkpoints again and again, at random moments, and checks that nothing is lost that was promised.

    kills.py --program build/dev/apps/sbdl/sbdl [--python PYTHON] [--kills 200] [--seed 1] [CASE ...]

After each SIGKILL every file under its final name is whole, a checkpoint that was there is still there until the output
is, and the run is continued. A run that ends has left the bits of an undisturbed one, and no temporary file.

In the case "ranks" three processes share a run, one of them is killed, and two go on. In the case "dask", which needs a
Python with sbdl[dask], a worker is killed and the fit itself goes on (kill_workers.py).
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from cases import IMAGE, SIGNALS, resume, whole, words
from faults import Run, scratch


@dataclass(frozen=True)
class LongRun:
    """A command that takes a while, and what it writes."""

    name: str
    setup: list
    command: list
    output: str
    checkpoint: str  # empty: the command itself continues
    again: object = None
    ranks: tuple = ()  # how many processes begin, and how many go on; empty: one, without mpirun

    def next_command(self, folder):
        """How the run goes on in this folder."""
        return (self.again(folder) if self.again else None) or self.command

    def next_prefix(self, folder):
        """What starts as many processes as it takes now."""
        if not self.ranks:
            return []
        number = self.ranks[1 if self.again(folder) else 0]
        return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(number)]


MORE_SIGNALS = [word if word != "120" else "600" for word in SIGNALS]
LARGER_IMAGE = [word if word != "24x20" else "48x40" for word in IMAGE]

RUNS = [
    LongRun(
        name="learn gibbs",
        setup=[MORE_SIGNALS],
        command=words(
            "learn data/signals.npy -o model.h5 --atoms 8 --burn-in 30 --draws 20 --most-draws 0 --chains 2"
            " --keep-codes --seed 3 --threads 1 --checkpoint run.ckpt --checkpoint-every 0s --quiet"
        ),
        output="model.h5",
        checkpoint="run.ckpt",
        again=resume("learn"),
    ),
    LongRun(
        name="ranks",
        setup=[MORE_SIGNALS],
        command=words(
            "learn data/signals.npy -o model.h5 --atoms 8 --burn-in 250 --draws 150 --most-draws 0 --seed 3"
            " --threads 1 --checkpoint run.ckpt --checkpoint-every 0s --quiet"
        ),
        output="model.h5",
        checkpoint="run.ckpt",
        again=resume("learn"),
        ranks=(3, 2),
    ),
    LongRun(
        name="learn vb",
        setup=[MORE_SIGNALS],
        command=words(
            "learn data/signals.npy -o model.h5 --atoms 8 --method vb --start-sweeps 20 --sweeps 20 --closing-sweeps 40"
            " --tolerance 0 --seed 3 --threads 1 --checkpoint run.ckpt --checkpoint-every 0s --quiet"
        ),
        output="model.h5",
        checkpoint="run.ckpt",
        again=resume("learn"),
    ),
    LongRun(
        name="denoise",
        setup=[LARGER_IMAGE],
        command=words(
            "denoise data/noisy.tif -o clean.tif --patch 6 --atoms 48 --sweeps 8 --method online --seed 3 --threads 1"
            " --checkpoint run.ckpt --checkpoint-every 0s --quiet"
        ),
        output="clean.tif",
        checkpoint="run.ckpt",
        again=resume("denoise"),
    ),
    LongRun(
        name="reproduce",
        setup=[LARGER_IMAGE],
        command=words(
            "reproduce denoising --images data -o out --sigmas 15 25 50 --trials 3 --quality fast --patch 4 --atoms 16"
            " --sweeps 1 --seed 3 --threads 1 --quiet"
        ),
        output="out/denoising.md",
        checkpoint="",
    ),
]


def ranks_of(mpirun):
    """The processes that mpirun has started."""
    started = subprocess.run(["ps", "-o", "pid=", "--ppid", str(mpirun)], capture_output=True, text=True, check=False)
    return [int(pid) for pid in started.stdout.split()]


class Trial:
    """One run in a folder of its own, killed until it ends."""

    def __init__(self, program, case, folder, expected, chance):
        self.program, self.case, self.folder, self.expected, self.chance = program, case, folder, expected, chance
        self.trials_seen = 0

    def kill_after(self, seconds):
        """Starts or continues the run. Returns its exit status, or nothing if it was killed."""
        process = subprocess.Popen(
            [*self.case.next_prefix(self.folder), self.program, *self.case.next_command(self.folder)],
            cwd=self.folder,
            env=os.environ | {"OMP_WAIT_POLICY": "passive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            error = process.communicate(timeout=seconds)[1].decode(errors="replace")
            self.error = error
            return process.returncode
        except subprocess.TimeoutExpired:
            victims = ranks_of(process.pid) if self.case.ranks else [process.pid]
            if victims:  # mpirun may not have started any yet, or they may have ended
                os.kill(self.chance.choice(victims), signal.SIGKILL)
            self.error = process.communicate(timeout=60)[1].decode(errors="replace")
            # A rank that had done its part already does not end the run.
            return process.returncode if self.case.ranks and process.returncode == 0 else None

    def wrong_after_kill(self, had_checkpoint):
        """What was lost or is not whole."""
        output = self.folder / self.case.output
        if output.exists():
            yield from self.wrong_output()
        elif had_checkpoint and not (self.folder / self.case.checkpoint).exists():
            yield "the checkpoint is gone, and there is no output"
        trials = self.folder / "out" / "trials.csv"
        if trials.exists():
            lines = trials.read_bytes().count(b"\n")
            if lines < self.trials_seen:
                yield f"{self.trials_seen} finished trials have become {lines}"
            self.trials_seen = lines

    def wrong_output(self):
        """What is wrong with an output that is there."""
        reason = whole(
            self.folder / self.case.output,
            self.expected / self.case.output,
            lambda command: Run(self.program, self.folder, command),
        )
        if reason:
            yield f"{self.case.output} {reason}"

    def wrong_at_end(self, status):
        """What is wrong with a run that was not killed."""
        if status != 0:
            yield f"exit status {status}: {self.error}"
            return
        yield from self.wrong_output()
        left = [str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.name.endswith(".tmp")]
        if left:
            yield f"left behind: {left}"
        if self.case.checkpoint and (self.folder / self.case.checkpoint).exists():
            yield "the checkpoint is still there"


def kill_often(case, program, place, kills, chance):
    """Returns how many kills were made, how many runs ended, and what was wrong."""
    before = place / "before"
    before.mkdir()
    for command in case.setup:
        if (done := Run(program, before, command)).status != 0:
            raise SystemExit(f"{case.name}: {done.err}")
    expected = place / "expected"
    shutil.copytree(before, expected)
    if (done := Run(program, expected, case.command)).status != 0:
        raise SystemExit(f"{case.name}: {done.err}")
    undisturbed = place / "undisturbed"
    shutil.copytree(before, undisturbed)
    began = time.monotonic()
    trial = Trial(program, case, undisturbed, expected, chance)
    if trial.kill_after(None) != 0:
        raise SystemExit(f"{case.name}: {trial.error}")
    length = time.monotonic() - began
    made = ended = wrong = 0
    while made < kills:
        folder = place / "run"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(before, folder)
        trial = Trial(program, case, folder, expected, chance)
        status = None
        while status is None:
            had_checkpoint = bool(case.checkpoint) and (folder / case.checkpoint).exists()
            status = trial.kill_after(chance.uniform(0.0, 1.1 * length))
            if status is None:
                made += 1
                complaints = list(trial.wrong_after_kill(had_checkpoint))
            else:
                ended += 1
                complaints = list(trial.wrong_at_end(status))
            for complaint in complaints:
                wrong += 1
                print(f"{case.name}: after kill {made}: {complaint}", flush=True)
    print(f"{case.name:12} {made} kills of a run of {length:.2f} s, {ended} runs ended, {wrong} wrong", flush=True)
    return wrong


def missing(case, python):
    """What a case needs that is not there."""
    if case == "dask":
        probe = [python or "", "-c", "import distributed, sbdl.dask"]
        there = python and subprocess.run(probe, capture_output=True, check=False).returncode == 0
        return "" if there else "no Python with sbdl[dask]"
    shared = any(run.ranks for run in RUNS if run.name == case)
    return "no mpirun" if shared and shutil.which("mpirun") is None else ""


def main():
    """Reads the command line and does what it says."""
    parser = argparse.ArgumentParser(description="Kills runs with checkpoints at random moments.")
    parser.add_argument("--program", required=True)
    parser.add_argument("--kills", type=int, default=200, help="in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--python", help="with sbdl[dask], for the case dask")
    names = [case.name for case in RUNS] + ["dask"]
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(names))
    options = parser.parse_args()
    chosen = [name for name in names if not options.cases or name in options.cases]
    for name in [name for name in chosen if missing(name, options.python)]:
        print(f"{name:12} left out: {missing(name, options.python)}", flush=True)
        chosen.remove(name)
    chance, wrong = random.Random(options.seed), 0
    for name in chosen:
        kills = -(-options.kills // len(chosen))
        if name == "dask":
            script = Path(__file__).with_name("kill_workers.py")
            command = [options.python, script, "--kills", str(kills), "--seed", str(options.seed)]
            wrong += subprocess.run(command, check=False).returncode != 0
            continue
        case = next(case for case in RUNS if case.name == name)
        with tempfile.TemporaryDirectory(dir=scratch(), prefix="sbdl-kills-") as place:
            wrong += kill_often(case, str(Path(options.program).resolve()), Path(place), kills, chance)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
