"""Do two programs learn the same, bit for bit? Run it before and after a change that must not change any result.

python bench/same_bits.py --old PROGRAM --new PROGRAM [--work FOLDER] [--only PATTERN] [--threads N]

`./dev same-bits REV` builds both programs. Each case is one command that both run on the same files: every method with
two seeds, the variants that take other paths, codes of new signals and images. Compared are the arrays and numbers of
the models and all other files that are written. Values of a model are found by the last part of their names, wherever
in the file they are, so that both programs may group them as they like; a value that only one of them has is a
difference. A difference that is meant goes into EXPECTED with its reason and a bound. The exit status is 1 for any
other one.

Where defaults have changed, the former ones are given to a program that has the option: gibbs and vb run with the prior
student-t, and with burn-in and draws given, and denoise with the quality fast. The present defaults are cases of their
own, for two programs that both have the option.
"""

from __future__ import annotations

import argparse
import fnmatch
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np

# Differences from commit 0a386a5 that are meant: pattern of "case: field" (as in the table that is printed) -> the
# largest relative difference allowed, and the reason. Where rounding falls depends on the processor, so not every
# pattern is met everywhere.
SAMPLER = (1e-12, "one on/off sampler for bpfa and the re-estimation of the noise: other order of sums")
BLOCKS = (1e-12, "bpfa sums its residuals block by block, so that ranks can continue each other's sums: other rounding")
PIECES = (1e-10, "smaller pieces of the lasso's products, to keep more threads busy: other rounding in BLAS")
GROUPS = (1e-10, "atoms of online learning move by groups, corrected for those that moved before: other rounding")
PARTS = (1e-12, "ksvd sums over the users of an atom in parts of the signals, which ranks divide: other order of sums")
CHUNKS = (1e-8, "more chunks where there are many signals, to keep more threads busy: other order of sums")
PLANES = (1e-4, "the passes over an image hold its planes in single precision, to halve their memory")
FREEDOM = (np.inf, "the re-estimated noise counts the degrees of freedom of the atoms; it was too low")
NEW_NOISE = (np.inf, "codes depend on the noise of their model")
ONE_DRAW = (np.inf, "one draw has no standard deviations; they were 0")
ADDED = (np.inf, "new: the probability that each code is not zero")
EXPECTED: dict[str, tuple[float, str]] = {
    "gibbs*: noise_sd*": FREEDOM,
    "vb*: noise_sd*": FREEDOM,
    "many signals, gibbs: noise_sd*": FREEDOM,
    "many signals, vb: noise_sd*": FREEDOM,
    "encode gibbs --burn-in*: file": NEW_NOISE,
    "gibbs paper: dictionary_std": ONE_DRAW,
    "bpfa*: trace objective": SAMPLER,
    "bpfa codes: codes_probability": ADDED,
    "bpfa*: *": BLOCKS,
    "encode bpfa*: file": BLOCKS,
    "vb*: *": SAMPLER,
    "encode vb: file": NEW_NOISE,
    "online lambda: *": PIECES,
    "online*: *": GROUPS,
    "denoise *: file": PLANES,
    "denoise *: std": PLANES,
    "denoise online: *": PIECES,
    "denoise gibbs: *": PIECES,
    "many signals, gibbs: *": CHUNKS,
    "many signals, vb: *": CHUNKS,
    "many signals, ksvd: *": PARTS,
    "many signals, exact: *": PARTS,
    "denoise ksvd*: *": PARTS,
}

# What is compared of a model: the name in the printed table -> the last part of the name in the file and the number of
# dimensions, which tells the noise of the model from that of the trace.
VALUES = {
    "dictionary": ("dictionary", 2),
    "dictionary_std": ("dictionary_std", 2),
    "noise_sd": ("noise_sd", 0),
    "noise_sd_std": ("noise_sd_std", 0),
    "atom_usage": ("atom_usage", 1),
    "atom_norm": ("atom_norm", 1),
    "atom_probability": ("atom_probability", 1),
    "codes": ("codes", 2),
    "codes_std": ("codes_std", 2),
    "codes_probability": ("codes_probability", 2),
    "code_sizes": ("code_sizes", 1),
    "stream code_products": ("code_products", 2),
    "stream signal_products": ("signal_products", 2),
    "trace objective": ("objective", 1),
    "trace noise_sd": ("noise_sd", 1),
}
NEEDED = ("dictionary", "noise_sd", "trace objective", "trace noise_sd")

