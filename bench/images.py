"""Compare `sbdl denoise`, which is given nothing, with BM3D, which is given the noise: PSNR, SSIM, processor time.

PYTHON bench/images.py --build BUILD --out OUT [FOLDER] [--colour] [--sigma S...] [--only PATTERN] [-- OPTIONS]
PYTHON bench/images.py --build BUILD --out OUT --real FOLDER [--only PATTERN] [-- OPTIONS]

PYTHON has numpy, bm3d, scikit-image, scikit-learn, matplotlib and pillow. Without FOLDER the images are the training
photographs (bench/photographs.py) in grey, with --colour ten photographs in colour; with FOLDER all images there,
in grey or colour as they are. White noise is added, and both denoise the same float samples. --real takes pairs
NAME-noisy.png and NAME-truth.png with noise of their own: BM3D is then given the sigma that sbdl found, or stands
behind a transform that makes the noise uniform (bench/anscombe.py). OPTIONS are passed to `sbdl denoise`.

Writes OUT/images.md and OUT/images.json. The table has what was asked for. The JSON keeps every row that this program
made of these pixels with these options, so a run that was stopped goes on where it was; rows of other programs are
dropped.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import importlib.metadata
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import photographs
from all import heading, where
from images_table import real_tables, white_tables
from numpy.typing import NDArray
from skimage.metrics import structural_similarity

Array = NDArray[Any]
Row = dict[str, Any]
SIGMAS = (15.0, 25.0, 50.0)
BM3D = Path(__file__).with_name("bm3d_once.py")


class ProgramError(Exception):
    """A program that was measured failed."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass
class Case:
    """A noisy image and the truth. Without sigma the noise is real."""

    name: str
    truth: Array
    noisy: Array
    sigma: float | None
    data_range: float

    def key(self) -> Row:
        """Return what tells it from other noisy images."""
        digest = hashlib.sha256(self.truth.tobytes() + self.noisy.tobytes()).hexdigest()[:16]
        return {"image": self.name, "sigma": self.sigma, "colour": self.truth.ndim == 3, "pixels": digest}


def white_cases(images: dict[str, Array], sigmas: list[float]) -> Iterator[Case]:
    for name, truth in images.items():
        for sigma in sigmas:
            noise = np.random.default_rng([zlib.crc32(name.encode()), round(1000 * sigma)])
            noisy = (truth + sigma * noise.standard_normal(truth.shape)).astype(np.float32)
            yield Case(name, truth, noisy, sigma, photographs.WHITE)


def real_cases(pairs: dict[str, tuple[Array, Array]]) -> Iterator[Case]:
    for name, (noisy, truth) in pairs.items():
        data_range = photographs.WHITE if truth.dtype == np.uint8 else float(truth.max()) - float(truth.min())
        yield Case(name, truth, noisy, None, data_range)


# ---- one image -------------------------------------------------------------------------------------------------------


