"""The commands that faults.py and kills.py disturb, and what is whole about their outputs."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """A command, what it needs, and what it writes."""

    name: str
    setup: Sequence[Sequence[str]]  # commands that make the inputs and older outputs
    command: Sequence[str]
    outputs: Sequence[str]
    inputs: Sequence[str]
    # How a run that failed is continued in this folder; an empty command if it cannot be.
    again: Callable[[Path], Sequence[str]] = field(default=lambda folder: [])
    json: bool = False
    long: bool = False  # not among the quick tests

    def names(self):
        """What a message may call the file that was the trouble."""
        return (*self.outputs, *self.inputs, "run.ckpt")


def words(text):
    """A command as a list."""
    return text.split()


def resume(verb):
    """Resumes a run if it left a checkpoint."""
    return lambda folder: [verb, "--resume", "run.ckpt", "--quiet"] if (folder / "run.ckpt").exists() else []


SIGNALS = words("synth -o data --dim 6 --atoms 8 --signals 120 --sparsity 2 --snr 30 --seed 7 --quiet")
IMAGE = words("synth -o data --image 24x20 --sigma 25 --seed 1 --quiet")
MODEL = words("learn data/signals.npy -o model.h5 --atoms 8 --sweeps 4 --most-draws 0 --seed 1 --threads 1 --quiet")
OLD_IMAGE = words("denoise data/truth.png -o clean.tif --depth float --sigma 1 --quiet")
DENOISE = (
    "denoise data/noisy.tif -o clean.tif --patch 4 --atoms 16 --sweeps 2 --method online --quality fast --threads 1"
    " --quiet"
)
REPRODUCE = (
    "reproduce denoising --images data -o out --sigmas 25 --trials 2 --quality fast --patch 4 --atoms 16 --sweeps 1"
    " --threads 1 --quiet"
)

CASES = [
    Case(
        name="learn",
        setup=[SIGNALS, MODEL],
        command=words(
            "learn data/signals.npy -o model.h5 --atoms 8 --sweeps 4 --most-draws 0 --seed 3 --threads 1 --keep-codes"
            " --checkpoint run.ckpt --checkpoint-every 0s --json --quiet"
        ),
        outputs=["model.h5"],
        inputs=["data/signals.npy"],
        again=resume("learn"),
        json=True,
    ),
    Case(
        name="disk",
        setup=[
            words("synth -o data --dim 6 --atoms 16 --signals 2000 --sparsity 2 --snr 30 --seed 7 --quiet"),
            words("learn data/signals.npy -o model.h5 --atoms 8 --sweeps 1 --most-draws 0 --threads 1 --quiet"),
        ],
        command=words(
            "learn data/signals.npy -o model.h5 --atoms 16 --burn-in 2 --draws 1 --most-draws 0 --seed 3 --threads 1"
            " --memory 480K --scratch data --quiet"
        ),
        outputs=["model.h5"],
        inputs=["data/signals.npy", "data:"],
        long=True,
    ),
    Case(
        name="encode",
        setup=[
            SIGNALS,
            MODEL,
            words("encode model.h5 data/signals.npy -o codes.npy --coder omp --nonzeros 1 --quiet"),
        ],
        command=words(
            "encode model.h5 data/signals.npy -o codes.npy --std std.npy --probability used.npy --burn-in 3 --draws 3"
            " --threads 1 --json"
        ),
        outputs=["codes.npy", "std.npy", "used.npy"],
        inputs=["model.h5", "data/signals.npy"],
        json=True,
    ),
    Case(
        name="denoise",
        setup=[IMAGE, OLD_IMAGE],
        command=words(f"{DENOISE} --std std.tif --save-model image.h5 --report page.html --json"),
        outputs=["clean.tif", "std.tif", "image.h5", "page.html"],
        inputs=["data/noisy.tif"],
        json=True,
    ),
    Case(
        name="reproduce",
        setup=[IMAGE],
        command=words(f"{REPRODUCE} --json"),
        outputs=["out/trials.csv", "out/denoising.md"],
        inputs=["data/truth.png", "data/noisy.tif", "data:", "out"],
        again=lambda folder: words(f"{REPRODUCE} --json"),
        json=True,
    ),
    Case(
        name="image",
        setup=[],
        command=IMAGE,
        outputs=["data/noisy.tif", "data/truth.png", "data/synth.json"],
        inputs=["data"],
    ),
    Case(
        name="checkpoint",
        setup=[IMAGE, OLD_IMAGE],
        command=words(f"{DENOISE} --checkpoint run.ckpt --checkpoint-every 0s"),
        outputs=["clean.tif"],
        inputs=["data/noisy.tif"],
        again=resume("denoise"),
        long=True,
    ),
    Case(
        name="folder",
        setup=[IMAGE],
        command=words("denoise data/noisy.tif data/truth.png -o clean --patch 4 --atoms 16 --threads 1 --quiet"),
        outputs=["clean/noisy.tif", "clean/truth.png"],
        inputs=["data/noisy.tif", "data/truth.png", "clean:"],
        long=True,
    ),
    Case(
        name="report",
        setup=[SIGNALS, MODEL, words("report model.h5 -o page.html --quiet")],
        command=words("report model.h5 -o page.html --quiet"),
        outputs=["page.html"],
        inputs=["model.h5"],
        long=True,
    ),
    Case(
        name="synth",
        setup=[],
        command=SIGNALS,
        outputs=["data/signals.npy", "data/dictionary.npy", "data/codes.npy", "data/synth.json"],
        inputs=["data"],
        long=True,
    ),
]


def whole(path, expected, run):
    """What is wrong with a file that should be as whole as the expected one; nothing if it is."""
    if path.suffix == ".h5":
        got = run(["info", str(path), "--json"])
        if got.status != 0:
            return f"is not whole: {got.err}"
        want = run(["info", str(expected), "--json"])
        return "" if same_facts(json.loads(got.out), json.loads(want.out)) else "has other contents"
    got, want = path.read_bytes(), expected.read_bytes()
    if path.suffix == ".html":
        return "" if got.rstrip().endswith(b"</html>") else "is not whole"
    if path.suffix in (".csv", ".md"):
        same = same_table if path.suffix == ".csv" else same_text
        return "" if same(got.decode(), want.decode()) else "is not whole"
    return "" if got == want else "is not whole"


def same_facts(got, want):
    """Whether two models are the same but for how and in what time they were made."""
    for facts in (got, want):
        for key in [key for key in facts if "seconds" in key or key in ("command", "file", "path", "model")]:
            del facts[key]
    return got == want


def lines_of_table(text):
    """The lines of a .csv file without its times."""
    rows = [line.split(",") for line in text.splitlines()]
    timed = [i for i, name in enumerate(rows[0]) if "seconds" in name] if rows else []
    return [[field for i, field in enumerate(row) if i not in timed] for row in rows]


def same_table(got, want):
    """Whether a .csv file has whole lines, all of which are expected. It may be shorter, and empty."""
    expected = lines_of_table(want)
    return (not got or got.endswith("\n")) and all(row in expected for row in lines_of_table(got))


def same_text(got, want):
    """Whether two texts are the same but for their numbers, some of which are times."""
    return re.sub(r"[\d.]+", "0", got) == re.sub(r"[\d.]+", "0", want)
