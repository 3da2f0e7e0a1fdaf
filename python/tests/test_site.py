"""What makes the documentation site: options from manual pages, help beside members, links that lead somewhere."""

import shutil
import subprocess
from pathlib import Path

import pytest
from check_browser import check_in_browser, problems_of_equations, problems_of_widths
from check_links import problems_of
from header_filter import with_help
from pages import blocks_of, problems_of_blocks
from program_pages import entries_of, program_pages, sections_of
from run_page import run_commands

VIEWPORT = '<meta name="viewport" content="width=device-width">'


def test_every_option_of_the_program_has_an_entry(program, tmp_path):
    pages = program_pages(program.path, Path())
    assert {"index.md", "learn.md", "denoise.md"} <= {path.name for path in pages}
    helped = subprocess.run([program.path, "learn", "--help-all"], capture_output=True, text=True, check=True).stdout
    options = {line.split()[0].split(",")[-1] for line in helped.splitlines() if line.startswith("  -")}
    assert len(options) > 50
    for option in options:
        assert f"```{{option}} {option}" in pages[Path("learn.md")] or f", {option}" in pages[Path("learn.md")], option


def test_manual_pages_are_read():
    lines = [".SS More", ".TP", r"\fB\-\-depth\fR \fI8|16\fR", r"Bits; see \-\-std [8]", ".PP", "More."]
    assert entries_of(lines) == [
        ("heading", "More"),
        ("entry", "--depth 8|16", r"Bits; see \-\-std [8]"),
        ("text", "More."),
    ]
    assert sections_of(".SH NAME\nsbdl\n.SH OPTIONS\n.TP") == {"NAME": ["sbdl"], "OPTIONS": [".TP"]}
    with pytest.raises(ValueError, match="not understood"):
        entries_of([".XX"])


def test_help_stands_beside_members():
    header = """struct A {
    int atoms = 0;
    int own = 1;  ///< kept
    fields(at_least("atoms", &O::atoms, 1, "Number "
                    "of it.", 5), at_least("own", &O::own, 1, "not this"));
};"""
    lines = with_help(header).splitlines()
    assert lines[1] == "    int atoms = 0;  ///< Number of it."
    assert lines[2] == "    int own = 1;  ///< kept"


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "a.html").write_text(f'{VIEWPORT}<p id="here"><a href="b.html#there">b</a><a href="#here">here</a></p>')
    (tmp_path / "b.html").write_text(f'{VIEWPORT}<p id="there"><a href="https://example.org/c.html">c</a></p>')
    assert list(problems_of(tmp_path)) == []
    (tmp_path / "b.html").write_text('<a href="d.html">d</a><script src="https://example.org/s.js"></script>')
    found = "\n".join(problems_of(tmp_path))
    for problem in ("a.html: b.html#there", "d.html: there is no such file", "no viewport", "network"):
        assert problem in found


def test_equations_that_are_not_drawn_are_found():
    written = '<span class="math notranslate nohighlight">'
    assert list(problems_of_equations(f"{written}<mjx-container></mjx-container></span>")) == []
    assert list(problems_of_equations(written)) == ["0 of 1 equations are drawn"]
    wrong = f'{written}<mjx-container><g data-mjx-error="Missing close brace"></mjx-container>'
    assert list(problems_of_equations(wrong)) == ["an equation has an error: Missing close brace"]
    unknown = f'{written}<mjx-container><g data-mml-node="mtext" fill="red"></mjx-container>'
    assert "does not know" in next(problems_of_equations(unknown))
    drawn = f"{written}<mjx-container></mjx-container></span><code>\\gamma</code>"
    assert list(problems_of_equations(f"{drawn} x \\lVert y")) == [r"an equation is left as text: \lVert y"]


def test_pages_that_are_wider_than_a_phone_are_found(tmp_path):
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        pytest.skip("there is no chromium")
    scrolling = '<div style="overflow-x: auto"><div style="width: 900px">in a box of its own</div></div>'
    (tmp_path / "fits.html").write_text(f"<!DOCTYPE html>{VIEWPORT}{scrolling}")
    (tmp_path / "wide.html").write_text(f'<!DOCTYPE html>{VIEWPORT}<div style="width: 900px">wide</div>')
    found = list(problems_of_widths(browser, tmp_path, ["fits.html", "wide.html"], tmp_path))
    assert len(found) == 1
    assert found[0].startswith("wide.html: 9")


def test_a_site_that_no_browser_has_seen_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert check_in_browser(tmp_path)
    assert capsys.readouterr().err.startswith("SKIPPED")


def test_examples_use_nothing_but_the_program(tmp_path):
    with pytest.raises(ValueError, match="not a command of sbdl: rm"):
        run_commands("sbdl info model.h5\nrm model.h5\n", tmp_path, Path("sbdl"))


def test_blocks_that_nothing_checks_are_found():
    page = """# Page
<!-- run: python
made = 1
-->
```sh
sbdl info model.h5
```
<!-- not run: a cluster -->
```console
mpirun sbdl learn huge.npy
```
- In a list:
  ```cpp
  int x;
  ```
"""
    assert [(block.language, block.text) for block in blocks_of(page)] == [
        ("python", "made = 1\n"),
        ("sh", "sbdl info model.h5\n"),
        ("console", "mpirun sbdl learn huge.npy\n"),
        ("cpp", "int x;\n"),
    ]
    assert list(problems_of_blocks(page, Path("docs/page.md"))) == []
    wrong = """# Page

```
no language
```
```console
no reason
```

    sbdl learn signals.npy
"""
    found = list(problems_of_blocks(wrong, Path("docs/page.md")))
    assert [problem.split(": ", 1)[0] for problem in found] == ["docs/page.md:3", "docs/page.md:6", "docs/page.md:10"]
    assert len(list(problems_of_blocks(wrong, Path("docs/results/page.md")))) == 1