def measured(command: list[str]) -> tuple[dict[str, Any], float]:
    """Return the JSON that a program prints, and the user and system time of its process with all threads."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Threads that wait for others sleep: spinning would count as work.
    environment = os.environ | {"OMP_WAIT_POLICY": "passive"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        text = f"{' '.join(command)} ended with status {done.returncode}:\n{done.stderr.strip()}"
        raise ProgramError(done.returncode, text)
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def quality(case: Case, image: Array) -> Row:
    """Return PSNR and SSIM; nothing is clipped or rounded. The SSIM is that of `sbdl.ssim`."""
    truth, other = case.truth.astype(float), image.astype(float).reshape(case.truth.shape)
    similarity = structural_similarity(
        truth,
        other,
        data_range=case.data_range,
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
        channel_axis=2 if truth.ndim == 3 else None,
    )
    mean_square = float(np.mean((truth - other) ** 2))
    psnr = 10 * np.log10(case.data_range**2 / mean_square) if mean_square > 0 else float("inf")
    return {"psnr": float(psnr), "ssim": float(similarity)}


def by_sbdl(program: Path, case: Case, folder: Path, options: list[str]) -> Row:
    # Not rounded to the samples of the input, as BM3D's result is not.
    depth = [] if any(word.startswith("--depth") for word in options) else ["--depth", "float"]
    files = [str(folder / "noisy.npy"), "-o", str(folder / "clean.npy")]
    found, seconds = measured([str(program), "denoise", *files, *depth, "--json", "--quiet", *options])
    facts = {"sigma": found["noise_sd"], "found": found["noise"]["found"], "cpu_seconds": seconds}
    return quality(case, np.load(folder / "clean.npy")) | facts


def by_bm3d(case: Case, folder: Path, how: list[str]) -> Row:
    found, seconds = measured([sys.executable, str(BM3D), str(folder / "noisy.npy"), str(folder / "clean.npy"), *how])
    # Loading Python and its libraries takes a second that a BM3D in C++ would not need.
    start = found.pop("start_seconds")
    return (
        quality(case, np.load(folder / "clean.npy")) | found | {"cpu_seconds": seconds - start, "start_seconds": start}
    )


def compared(program: Path, case: Case, options: list[str]) -> Row:
    """Return the results of all denoisers for one noisy image."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "noisy.npy", case.noisy)
        row: Row = {"noisy": quality(case, case.noisy), "sbdl": by_sbdl(program, case, folder, options)}
        sigma = row["sbdl"]["sigma"] if case.sigma is None else case.sigma
        # BM3D cannot be given a noise of 0.
        row["bm3d"] = by_bm3d(case, folder, ["--sigma", repr(max(sigma, 1e-3))])
        if case.sigma is None:
            row["bm3d_transform"] = by_bm3d(case, folder, ["--transform"])
    return row


# ---- all of them -----------------------------------------------------------------------------------------------------


