"""How sweeps and denoising scale with threads, beside what the machine allows.

python3 bench/threads.py PROGRAM [THREADS]

As many single-threaded processes as there are threads, each with its share of the signals, show what the machine
itself loses when all cores are busy (clock, memory, neighbours). The program with that many threads is compared with
one process and with all of them.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SIGNALS, DIM, ATOMS = 65536, 64, 256
RUNS = {
    "gibbs": ["--burn-in", "4", "--draws", "12"],  # the last thirteen sweeps have on/off codes
    "gibbs-t": ["--prior", "student-t", "--sweeps", "9"],
    "vb-t": ["--method", "vb", "--prior", "student-t", "--start-sweeps", "0", "--sweeps", "4", "--tolerance", "0"],
}


def make_signals(program: str, folder: Path, count: int) -> Path:
    shape = ["--dim", str(DIM), "--atoms", str(ATOMS), "--signals", str(count), "--sparsity", "5", "--snr", "20"]
    subprocess.run([program, "synth", "-o", folder, *shape, "--seed", "1", "--quiet"], check=True)
    return folder / "signals.npy"


def begin(program: str, signals: Path, options: list[str], threads: int, out: Path) -> subprocess.Popen[bytes]:
    common = ["--atoms", str(ATOMS), "--threads", str(threads), "--seed", "1", "--quiet", "--trace", f"{out}.jsonl"]
    return subprocess.Popen([program, "learn", signals, "-o", f"{out}.h5", *common, *options])


def sweep_seconds(out: Path) -> float:
    lines = [json.loads(line) for line in Path(f"{out}.jsonl").read_text().splitlines()]
    times = [line["seconds"] for line in lines if line["event"] == "sweep"]
    return statistics.median(later - earlier for earlier, later in itertools.pairwise(times))


def together(program: str, signals: Path, options: list[str], processes: int, folder: Path) -> float:
    runs = [begin(program, signals, options, 1, folder / f"run{i}") for i in range(processes)]
    if any([run.wait() != 0 for run in runs]):
        sys.exit("threads.py: a run failed")
    return statistics.mean(sweep_seconds(folder / f"run{i}") for i in range(processes))


def denoise_seconds(program: str, noisy: Path, threads: list[int], show: bool = False) -> list[float]:
    """The times of as many processes at once as there are entries, each with so many threads."""
    runs = [
        subprocess.Popen(
            [program, "denoise", noisy, "-o", f"{noisy}.{i}.tif", "--threads", str(count), "--json", "--quiet"],
            stdout=subprocess.PIPE,
        )
        for i, count in enumerate(threads)
    ]
    results = [json.loads(run.communicate()[0]) for run in runs]
    if show:
        print("denoise: stages", {name: round(time, 3) for name, time in results[0]["stage_seconds"].items()})
    return [result["seconds"] for result in results]


def main() -> None:
    program = os.path.abspath(sys.argv[1])
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        share = make_signals(program, folder / "share", SIGNALS // threads)
        whole = make_signals(program, folder / "whole", SIGNALS)
        print(f"{'':8} {'alone':>9} {'processes':>9} {'threads':>9}   of alone  machine  of machine")
        for method, options in RUNS.items():
            alone = together(program, share, options, 1, folder)
            machine = together(program, share, options, threads, folder)
            if begin(program, whole, options, threads, folder / "all").wait() != 0:
                sys.exit("threads.py: a run failed")
            ours = sweep_seconds(folder / "all")
            print(
                f"{method:8} {alone:8.3f}s {machine:8.3f}s {ours:8.3f}s "
                f"{alone / ours:10.2f} {alone / machine:8.2f} {machine / ours:11.2f}",
                flush=True,
            )
        image = ["synth", "-o", folder, "--image", "1024x1024", "--sigma", "25", "--seed", "1", "--quiet"]
        subprocess.run([program, *image], check=True)
        noisy = folder / "noisy.tif"
        alone = denoise_seconds(program, noisy, [1])[0]
        machine = statistics.mean(denoise_seconds(program, noisy, [1] * threads))
        ours = denoise_seconds(program, noisy, [threads], show=True)[0]
        print(
            f"denoise: alone {alone:.2f} s, {threads} copies at once {machine:.2f} s, {threads} threads {ours:.2f} s: "
            f"efficiency {alone / ours / threads:.2f}, the machine allows {alone / machine:.2f}"
        )


if __name__ == "__main__":
    main()
