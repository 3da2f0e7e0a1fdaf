"""Compares the includes of our sources with the table "The folders" in docs/architecture.md.

python3 tests/architecture/include_graph.py [--root FOLDER] [--used]

The table has the columns "folder", "what it holds" and "may use"; the third one lists folders, separated by commas:

    | `src/train/` | the passes over the signals | base, kernels, statistics |

Folders of src/ are named without "src/". A subfolder belongs to the folder above it, unless it has a row of its own.
The subfolders of learners always count as folders of their own, and a row `learners/*` covers all that have no row by
name; what it allows is not added to a row by name. All folders may include their own files and the public headers
("sbdl/..."); neither is listed. "-" or an empty cell means that nothing else may be used.

Reported as errors, with file and line: an include that the table does not allow, a folder without a row, a row without
a folder, a name in "may use" that is not a folder, a cycle between folders (of includes and permissions together) and
an include of the private headers in kernels/cpu/ from outside kernels.

--used prints the folders that each folder includes at present, in the form of the table's third column.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

DOCUMENT = "docs/architecture.md"
COLUMNS = ["folder", "what it holds", "may use"]
SOURCE_FOLDERS = ("src", "apps", "python/bindings", "include/sbdl")
INCLUDE_PATHS = ("src", "include")  # where the compiler looks, after the folder of the file itself
SUFFIXES = {".cpp", ".hpp", ".inl", ".h"}
PUBLIC = "include/sbdl"
SPLIT = {"learners"}  # each subfolder needs a row
PRIVATE, PRIVATE_OWNER = "kernels/cpu", "kernels"
NOTHING = {"", "-", "–", "—"}

INCLUDE_LINE = re.compile(r"""^\s*\#\s*include\s*(["<])([^">]+)[">]""")


@dataclass
class Row:
    """One row of the table: where it is, and which folders it allows."""

    line: int
    allowed: list[str]


@dataclass(frozen=True)
class Include:
    """One include of one of our files: the file with the line, its text, and the folder that it leads to."""

    file: str
    line: int
    text: str
    target: str  # folder of the included file, relative to the root, without "src/"

    @property
    def place(self) -> str:
        """Return file and line as compilers print them."""
        return f"{self.file}:{self.line}"


@dataclass
class Tree:
    """The sources below a root: the folders that hold some, and all includes of our own files."""

    folders: set[str] = field(default_factory=set)
    includes: list[Include] = field(default_factory=list)


def folder_name(folder: str) -> str:
    """Return a folder's name in the table: without backticks, "src/" and a slash at the end."""
    return folder.replace("`", "").strip().removeprefix("src/").rstrip("/")


def cells(line: str) -> list[str]:
    """Split a line of a table."""
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def read_table(document: Path) -> dict[str, Row]:
    """Read the one table of the document whose header is COLUMNS."""
    rows: dict[str, Row] = {}
    inside = False
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.lstrip().startswith("|"):
            inside = False
        elif [cell.lower() for cell in cells(line)] == COLUMNS:
            if rows:
                raise ValueError(f"{DOCUMENT}:{number}: a second table with the columns {' | '.join(COLUMNS)}")
            inside = True
        elif inside and not set(line) <= set("|-: "):
            row = cells(line)
            name = folder_name(row[0])
            if len(row) != len(COLUMNS):
                raise ValueError(f"{DOCUMENT}:{number}: {len(row)} cells where {len(COLUMNS)} are expected")
            if name in rows:
                raise ValueError(
                    f"{DOCUMENT}:{number}: a second row for `{name}`; the first is in line {rows[name].line}"
                )
            names = [] if row[2] in NOTHING else [folder_name(cell) for cell in row[2].split(",")]
            rows[name] = Row(number, names)
    if not rows:
        raise ValueError(f"{DOCUMENT}: no table with the columns {' | '.join(COLUMNS)}")
    return rows


def our_folder(root: Path, file: Path, mark: str, text: str) -> str | None:
    """Return the folder that an include leads to; None for headers of other projects."""
    beside = [] if mark == "<" else [file.parent]
    for start in [*beside, *(root / path for path in INCLUDE_PATHS)]:
        found = (start / text).resolve()
        if found.is_file() and found.is_relative_to(root):
            return folder_name(found.parent.relative_to(root).as_posix())
    if mark == "<":
        return None
    # A header that the build makes (sbdl/version.hpp, commit.hpp), or one that is missing.
    folder = PurePosixPath(text).parent.as_posix()
    if folder == "sbdl":
        return PUBLIC
    return folder_name((file.parent if folder == "." else root / "src" / folder).relative_to(root).as_posix())


def read_tree(root: Path) -> Tree:
    """Read the includes of all sources below the root."""
    tree = Tree()
    for top in SOURCE_FOLDERS:
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in SUFFIXES:
                continue
            name = file.relative_to(root).as_posix()
            tree.folders.add(folder_name(file.parent.relative_to(root).as_posix()))
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
                if match := INCLUDE_LINE.match(line):
                    target = our_folder(root, file, match[1], match[2])
                    if target is not None:
                        tree.includes.append(Include(name, number, match[2], target))
    return tree


def prefixes(folder: str) -> Iterator[str]:
    """Yield the folder and all folders above it, the longest first."""
    path = PurePosixPath(folder)
    yield from (part.as_posix() for part in [path, *path.parents][:-1])


