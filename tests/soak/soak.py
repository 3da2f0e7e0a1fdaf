#!/usr/bin/env python3
"""Runs random commands on small random data, for a while, and checks what each leaves behind.

    ./dev soak [--minutes 10] [--seed N]
    ./dev soak --seed N --round I          the round that was wrong, again

Options and their values come from what `--help-all` says about them. Each command must end with exit status 0, or with
1 or 2 and a message; under the sanitizers it has no leak and no undefined behaviour; outputs are all there or none is;
codes, images and results have no NaN; no temporary file is left.
"""

import argparse
import collections
import itertools
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from options import options_of, random_options, without_refused

ROOT = Path(__file__).resolve().parents[2]
PURSUIT = ("ksvd", "mod", "simco", "rls", "sgd", "dct", "online")
SANITIZERS = {
    "ASAN_OPTIONS": "exitcode=99:quarantine_size_mb=32:malloc_context_size=12",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=98",
    "LSAN_OPTIONS": f"suppressions={ROOT}/tests/sanitizers/leaks_of_others.txt:print_suppressions=0:exitcode=97",
    "OMP_WAIT_POLICY": "passive",
}
LIMIT = 300  # seconds after which a command is taken to hang


def values_of(path):
    """The numbers of a .npy file, float64 or float32, as sbdl writes it."""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    kind = "d" if b"'<f8'" in data[10 : 10 + length] else "f"
    body = data[10 + length :]
    return struct.unpack(f"<{len(body) // struct.calcsize(kind)}{kind}", body)


class CommandError(Exception):
    """What a command did that it must not do."""


