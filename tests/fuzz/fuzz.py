"""Long runs of read_fuzz, all formats beside one another.

`./dev fuzz` calls it; on a machine without compilers call it with the program, its shared libraries and the seeds.

The inputs are shared out over the formats, most to the fast ones. Each format is run in parts, each a process of its
own with its own seed; all parts of a format share a folder of the inputs that reached new code. How many inputs each
format has had is written to CORPUS/progress.json after every part: a call that is stopped, or given --seconds, is
continued by the next. Prints one line per format, and exits with 1 when there was a finding; the inputs are then in
CORPUS/findings.
"""

import argparse
import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

# Of all inputs, in parts per thousand: what each reader gets is about what it can do in the same time, and the two that
# make a whole HDF5 file for each input less.
SHARES = {
    "npy": 150,
    "csv": 150,
    "npy-image": 150,
    "pnm": 150,
    "mat": 120,
    "wav": 40,
    "checkpoint": 80,
    "png": 60,
    "jpeg": 40,
    "tiff": 40,
    "hdf5": 14,
    "model": 6,
}
PARTS = 32  # of each format
MOST_FINDINGS = 20  # of one format; then it is left


class Progress:
    """What every format has had, kept in a file."""

    def __init__(self, file, formats, runs):
        self.file = file
        self.lock = threading.Lock()
        self.formats = json.loads(file.read_text()) if file.exists() else {}
        for name in formats:
            self.formats.setdefault(name, {"inputs": 0, "findings": 0, "seconds": 0.0, "parts": 0})
        whole = sum(SHARES[name] for name in formats)
        self.wanted = {name: runs * SHARES[name] // whole for name in formats}
        self.under_way = dict.fromkeys(formats, 0)

    def next_part(self):
        """The format that is furthest behind, its part's number, and how many inputs it gets."""
        with self.lock:
            open_formats = [name for name in self.wanted if self.left(name) > 0]
            if not open_formats:
                return None
            name = max(open_formats, key=lambda name: self.left(name) / self.wanted[name])
            inputs = min(self.left(name), max(self.wanted[name] // PARTS, 1))
            self.under_way[name] += inputs
            self.formats[name]["parts"] += 1
            return name, self.formats[name]["parts"], inputs

    def left(self, name):
        """How many inputs nobody has begun yet."""
        if self.formats[name]["findings"] >= MOST_FINDINGS:
            return 0
        return self.wanted[name] - self.formats[name]["inputs"] - self.under_way[name]

    def done(self, name, planned, inputs, findings, seconds):
        """Counts a part."""
        with self.lock:
            state = self.formats[name]
            self.under_way[name] -= planned
            state["inputs"] += inputs
            state["findings"] += findings
            state["seconds"] = round(state["seconds"] + seconds, 1)
            part = self.file.with_suffix(".tmp")
            part.write_text(json.dumps(self.formats, indent=1) + "\n")
            part.replace(self.file)


def run_part(options, name, number, inputs, seconds):
    """How many inputs were run, and whether the last of them was a finding."""
    folder = options.corpus / name
    folder.mkdir(parents=True, exist_ok=True)
    findings = options.corpus / "findings"
    findings.mkdir(exist_ok=True)
    command = [options.program, f"--only={name}", f"-seed={number}", f"-runs={inputs}", "-max_len=4096"]
    command += ["-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1", f"-max_total_time={max(int(seconds), 1)}"]
    command += [f"-artifact_prefix={findings}/{name}-", str(folder), str(options.seeds / name)]
    result = subprocess.run(command, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True, errors="replace")
    counted = re.findall(r"stat::number_of_executed_units: *(\d+)", result.stdout)
    made = int(counted[-1]) if counted else 0
    if result.returncode == 0 and counted:
        return made, 0
    log = findings / f"{name}-{number}.log"
    log.write_text(result.stdout)
    return made, 1


def work(options, progress, end):
    """Runs parts until nothing is left, or the time is up."""
    while time.monotonic() < end - 2:
        part = progress.next_part()
        if part is None:
            return
        name, number, inputs = part
        start = time.monotonic()
        made, findings = run_part(options, name, number, inputs, end - start)
        progress.done(name, inputs, made, findings, time.monotonic() - start)


def main():
    """Reads the options, runs, prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="read_fuzz")
    parser.add_argument("--seeds", required=True, type=Path, help="the folder that fuzz_seeds wrote")
    parser.add_argument("--corpus", required=True, type=Path, help="where inputs and progress are kept")
    parser.add_argument("--runs", type=int, default=100_000_000, help="inputs in all")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--seconds", type=float, default=1e9, help="end after this time, to be continued")
    parser.add_argument("--only", nargs="+", choices=SHARES, default=list(SHARES), help="formats")
    options = parser.parse_args()

    options.corpus.mkdir(parents=True, exist_ok=True)
    progress = Progress(options.corpus / "progress.json", options.only, options.runs)
    end = time.monotonic() + options.seconds
    workers = [threading.Thread(target=work, args=(options, progress, end)) for _ in range(options.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    print(f"{'format':12}{'inputs':>14}{'of':>14}{'findings':>10}{'seconds':>10}{'per second':>12}")
    for name, wanted in progress.wanted.items():
        state = progress.formats[name]
        rate = state["inputs"] / max(state["seconds"], 0.1)
        print(
            f"{name:12}{state['inputs']:14}{wanted:14}{state['findings']:10}{state['seconds']:10.0f}{rate:12.0f}",
            flush=True,
        )
    total = sum(progress.formats[name]["inputs"] for name in progress.wanted)
    findings = sum(progress.formats[name]["findings"] for name in progress.wanted)
    print(f"{total} inputs, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