def row_and_unit(folder: str, rows: dict[str, Row]) -> tuple[str, str] | None:
    """Return the name of the row that covers a folder, and the folder as the table counts it."""
    for part in prefixes(folder):
        if part in SPLIT and part != folder:
            return None
        if part in rows:
            return part, part
        star = f"{PurePosixPath(part).parent.as_posix()}/*"
        if star in rows:
            return star, part
    return None


def allowed_units(row: str, rows: dict[str, Row], units: set[str]) -> set[str]:
    """Return the folders that a row allows, with names such as `learners/*` written out."""
    result: set[str] = set()
    for name in rows[row].allowed:
        if name.endswith("/*"):
            result |= {unit for unit in units if PurePosixPath(unit).parent.as_posix() == name.removesuffix("/*")}
        else:
            result.add(name)
    return result


def cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Return one shortest cycle for each group of folders that lead to each other."""
    found: list[list[str]] = []
    covered: set[str] = set()
    for start in sorted(edges):
        if start in covered:
            continue
        paths = {start: [start]}  # breadth first, so the first way back is a shortest one
        queue = [start]
        cycle = None
        while queue and cycle is None:
            last = queue.pop(0)
            for target in sorted(edges.get(last, ())):
                if target == start:
                    cycle = [*paths[last], start]
                    break
                if target not in paths:
                    paths[target] = [*paths[last], target]
                    queue.append(target)
        if cycle:
            found.append(cycle)
            covered.update(cycle)
    return found


def check(root: Path) -> list[str]:
    """Return all violations, one line each; an empty list when the tree is as the table says."""
    root = root.resolve()
    rows = read_table(root / DOCUMENT)
    tree = read_tree(root)
    problems: list[str] = []

    covering = {folder: row_and_unit(folder, rows) for folder in sorted(tree.folders)}
    for folder, found in covering.items():
        if found is None:
            problems.append(f"{DOCUMENT}: the folder `{folder}` has no row")
    units = {found[1] for found in covering.values() if found}
    used_rows = {found[0] for found in covering.values() if found}
    for name, row in rows.items():
        if name not in used_rows:
            problems.append(f"{DOCUMENT}:{row.line}: row `{name}`: there is no such folder with sources")
        for allowed in row.allowed:
            if allowed not in units | used_rows:
                problems.append(
                    f"{DOCUMENT}:{row.line}: row `{name}` allows '{allowed}', which is not a folder with a row"
                )

    # For the cycles: each step between folders, and where it comes from.
    steps: dict[tuple[str, str], str] = {}
    for include in tree.includes:
        source = row_and_unit(folder_name(PurePosixPath(include.file).parent.as_posix()), rows)
        target = row_and_unit(include.target, rows)
        if PRIVATE in prefixes(include.target) and (source is None or PRIVATE_OWNER not in prefixes(source[1])):
            problems.append(f'{include.place}: includes "{include.text}", which is private to `{PRIVATE_OWNER}`')
        if target is None and include.target not in tree.folders:
            problems.append(f'{include.place}: includes "{include.text}", whose folder `{include.target}` has no row')
        if source is None or target is None or source[1] == target[1]:
            continue
        steps.setdefault((source[1], target[1]), include.place)
        if target[1] != PUBLIC and target[1] not in allowed_units(source[0], rows, units):
            problems.append(
                f'{include.place}: includes "{include.text}": row `{source[0]}` does not allow `{target[1]}`'
            )

    for found in covering.values():
        if found:
            for target in allowed_units(found[0], rows, units) - {found[1]}:
                steps.setdefault((found[1], target), f"{DOCUMENT}:{rows[found[0]].line}")
    edges: dict[str, set[str]] = {}
    for source_unit, target_unit in steps:
        edges.setdefault(source_unit, set()).add(target_unit)
    for cycle in cycles(edges):
        way = [f"`{a}` uses `{b}` ({steps[a, b]})" for a, b in itertools.pairwise(cycle)]
        problems.append(f"cycle: {', '.join(way)}")
    return problems


def used(root: Path) -> list[str]:
    """Return, for each folder, what it includes now."""
    rows = read_table(root / DOCUMENT)
    tree = read_tree(root.resolve())

    def unit(folder: str) -> str:
        found = row_and_unit(folder, rows)
        return found[1] if found else folder

    targets: dict[str, set[str]] = {unit(folder): set() for folder in tree.folders}
    for include in tree.includes:
        source = unit(folder_name(PurePosixPath(include.file).parent.as_posix()))
        targets[source] |= {unit(include.target)} - {source, PUBLIC}
    return [f"{folder}: {', '.join(sorted(targets[folder])) or '-'}" for folder in sorted(targets)]


def main() -> int:
    """Print the violations, or with --used what is used; the exit status is 1 when there are violations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--used", action="store_true")
    arguments = parser.parse_args()
    try:
        lines = used(arguments.root) if arguments.used else check(arguments.root)
    except (OSError, ValueError) as error:
        lines = [str(error)]
        arguments.used = False
    for line in lines:
        print(line)
    if lines and not arguments.used:
        print(f"{len(lines)} violations of the table in {DOCUMENT}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