SEEDS = (1, 2)

PRIOR, QUALITY = ("learn", "--prior"), ("denoise", "--quality")


@dataclass(frozen=True)
class Case:
    """One command for both programs: {data} is the folder of the inputs, {runs} that of the program's own outputs."""

    name: str
    command: list[str]
    outputs: list[str]
    seeds: tuple[int, ...] = SEEDS[:1]
    former: tuple[str, str] | None = None  # option and value for programs that have it: what others do without it
    needs: tuple[str, str] | None = None  # verb and option without which a program cannot run the case


@dataclass
class Outcome:
    """What came of a case with one seed: its differences, each with its reason where it is expected."""

    case: str
    seed: int
    differences: list[tuple[str, str]] = field(default_factory=list)
    expected: list[tuple[str, str]] = field(default_factory=list)
    seconds: tuple[float, float] = (0.0, 0.0)


def learn(
    name: str, method: str, *options: str, data: str = "small", atoms: int = 24, seeds: tuple[int, ...] = SEEDS[:1]
) -> Case:
    command = ["learn", f"{{data}}/{data}/signals.npy", "-o", "{out}.h5", "--method", method, "--atoms", str(atoms)]
    outputs = ["{out}.h5"] + [option for option in options if option.startswith("{out}")]
    chooses = "--prior" in options
    student_t = method in ("gibbs", "vb") and not chooses and "--preset" not in options
    former = ("--prior", "student-t") if student_t else None
    return Case(name, [*command, *options], outputs, seeds, former, needs=PRIOR if chooses else None)


def encode(model: str, *options: str) -> Case:
    name = " ".join(["encode", model, *options])
    file = f"{{runs}}/{model.replace(' ', '_')}-{{seed}}.h5"
    command = ["encode", file, "{data}/new/signals.npy", "-o", "{out}.npy"]
    return Case(name, [*command, *options], ["{out}.npy"], needs=PRIOR if model.endswith("on-off") else None)


def denoise(method: str, *options: str) -> Case:
    name = " ".join(["denoise", method, *options[:2]])
    chooses = "--quality" in options
    former = None if chooses or "--recipe" in options else ("--quality", "fast")
    command = ["denoise", "{data}/noisy.npy", "-o", "{out}.npy", "--std", "{out}-std.npy", "--save-model", "{out}.h5"]
    learning = ["--method", method, "--atoms", "64", "--sweeps", "6"]
    return Case(
        name,
        [*command, *learning, *options],
        ["{out}.npy", "{out}-std.npy", "{out}.h5"],
        former=former,
        needs=QUALITY if chooses else None,
    )