class Rows:
    """The rows that are done, on disk after each of them."""

    def __init__(self, path: Path, facts: Row, same: Row) -> None:
        self.path, self.facts, self.same = path, facts, same
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))["rows"]
            # Options may differ: rows with others are kept, and not used.
            self.rows = [row for row in stored if all(row[name] == same[name] for name in same if name != "options")]
        except (OSError, ValueError, KeyError, TypeError):
            self.rows = []  # there is none, or it is not ours

    def find(self, case: Case) -> Row | None:
        """Return the row of a noisy image, if it is done."""
        wanted = case.key() | self.same
        return next((row for row in self.rows if all(row.get(name) == wanted[name] for name in wanted)), None)

    def add(self, case: Case, results: Row) -> Row:
        """Keep the results for a noisy image, and return its row."""
        row = case.key() | self.same | {"date": self.facts["date"], "data_range": case.data_range} | results
        self.rows.append(row)
        self.write()
        return row

    def write(self) -> None:
        """Write all rows; a run that is killed leaves the old file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(".json.new")
        unfinished.write_text(json.dumps({**self.facts, "rows": self.rows}, indent=1), encoding="utf-8")
        unfinished.replace(self.path)


def identity(program: Path, options: list[str], facts: Row) -> Row:
    """Return what must be the same for a row to be used again; a build has its own digest, committed or not."""
    return {
        "program": hashlib.sha256(program.read_bytes()).hexdigest()[:16],
        "options": options,
        "bm3d_version": importlib.metadata.version("bm3d"),
        "machine": facts["machine"],
    }


def show(row: Row) -> None:
    results = ("noisy", "sbdl", "bm3d", "bm3d_transform")
    cells = [f"{name} {row[name]['psnr']:.2f} dB" for name in results if name in row]
    times = [f"{row[name]['cpu_seconds']:.1f}" for name in results[1:] if name in row]
    sigma = "" if row["sigma"] is None else f", sigma {row['sigma']:g}"
    print(f"{row['image']}{sigma}: {', '.join(cells)}; {' / '.join(times)} s", flush=True)


def arguments(words: list[str]) -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    own, options = words, []
    if "--" in words:
        cut = words.index("--")
        own, options = words[:cut], words[cut + 1 :]
    usage = "./dev bench images [FOLDER] [--colour] [--real FOLDER] [--sigma S...] [--only PATTERN] [-- OPTIONS]"
    parser = argparse.ArgumentParser(
        prog="bench images", usage=usage, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="all images there")
    parser.add_argument("--colour", action="store_true", help="ten photographs in colour")
    parser.add_argument("--real", type=Path, metavar="FOLDER", help="pairs NAME-noisy.png and NAME-truth.png")
    parser.add_argument("--sigma", type=float, nargs="+", metavar="S", help="standard deviations; default 15 25 50")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="the images whose names match")
    parser.add_argument("--build", type=Path, required=True, help="build folder of the release preset")
    parser.add_argument("--out", type=Path, required=True)
    wanted = parser.parse_args(own)
    wanted.options = options
    if wanted.real and (wanted.folder or wanted.colour or wanted.sigma):
        parser.error("--real takes no other FOLDER, --colour or --sigma: the images and their noise are in its pairs")
    if wanted.folder and wanted.colour:
        parser.error("--colour is for the photographs without FOLDER; those of FOLDER are taken as they are")
    if wanted.sigma and not all(0 < sigma < float("inf") for sigma in wanted.sigma):
        parser.error("--sigma must be above 0")
    return parser, wanted


def cases_of(wanted: argparse.Namespace) -> list[Case]:
    def chosen(images: dict[str, Any]) -> dict[str, Any]:
        matching = {name: image for name, image in images.items() if fnmatch.fnmatch(name, wanted.only)}
        if not matching:
            raise photographs.ImageError(f"--only {wanted.only}: there are {', '.join(images)}")
        return matching

    if wanted.real:
        return list(real_cases(chosen(photographs.pairs(wanted.real))))
    images = photographs.in_folder(wanted.folder) if wanted.folder else photographs.training(wanted.colour)
    return list(white_cases(chosen(images), wanted.sigma or list(SIGMAS)))


def main() -> None:
    parser, wanted = arguments(sys.argv[1:])
    program = wanted.build / "apps/sbdl/sbdl"
    if not program.is_file():
        parser.error(f"{program}: there is no such program; build it first")
    try:
        cases = cases_of(wanted)
    except photographs.ImageError as error:
        parser.error(str(error))

    begin = time.perf_counter()
    facts: Row = where(wanted.build)
    facts["bm3d"] = importlib.metadata.version("bm3d")
    rows = Rows(wanted.out / "images.json", facts, identity(program, wanted.options, facts))
    results = []
    try:
        for case in cases:
            known = rows.find(case)
            results.append(known or rows.add(case, compared(program, case, wanted.options)))
            show(results[-1])
    except ProgramError as failure:
        print(f"bench images: {failure}", file=sys.stderr)
        sys.exit(max(failure.status, 1))  # of a program that was killed it is below 0
    except KeyboardInterrupt:
        print(f"\nbench images: stopped; {len(results)} of {len(cases)} rows are done and kept", file=sys.stderr)
        sys.exit(130)
    rows.write()  # even if none is new: with this commit and date
    title = heading("Denoised images", facts, time.perf_counter() - begin)
    tables = real_tables(results) if wanted.real else white_tables(results)
    text = f"{title}\n{about(wanted, facts, results)}\n\n{tables}\n"
    (wanted.out / "images.md").write_text(text, encoding="utf-8")
    print(f"\n{text}")


def about(wanted: argparse.Namespace, facts: Row, results: list[Row]) -> str:
    """Return what was compared, and what is counted."""
    command = " ".join(["sbdl denoise", *wanted.options])
    nothing = "nothing else" if wanted.options else "nothing"
    given = "the sigma that sbdl found, or the transform" if wanted.real else "the true sigma"
    earlier = sorted({row["date"] for row in results} - {facts["date"]})
    kept = f" Some rows were made earlier ({', '.join(earlier)})." if earlier else ""
    return (
        f"`{command}`, given {nothing}, and BM3D {facts['bm3d']}, given {given}, on the same noisy images. "
        "PSNR in dB. Seconds are user and system time of the process with all its threads, without the time that "
        f"Python and its libraries take to load.{kept}"
    )


if __name__ == "__main__":
    main()
