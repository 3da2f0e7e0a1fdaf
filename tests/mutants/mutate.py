#!/usr/bin/env python3
"""Judges the tests by single-line mistakes in the numerical core (mutants.py).

    ./dev mutate [--list] [--again] [NAME ...]

Copies of the mutated sources are made in which every such place is a choice between the mutant and the original, by an
environment variable, so that one build has all mutants. The test programs of the dev build are linked with it, and
those of the mutant's folder run for each mutant until a test fails. Mutants that all tests pass are listed with file
and line; the exit status is 1 if there are any. Results are kept in build/mutate/results.json and used again while the
test programs are the same.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from mutants import EQUIVALENT, MUTANTS, programs_of

ROOT = Path(__file__).resolve().parents[2]
DEV = ROOT / "build" / "dev"
WORK = ROOT / "build" / "mutate"
LIBRARY = WORK / "libsbdl.a"
RESULTS = WORK / "results.json"
HANGS = 20  # times as long as without a mutant


def line_of(mutant):
    """The line of the tree in which the mutant is, or an end with a message."""
    text = (ROOT / "src" / mutant.file).read_text()
    if text.count(mutant.text) != 1:
        sys.exit(
            f"{mutant.name}: '{mutant.text}' is {text.count(mutant.text)} times in src/{mutant.file}, must be once"
        )
    return text[: text.index(mutant.text)].count("\n") + 1


def mutated(file, text):
    """The text of a source with a choice at each mutant."""
    mine = [(number, mutant) for number, mutant in enumerate(MUTANTS, 1) if mutant.file == file]
    for number, mutant in mine:
        if mutant.text.endswith(";"):
            choice = f"if (sbdl_mutants::chosen == {number}) {{ {mutant.instead} }} else {{ {mutant.text} }}"
        else:
            choice = f"SBDL_MUTANT_EXPRESSION({number}, ({mutant.instead}), ({mutant.text}))"
        text = text.replace(mutant.text, choice)
    return f'#include "{Path(__file__).with_name("choice.hpp")}"\n{text}' if mine else text


def write_if_new(path, text):
    """Writes a file unless it is there already, so that only what has changed is compiled again."""
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def sources_to_compile():
    """What has to be compiled for the mutants: a command of the library's build, and the source to give it.

    The build joins sources: a joined source then includes the mutated ones instead of the original ones.
    """
    files = sorted({mutant.file for mutant in MUTANTS})
    for file in files:
        write_if_new(WORK / "src" / file, mutated(file, (ROOT / "src" / file).read_text()))
    for entry in json.loads((DEV / "compile_commands.json").read_text()):
        if "src/CMakeFiles/sbdl.dir" not in entry["command"]:
            continue
        source = Path(entry["file"])
        text = source.read_text()
        wanted = text
        for file in files:
            if source == ROOT / "src" / file:
                wanted = f'#include "{WORK / "src" / file}"\n'
            wanted = wanted.replace(f'"{ROOT / "src" / file}"', f'"{WORK / "src" / file}"')
        if wanted != text:
            copy = WORK / "joined" / source.name
            write_if_new(copy, wanted)
            yield entry, copy


def compile_mutants(jobs):
    """The library of the dev build with the mutants in it."""
    newest = max(path.stat().st_mtime for folder in ("src", "include") for path in (ROOT / folder).rglob("*.[hc]pp"))
    objects, commands = [], []
    for entry, copy in sources_to_compile():
        made = Path(entry["directory"]) / re.search(r" -o (\S+)", entry["command"])[1]
        target = WORK / "objects" / made.name  # the name that it has in the library
        objects.append(target)
        parts = [copy, *(WORK / "src").rglob("*.cpp")]
        if not target.exists() or target.stat().st_mtime < max(newest, *(part.stat().st_mtime for part in parts)):
            command = re.sub(r" -o \S+", f" -o {target}", entry["command"]).replace(
                f" -c {entry['file']}", f" -c {copy}"
            )
            commands.append((f"{command} -w", entry["directory"]))
    (WORK / "objects").mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda item: subprocess.run(item[0], shell=True, cwd=item[1], check=True), commands))
    shutil.copy(DEV / "src" / "libsbdl.a", LIBRARY)
    subprocess.run(["ar", "r", str(LIBRARY), *map(str, objects)], check=True)


def link(program):
    """The test program of this name with the mutants' library."""
    listing = subprocess.run(
        ["ninja", "-C", str(DEV), "-t", "commands", f"test_{program}"], check=True, capture_output=True, text=True
    )
    command = listing.stdout.splitlines()[-1].removeprefix(": && ").split(" && ")[0]
    command = re.sub(r"\S*src/libsbdl\.a", str(LIBRARY), command)
    path_of(program).parent.mkdir(exist_ok=True)
    subprocess.run(re.sub(r" -o \S+", f" -o {path_of(program)}", command), shell=True, cwd=DEV, check=True)