class Round:
    """One set of data and the commands on it."""

    def __init__(self, program, folder, chance, helps, counts):
        self.program, self.folder, self.chance, self.helps, self.counts = program, folder, chance, helps, counts
        self.command = []

    def sbdl(self, *words, chosen=(), outputs=()):
        """Runs a command with the options that were chosen. Returns its result, or nothing if it was refused.

        An option that does not go with the others is left out, and the command tried again.
        """
        while True:
            result, message = self.sbdl_once([*words, *(word for option in chosen for word in option)], outputs)
            chosen = without_refused(chosen, message) if message else None
            if chosen is None:
                return result

    def sbdl_once(self, words, outputs):
        """Runs a command. Returns its result, and the message if it was refused."""
        self.command = words
        try:
            done = subprocess.run(
                [self.program, *words, "--json"],
                cwd=self.folder,
                env=os.environ | SANITIZERS,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise CommandError("hangs") from None
        error = done.stderr.decode(errors="replace")
        self.counts[words[0], done.returncode] += 1
        if done.returncode not in (0, 1, 2):
            raise CommandError(f"exit status {done.returncode}: {error[-3000:]}")
        if left := [path.name for path in self.folder.rglob("*.tmp")]:
            raise CommandError(f"left behind: {left}")
        there = [name for name in outputs if (self.folder / name).exists()]
        if done.returncode != 0:
            last = error.strip().splitlines()[-1] if error.strip() else ""
            if not last.startswith(f"sbdl {words[0]}: "):
                raise CommandError(f"exit status {done.returncode} without a message: {error[-500:]}")
            if there:
                raise CommandError(f"exit status {done.returncode}, and yet there is {there}: {last}")
            return None, last.split(":", 1)[1]
        if len(there) != len(outputs):
            raise CommandError(f"exit status 0, and of {outputs} there is only {there}")
        return json.loads(done.stdout, parse_constant=self.not_json), ""

    def not_json(self, word):
        """Python's reader would take NaN and Infinity, which JSON has not."""
        raise CommandError(f"{word} in the JSON output")

    def check_numbers(self, name):
        """No NaN and no infinity in an array that was written."""
        if not all(map(math.isfinite, values_of(self.folder / name))):
            raise CommandError(f"{name} has a value that is not finite")

    def random(self, verb, owner="", leave_out=(), share=0.25):
        """Random options of a verb."""
        common = (
            "help",
            "help-all",
            "output",
            "json",
            "quiet",
            "threads",
            "seed",
            "resume",
            "checkpoint",
            "checkpoint-every",
        )
        return random_options(self.helps[verb], owner, self.chance, (*common, *leave_out), share)

    def run(self):
        """Signals or an image, by chance."""
        (self.signals if self.chance.random() < 0.6 else self.image)()

    def signals(self):
        """Learns from signals."""
        chance = self.chance
        dim, atoms, count = chance.randint(1, 16), chance.randint(1, 20), chance.randint(1, 150)
        sparsity = chance.randint(1, min(3, atoms))
        made = self.sbdl(
            *f"synth -o data --dim {dim} --atoms {atoms} --signals {count} --sparsity {sparsity}".split(),
            *["--snr", chance.choice(["0", "10", "20", "30", "inf"])],
            *["--scale", chance.choice(["1", "1e-6", "255", "1e6"]), "--seed", str(chance.randrange(1000))],
        )
        if not made:
            return
        methods = sorted({owner for option in self.helps["learn"] for owner in option.owners})
        method = chance.choice(methods)
        learned = self.sbdl(
            *["learn", "data/signals.npy", "-o", "model.h5", "--method", method],
            *["--atoms", str(chance.randint(1, 24)), "--threads", str(chance.randint(1, 3))],
            *["--seed", str(chance.randrange(1000))],
            *self.length(method),
            *self.need(method, sparsity),
            *(["--checkpoint", "run.ckpt", "--checkpoint-every", "0s"] if chance.random() < 0.3 else []),
            chosen=self.random("learn", method, self.chosen_by_us()),
            outputs=["model.h5"],
        )
        if (self.folder / "run.ckpt").exists():
            raise CommandError("the checkpoint is still there")
        if learned:
            self.use_model()

    @staticmethod
    def chosen_by_us():
        """Options that length() and need() give."""
        return (
            "atoms",
            "method",
            "sparsity",
            "max-error",
            "lambda",
            "lambda-s",
            "parameters",
            "most-draws",
            "most-burn-in",
            "most-start-sweeps",
            "patch",
            "closing-sweeps",
            "burn-in",
            "draws",
            "sweeps",
            "start-sweeps",
            "time-limit",
            "mask",
            "stream-signals",
        )

    def length(self, method):
        """Few sweeps."""
        chance = self.chance
        if method == "dct":
            return []
        if method in ("gibbs", "bpfa"):
            draws = chance.randint(2, 20)
            more = ["--most-draws", str(chance.choice([0, draws, draws + 10]))] if method == "gibbs" else []
            return ["--burn-in", str(chance.randint(0, 30)), "--draws", str(draws), *more]
        if method == "vb":
            closing = str(chance.choice([0, 40]))
            return ["--start-sweeps", str(chance.randint(0, 20)), "--sweeps", "10", "--closing-sweeps", closing]
        return ["--sweeps", str(chance.randint(1, 15))]

    def need(self, method, sparsity):
        """What a method cannot do without."""
        if method == "apru":
            return ["--lambda", "0.2", "--lambda-s", "0.15"]
        if method == "majorization":
            return ["--lambda", "0.2"]
        if method not in PURSUIT:
            return []
        return self.chance.choice([["--sparsity", str(sparsity)], ["--max-error", "0.1"]])

    def use_model(self):
        """All that reads a model."""
        self.sbdl("info", "model.h5")
        self.sbdl("score", "model.h5", "--truth", "data/dictionary.npy")
        self.sbdl("report", "model.h5", "-o", "page.html", outputs=["page.html"])
        coder = self.chance.choice(["auto", "omp", "lasso", "fista"])
        if self.sbdl(
            *["encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--coder", coder],
            *(["--lambda", "0.2"] if coder in ("lasso", "fista") else []),
            chosen=self.random("encode", coder, ("coder", "lambda")),
            outputs=["codes.npy"],
        ):
            self.check_numbers("codes.npy")

    def image(self):
        """Denoises an image."""
        chance = self.chance
        size = f"{chance.randint(11, 48)}x{chance.randint(11, 48)}"
        colour = ["--colour"] if chance.random() < 0.3 else []
        sigma, seed = chance.choice(["0", "5", "25", "80"]), str(chance.randrange(1000))
        if not self.sbdl("synth", "-o", "data", "--image", size, *colour, "--sigma", sigma, "--seed", seed):
            return
        method = chance.choice(["auto", "auto", "online", "ksvd", "gibbs", "vb", "dct", "bpfa", "mod", "rls"])
        outputs = ["clean.npy", *(["std.npy"] if chance.random() < 0.5 else [])]
        if self.sbdl(
            *[
                "denoise",
                "data/noisy.tif",
                "-o",
                "clean.npy",
                "--method",
                method,
                "--threads",
                str(chance.randint(1, 3)),
            ],
            *["--patch", str(chance.randint(2, 6)), "--atoms", str(chance.randint(2, 40))],
            *(["--std", "std.npy"] if "std.npy" in outputs else []),
            *(["--clean", "data/truth.png"] if chance.random() < 0.3 else []),
            *(["--report", "page.html"] if chance.random() < 0.3 else []),
            chosen=[
                ["--sweeps", "3"],
                *self.random("denoise", method, ("method", "patch", "atoms", "sweeps", "model", "depth"), 0.15),
            ],
            outputs=outputs,
        ):
            for name in outputs:
                self.check_numbers(name)


def main():
    """Reads the command line and does what it says."""
    parser = argparse.ArgumentParser(prog="./dev soak", description="Random commands on small random data.")
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--round", type=int, help="only this one")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    helps = {}
    for verb in ("learn", "encode", "denoise"):
        text = subprocess.run([program, verb, "--help-all"], check=True, capture_output=True, text=True).stdout
        helps[verb] = options_of(text)
    print(f"seed {options.seed}", flush=True)
    counts = collections.Counter()
    began, rounds, wrong = time.monotonic(), 0, 0
    numbers = itertools.count() if options.round is None else [options.round]
    for number in numbers:
        folder = Path(tempfile.mkdtemp(prefix="sbdl-soak-"))
        one = Round(program, folder, random.Random(f"{options.seed}/{number}"), helps, counts)
        try:
            one.run()
        except CommandError as found:
            wrong += 1
            print(f"round {number}: sbdl {' '.join(one.command)}: {found}", flush=True)
        shutil.rmtree(folder)
        rounds += 1
        if time.monotonic() > began + 60.0 * options.minutes:
            break
    for key, count in sorted(counts.items(), key=lambda item: (str(item[0][0]), -item[1])):
        print(f"{key[0]:8} exit status {key[1]} {count:6} times")
    print(f"{rounds} rounds in {(time.monotonic() - began) / 60.0:.1f} minutes, {wrong} wrong, seed {options.seed}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
