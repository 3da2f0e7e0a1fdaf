"""Tests of include_graph.py on small made-up trees: each kind of violation is found, and nothing else is."""
# ruff: noqa: D101, D102, PT009, PT027

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import include_graph

HEADER = "# Architecture\n\n## The folders\n\n| folder | what it holds | may use |\n|---|---|---|\n"


class IncludeGraph(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def tree(self, rows: dict[str, str], **files: str) -> None:
        """Write a table, and files given as folder__name=include; two underscores stand for a slash."""
        lines = [f"| `{name}` | something | {allowed} |\n" for name, allowed in rows.items()]
        self.write("docs/architecture.md", HEADER + "".join(lines) + "\nMore text.\n")
        for name, included in files.items():
            line = f'#include "{included}"\n' if included else ""
            self.write(name.replace("__", "/") + ".hpp", "#pragma once\n" + line)

    def expect(self, *problems: str) -> None:
        self.assertEqual(include_graph.check(self.root), list(problems))

    def test_a_tree_that_follows_the_table_passes(self) -> None:
        self.tree(
            {"include/sbdl/": "-", "src/base/": "", "src/train/": "base", "apps/sbdl/": "`src/base/`, train"},
            include__sbdl__model="",
            src__base__file="sbdl/model.hpp",
            src__train__loop="base/file.hpp",
            src__train__inner__step="train/loop.hpp",
            apps__sbdl__verb="train/loop.hpp",
        )
        self.write("apps/sbdl/main.cpp", '#include <vector>\n#include "verb.hpp"\n#include "commit.hpp"\n')
        self.expect()

    def test_an_include_that_is_not_allowed(self) -> None:
        self.tree({"base": "", "random": ""}, src__base__file="random/stream.hpp", src__random__stream="")
        self.expect('src/base/file.hpp:2: includes "random/stream.hpp": row `base` does not allow `random`')

    def test_angle_brackets_and_relative_paths_are_seen(self) -> None:
        self.tree({"base": "", "random": ""}, src__base__file="../random/stream.hpp", src__random__stream="")
        self.write("src/base/other.cpp", "#include <vector>\n  #  include <random/stream.hpp>\n")
        self.expect(
            'src/base/file.hpp:2: includes "../random/stream.hpp": row `base` does not allow `random`',
            'src/base/other.cpp:2: includes "random/stream.hpp": row `base` does not allow `random`',
        )

    def test_public_headers_may_not_include_private_ones(self) -> None:
        self.tree({"include/sbdl": "", "base": ""}, include__sbdl__model="base/file.hpp", src__base__file="")
        self.expect('include/sbdl/model.hpp:2: includes "base/file.hpp": row `include/sbdl` does not allow `base`')

    def test_a_folder_without_a_row(self) -> None:
        self.tree({"base": ""}, src__base__file="", src__extra__file="base/file.hpp")
        self.expect("docs/architecture.md: the folder `extra` has no row")

    def test_an_include_of_a_folder_without_a_row(self) -> None:
        self.tree({"base": ""}, src__base__file="extra/gone.hpp")
        self.expect('src/base/file.hpp:2: includes "extra/gone.hpp", whose folder `extra` has no row')

    def test_a_row_without_a_folder(self) -> None:
        self.tree({"base": "", "gone": "", "learners/*": ""}, src__base__file="")
        self.expect(
            "docs/architecture.md:8: row `gone`: there is no such folder with sources",
            "docs/architecture.md:9: row `learners/*`: there is no such folder with sources",
        )

    def test_words_where_folders_are_expected(self) -> None:
        self.tree({"base": "the standard library"}, src__base__file="")
        self.expect(
            "docs/architecture.md:7: row `base` allows 'the standard library', which is not a folder with a row"
        )

    def test_a_cycle_of_includes(self) -> None:
        self.tree(
            {"a": "b", "b": "c", "c": ""},
            src__a__file="b/file.hpp",
            src__b__file="c/file.hpp",
            src__c__file="a/file.hpp",
        )
        self.expect(
            'src/c/file.hpp:2: includes "a/file.hpp": row `c` does not allow `a`',
            "cycle: `a` uses `b` (src/a/file.hpp:2), `b` uses `c` (src/b/file.hpp:2), `c` uses `a` (src/c/file.hpp:2)",
        )

    def test_a_cycle_that_the_table_allows(self) -> None:
        self.tree({"a": "b", "b": "a"}, src__a__file="b/file.hpp", src__b__file="")
        self.expect("cycle: `a` uses `b` (src/a/file.hpp:2), `b` uses `a` (docs/architecture.md:8)")

    def test_methods_may_not_include_each_other(self) -> None:
        self.tree(
            {"learners": "", "learners/*": "learners, learners/stream", "learners/stream": "learners"},
            src__learners__common="",
            src__learners__stream__run="learners/common.hpp",
            src__learners__online__train="learners/stream/run.hpp",
            src__learners__rls__train="learners/online/train.hpp",
        )
        self.expect(
            'src/learners/rls/train.hpp:2: includes "learners/online/train.hpp": '
            "row `learners/*` does not allow `learners/online`"
        )

    def test_a_method_may_use_another_one_that_its_row_lists(self) -> None:
        self.tree(
            {"learners/*": "", "learners/rls": "learners/online"},
            src__learners__online__train="",
            src__learners__rls__train="learners/online/train.hpp",
        )
        self.expect()

    def test_a_row_can_allow_all_methods(self) -> None:
        self.tree(
            {"learners/*": "", "denoise": "learners/*"},
            src__learners__online__train="",
            src__denoise__file="learners/online/train.hpp",
        )
        self.expect()

    def test_a_method_folder_needs_a_row_even_when_learners_has_one(self) -> None:
        self.tree({"learners": ""}, src__learners__common="", src__learners__vb__train="learners/common.hpp")
        self.expect("docs/architecture.md: the folder `learners/vb` has no row")

    def test_kernels_keep_their_private_headers(self) -> None:
        self.tree(
            {"kernels": "", "coders": "kernels"},
            src__kernels__cpu__blas="",
            src__kernels__registry="kernels/cpu/blas.hpp",
            src__coders__omp="kernels/cpu/blas.hpp",
        )
        self.expect('src/coders/omp.hpp:2: includes "kernels/cpu/blas.hpp", which is private to `kernels`')

    def test_tables_that_cannot_be_read(self) -> None:
        for text, message in (
            ("no table", "no table with the columns"),
            (HEADER + "| `a` | x | - |\n| `src/a/` | y | - |\n", r":8: a second row for `a`; the first is in line 7"),
            (HEADER + "| `a` | x |\n", ":7: 2 cells where 3 are expected"),
            (HEADER + "| `a` | x | - |\n\n" + HEADER, "a second table"),
        ):
            with self.subTest(message):
                self.write("docs/architecture.md", text)
                with self.assertRaisesRegex(ValueError, message):
                    include_graph.check(self.root)

    def test_exit_status_and_output_of_the_script(self) -> None:
        script = [sys.executable, "-B", include_graph.__file__, "--root", str(self.root)]
        self.tree({"base": "random", "random": ""}, src__base__file="random/stream.hpp", src__random__stream="")
        good = subprocess.run(script, capture_output=True, text=True, check=False)
        self.assertEqual((good.returncode, good.stdout, good.stderr), (0, "", ""))
        used = subprocess.run([*script, "--used"], capture_output=True, text=True, check=False)
        self.assertEqual((used.returncode, used.stdout), (0, "base: random\nrandom: -\n"))
        self.write("src/random/stream.hpp", '#include "base/file.hpp"\n')
        bad = subprocess.run(script, capture_output=True, text=True, check=False)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("src/random/stream.hpp:1: includes", bad.stdout)
        self.assertIn("2 violations", bad.stderr)
        (self.root / "docs/architecture.md").unlink()
        self.assertEqual(subprocess.run(script, capture_output=True, check=False).returncode, 1)


if __name__ == "__main__":
    unittest.main()