CASES = [
    learn("gibbs", "gibbs", "--burn-in", "25", "--draws", "15", seeds=SEEDS),
    learn("vb", "vb", "--start-sweeps", "20", "--sweeps", "15", seeds=SEEDS),
    learn("ksvd", "ksvd", "--sparsity", "3", "--sweeps", "20", seeds=SEEDS),
    learn("mod", "mod", "--sparsity", "3", "--sweeps", "20", seeds=SEEDS),
    learn("simco", "simco", "--sparsity", "3", "--sweeps", "10", seeds=SEEDS),
    learn("majorization", "majorization", "--lambda", "0.2", "--sweeps", "8", seeds=SEEDS),
    learn("apru", "apru", "--lambda", "0.2", "--lambda-s", "0.15", "--sweeps", "10", seeds=SEEDS),
    learn("online", "online", "--sparsity", "3", "--sweeps", "10", seeds=SEEDS),
    learn("rls", "rls", "--sparsity", "3", "--sweeps", "8", seeds=SEEDS),
    learn("sgd", "sgd", "--sparsity", "3", "--sweeps", "8", seeds=SEEDS),
    learn("dct", "dct", "--sparsity", "3", seeds=SEEDS),
    learn("bpfa", "bpfa", "--sweeps", "30", seeds=SEEDS),
    # Other paths through the same methods.
    learn("gibbs on-off", "gibbs", "--prior", "on-off", "--burn-in", "30", "--draws", "20", "--keep-codes"),
    learn("vb on-off", "vb", "--prior", "on-off", "--start-sweeps", "20", "--sweeps", "15", "--keep-codes"),
    learn("gibbs paper", "gibbs", "--preset", "paper", "--sweeps", "20"),
    learn("gibbs joint", "gibbs", "--update", "joint", "--burn-in", "13", "--draws", "7"),
    learn("gibbs 2 chains", "gibbs", "--chains", "2", "--burn-in", "13", "--draws", "7"),
    learn("gibbs thinned", "gibbs", "--burn-in", "10", "--draws", "11", "--thin", "3"),
    learn("gibbs reference", "gibbs", "--kernels", "reference", "--burn-in", "4", "--draws", "2"),
    learn("gibbs start", "gibbs", "--burn-in", "6", "--draws", "4", "--start", "{runs}/gibbs-{seed}.h5"),
    learn("gibbs large", "gibbs", "--burn-in", "4", "--draws", "2", data="large", atoms=100),
    # Leaves the dense path.
    learn("gibbs few active atoms", "gibbs", "--burn-in", "38", "--draws", "22", data="sparse", atoms=100),
    # More than 32 chunks.
    learn("many signals, gibbs", "gibbs", "--burn-in", "2", "--draws", "2", data="many", atoms=12),
    learn("many signals, vb", "vb", "--start-sweeps", "2", "--sweeps", "3", data="many", atoms=12),
    # Sixteen parts.
    learn("many signals, mod", "mod", "--sparsity", "2", "--sweeps", "5", data="many", atoms=12),
    learn("many signals, ksvd", "ksvd", "--sparsity", "2", "--sweeps", "5", data="many", atoms=12),
    learn(
        "many signals, exact", "ksvd", "--sparsity", "2", "--update", "exact", "--sweeps", "5", data="many", atoms=12
    ),
    learn("vb paper", "vb", "--preset", "paper", "--sweeps", "15"),
    learn("vb joint", "vb", "--update", "joint", "--start-sweeps", "10", "--sweeps", "10"),
    learn("vb large", "vb", "--start-sweeps", "2", "--sweeps", "2", data="large", atoms=100),
    learn("ksvd exact", "ksvd", "--sparsity", "3", "--update", "exact", "--sweeps", "10"),
    learn("ksvd error", "ksvd", "--max-error", "0.5", "--sweeps", "10"),
    learn("simco paper", "simco", "--sparsity", "3", "--preset", "paper", "--sweeps", "6"),
    learn("apru parameters", "apru", "--parameters", "f", "--sweeps", "6"),
    learn("online lambda", "online", "--lambda", "0.2", "--sweeps", "5"),
    learn("online stored", "online", "--sparsity", "3", "--order", "stored", "--sweeps", "5"),
    learn("online start", "online", "--sparsity", "3", "--sweeps", "4", "--start", "{runs}/online-{seed}.h5"),
    learn("rls paper", "rls", "--sparsity", "3", "--preset", "paper", "--sweeps", "3"),
    learn("sgd start", "sgd", "--sparsity", "3", "--sweeps", "4", "--start", "{runs}/sgd-{seed}.h5"),
    learn("bpfa 2 chains", "bpfa", "--chains", "2", "--sweeps", "15"),
    learn("bpfa mask", "bpfa", "--sweeps", "20", "--mask", "{data}/mask.npy", "--reconstruct", "{out}.npy"),
    learn("gibbs codes", "gibbs", "--keep-codes", "--burn-in", "13", "--draws", "7"),
    learn("vb codes", "vb", "--keep-codes", "--start-sweeps", "10", "--sweeps", "10"),
    learn("ksvd codes", "ksvd", "--keep-codes", "--sparsity", "3", "--sweeps", "10"),
    learn("mod codes", "mod", "--keep-codes", "--sparsity", "3", "--sweeps", "10"),
    learn("simco codes", "simco", "--keep-codes", "--sparsity", "3", "--sweeps", "6"),
    learn("majorization codes", "majorization", "--keep-codes", "--lambda", "0.2", "--sweeps", "4"),
    learn("apru codes", "apru", "--keep-codes", "--lambda", "0.2", "--lambda-s", "0.15", "--sweeps", "5"),
    learn("online codes", "online", "--keep-codes", "--sparsity", "3", "--sweeps", "5"),
    learn("rls codes", "rls", "--keep-codes", "--sparsity", "3", "--sweeps", "4"),
    learn("sgd codes", "sgd", "--keep-codes", "--sparsity", "3", "--sweeps", "4"),
    learn("dct codes", "dct", "--keep-codes", "--sparsity", "3"),
    learn("bpfa codes", "bpfa", "--keep-codes", "--sweeps", "15"),
    encode("gibbs", "--burn-in", "5", "--draws", "10"),
    encode("vb"),
    encode("gibbs on-off", "--burn-in", "20", "--draws", "10"),
    encode("bpfa", "--coder", "omp"),
    encode("ksvd", "--coder", "omp", "--nonzeros", "3"),
    encode("ksvd", "--coder", "lasso", "--lambda", "0.2"),
    encode("ksvd", "--coder", "fista", "--lambda", "0.2"),
    denoise("online"),
    denoise("gibbs"),
    denoise("ksvd"),
    denoise("online", "--quality", "best"),
    denoise("ksvd", "--recipe", "paper", "--sigma", "20"),
]