def build(programs, jobs):
    """Builds the tests as they are, then the mutants, and joins the two."""
    targets = ["sbdl", *(f"test_{name}" for name in programs)]
    subprocess.run(["cmake", "--build", str(DEV), "--parallel", str(jobs), "--target", *targets], check=True)
    compile_mutants(jobs)
    for program in programs:
        link(program)


def path_of(program):
    """The test program of this name."""
    return WORK / "bin" / f"test_{program}"


def run(program, number, limit=None, only="*"):
    """Runs a program until a test fails. Returns the name of that test, or nothing if all pass."""
    environment = os.environ | {"SBDL_MUTANT": str(number), "OMP_WAIT_POLICY": "passive"}
    command = [str(path_of(program)), "--gtest_fail_fast", "--gtest_brief=1", f"--gtest_filter={only}"]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"{program} takes too long"
    failed = re.search(r"\[ *FAILED *\] ([^\s,(]+)", done.stdout)
    if failed:
        return failed[1]
    return "" if done.returncode == 0 else f"{program} ends with status {done.returncode}"


def judge(number, mutant, seconds, before):
    """The name of the test that notices this mutant; empty if none does."""
    programs = programs_of(mutant)
    if "." in before:  # the test that noticed it last time
        for program in programs:
            found = run(program, number, HANGS * seconds[program] + 60, before)
            if found:
                return found
    for program in programs:
        found = run(program, number, HANGS * seconds[program] + 60)
        if found:
            return found
    return ""


def key_of(mutant, digests):
    """Changes whenever the mutant or one of the programs does."""
    parts = [mutant.text, mutant.instead, *(digests[name] for name in programs_of(mutant))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def time_without(programs):
    """The seconds that each program takes without a mutant; it must pass."""
    seconds = {}
    for program in programs:
        began = time.monotonic()
        found = run(program, 0)
        if found:
            sys.exit(f"without a mutant {found} fails")
        seconds[program] = time.monotonic() - began
        print(f"test_{program} passes without a mutant in {seconds[program]:.0f} s", flush=True)
    return seconds


def main():
    """Reads the command line and does what it says."""
    parser = argparse.ArgumentParser(prog="./dev mutate", description="Do the tests notice single-line mistakes?")
    parser.add_argument("--list", action="store_true", help="list the mutants and end")
    parser.add_argument("--again", action="store_true", help="run all, whatever is known")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these mutants")
    options = parser.parse_args()
    lines = {mutant.name: line_of(mutant) for mutant in MUTANTS}
    wanted = [(n, m) for n, m in enumerate(MUTANTS, 1) if not options.names or m.name in options.names]
    if unknown := set(options.names) - set(lines):
        sys.exit(f"there is no mutant {', '.join(sorted(unknown))}")
    if options.list:
        for _, mutant in wanted:
            print(f"{mutant.name:22} src/{mutant.file}:{lines[mutant.name]}: {mutant.text}  ->  {mutant.instead}")
        return
    jobs = int(os.environ.get("SBDL_JOBS", os.cpu_count() or 1))
    programs = list(dict.fromkeys(name for _, m in wanted for name in programs_of(m)))
    build(programs, jobs)
    digests = {name: hashlib.sha256(path_of(name).read_bytes()).hexdigest() for name in programs}
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    keys = {mutant.name: key_of(mutant, digests) for _, mutant in wanted}
    missing = [
        (n, m) for n, m in wanted if options.again or m.name not in known or known[m.name]["key"] != keys[m.name]
    ]
    seconds = time_without(programs) if missing else {}

    def judge_one(item):
        number, mutant = item
        return judge(number, mutant, seconds, known.get(mutant.name, {}).get("noticed_by", ""))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (_, mutant), found in zip(missing, pool.map(judge_one, missing), strict=True):
            known[mutant.name] = {"key": keys[mutant.name], "noticed_by": found}
            print(f"{mutant.name:22} {f'noticed by {found}' if found else 'SURVIVES'}", flush=True)
            RESULTS.write_text(json.dumps(known, indent=1))
    report(wanted, known, lines)


def report(wanted, known, lines):
    """Says which survive. Ends the program."""
    survivors = [mutant for _, mutant in wanted if not known[mutant.name]["noticed_by"]]
    for mutant in survivors:
        print(f"survives: {mutant.name}: src/{mutant.file}:{lines[mutant.name]}: {mutant.text}  ->  {mutant.instead}")
        if mutant.name in EQUIVALENT:
            print(f"    which changes nothing: {EQUIVALENT[mutant.name]}")
    alive = [mutant for mutant in survivors if mutant.name not in EQUIVALENT]
    equivalent = len(survivors) - len(alive)
    print(
        f"{len(wanted)} mutants, {len(wanted) - len(survivors)} noticed, {equivalent} equivalent, {len(alive)} survive"
    )
    sys.exit(1 if alive else 0)


if __name__ == "__main__":
    main()