def run(command: list[str | Path]) -> tuple[int, str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.strip()


def has_option(program: Path, verb: str, option: str) -> bool:
    """Say whether a verb lists an option in its help."""
    pages = [subprocess.run([program, verb, page], capture_output=True, text=True) for page in ("--help", "--help-all")]
    return any(f"{option} " in page.stdout for page in pages)


def make_data(program: Path, folder: Path) -> None:
    """Make the inputs: sets of signals, a mask for one of them, and a noisy image."""
    sets = {
        "small": "--dim 16 --atoms 24 --signals 600 --sparsity 3 --snr 20 --seed 1",
        "new": "--dim 16 --atoms 24 --signals 200 --sparsity 3 --snr 20 --seed 1",
        "large": "--dim 64 --atoms 100 --signals 5000 --sparsity 3 --snr 20 --seed 3",
        "many": "--dim 8 --atoms 12 --signals 20000 --sparsity 2 --snr 20 --seed 4",
        "sparse": "--dim 64 --atoms 100 --signals 600 --sparsity 2 --snr 30 --seed 3",
    }
    for name, options in sets.items():
        status, errors = run([program, "synth", "-o", folder / name, *options.split(), "--quiet"])
        if status != 0:
            sys.exit(f"same_bits: the signals could not be made: {errors}")
    generator = np.random.default_rng(1)
    np.save(folder / "mask.npy", (generator.random((600, 16)) > 0.2).astype(float))
    rows, columns = np.mgrid[0:64, 0:64]
    image = 128.0 + 60.0 * np.sin(rows / 5.0) + 50.0 * ((columns // 16) % 2)
    np.save(folder / "noisy.npy", image + generator.normal(scale=20.0, size=image.shape))


def values_of(path: Path) -> dict[str, np.ndarray]:
    """Return the values of a model by their names in VALUES."""
    found: dict[tuple[str, int], list[np.ndarray]] = {}

    def visit(name: str, item: h5py.Group | h5py.Dataset) -> None:
        entries = list(item.attrs.items())
        if isinstance(item, h5py.Dataset):
            entries.append((name.rsplit("/", 1)[-1], item[()]))
        for entry, value in entries:
            found.setdefault((entry, np.ndim(value)), []).append(np.asarray(value))

    with h5py.File(path) as model:
        visit("", model)
        model.visititems(visit)
    doubtful = [name for name, key in VALUES.items() if len(found.get(key, [])) > 1]
    if doubtful:
        raise ValueError(f"{path}: several values could be meant by: {', '.join(doubtful)}")
    values = {name: found[key][0] for name, key in VALUES.items() if key in found}
    if values.get("noise_sd_std") == 0.0:  # older programs wrote 0 where it is unknown
        values["noise_sd_std"] = np.array(np.nan)
    return values


def difference(old: np.ndarray, new: np.ndarray) -> tuple[str, float] | None:
    """Say how two arrays differ and by how much, relatively; None when they have the same type, shape and bits."""
    if old.dtype != new.dtype or old.shape != new.shape:
        return f"{old.dtype} {old.shape} became {new.dtype} {new.shape}", np.inf
    if old.tobytes() == new.tobytes():
        return None
    finite = np.isfinite(old) & np.isfinite(new)
    if not np.array_equal(np.isfinite(old), np.isfinite(new)):
        return "numbers that are not finite in other places", np.inf
    largest = np.max(np.abs(old[finite]), initial=0.0)
    off = np.max(np.abs(old[finite] - new[finite]), initial=0.0)
    relative = off / largest if largest > 0 else off
    return f"off by {relative:.1e}", relative


def compare_files(old: Path, new: Path) -> Iterator[tuple[str, str, float]]:
    """Yield each difference of two files: which value, how it differs, and by how much."""
    if old.suffix == ".npy":
        found = difference(np.load(old), np.load(new))
        if found:
            yield "std" if old.stem.endswith("-std") else "file", *found
        return
    old_values, new_values = values_of(old), values_of(new)
    for name in VALUES:
        if name in old_values and name in new_values:
            found = difference(old_values[name], new_values[name])
        elif name in old_values or name in new_values:
            found = f"only the {'old' if name in old_values else 'new'} program has it", np.inf
        else:
            found = ("neither program has it", np.inf) if name in NEEDED else None
        if found:
            yield name, *found


def run_case(case: Case, seed: int, programs: dict[str, Path], work: Path, threads: int) -> Outcome:
    outcome = Outcome(case.name, seed)
    outputs: dict[str, list[Path]] = {}
    seconds, failures = [], []
    for which, program in programs.items():
        runs = work / which
        fill = {
            "data": work / "data",
            "runs": runs,
            "seed": seed,
            "out": f"{runs}/{case.name.replace(' ', '_')}-{seed}",
        }
        command = [part.format(**fill) for part in case.command]
        if case.former and has_option(program, command[0], case.former[0]):
            command += case.former
        begin = time.perf_counter()
        status, errors = run([program, *command, "--seed", str(seed), "--threads", str(threads), "--quiet"])
        seconds.append(time.perf_counter() - begin)
        outputs[which] = [Path(part.format(**fill)) for part in case.outputs]
        if status != 0:
            failures.append((f"{which} program", f"exit status {status}: {errors}", np.inf))
    outcome.seconds = (seconds[0], seconds[1])
    found = failures or [
        entry for old, new in zip(outputs["old"], outputs["new"], strict=True) for entry in compare_files(old, new)
    ]
    for name, text, size in found:
        reasons = [
            reason
            for pattern, (bound, reason) in EXPECTED.items()
            if size <= bound and fnmatch.fnmatchcase(f"{case.name}: {name}", pattern)
        ]
        if reasons:
            outcome.expected.append((name, f"{text} (expected: {reasons[0]})"))
        else:
            outcome.differences.append((name, text))
    return outcome


def table_line(outcome: Outcome) -> str:
    found = [f"{name}: {text}" for name, text in outcome.differences + outcome.expected]
    return f"{outcome.case:<40} {outcome.seed:>4}  {'; '.join(found) or 'same'}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", type=Path, required=True, help="the program before the change")
    parser.add_argument("--new", type=Path, required=True, help="the program after it")
    parser.add_argument("--work", type=Path, default=Path("build/same-bits"), help="folder for all files; made anew")
    parser.add_argument("--only", default="*", help="only the cases whose name matches, such as 'gibbs*'")
    parser.add_argument("--threads", type=int, default=0, help="threads of the programs; 0: all cores")
    arguments = parser.parse_args()

    programs = {"old": arguments.old.resolve(), "new": arguments.new.resolve()}
    shutil.rmtree(arguments.work, ignore_errors=True)
    for folder in ("data", *programs):
        (arguments.work / folder).mkdir(parents=True)
    make_data(programs["old"], arguments.work / "data")

    print(f"{'case':<40} seed  outcome")
    outcomes = []
    lacking = {needs for needs in (PRIOR, QUALITY) if not all(has_option(p, *needs) for p in programs.values())}
    for case in CASES:
        if not fnmatch.fnmatchcase(case.name, arguments.only) or case.needs in lacking:
            continue
        for seed in case.seeds:
            outcomes.append(run_case(case, seed, programs, arguments.work, arguments.threads))
            print(table_line(outcomes[-1]), flush=True)
    return finish(outcomes)


def finish(outcomes: list[Outcome]) -> int:
    different = sum(bool(outcome.differences) for outcome in outcomes)
    meant = sum(bool(outcome.expected) and not outcome.differences for outcome in outcomes)
    old, new = (sum(outcome.seconds[which] for outcome in outcomes) for which in (0, 1))
    print(
        f"{len(outcomes)} runs: {len(outcomes) - different - meant} same, {meant} differ as expected, "
        f"{different} differ; {old:.1f} s with the old program, {new:.1f} s with the new one"
    )
    return int(different > 0 or not outcomes)


if __name__ == "__main__":
    sys.exit(main())
