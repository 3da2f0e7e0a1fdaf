"""The built site in a browser, opened from disk: every equation is drawn, the search finds something, and no page is
wider than a phone.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PHONE = 390  # pixels
# With long words, wide tables, equations, figures, code and lists of options.
NARROW = (
    "index.html",
    "README.html",
    "docs/command-line.html",
    "docs/formats.html",
    "docs/architecture.html",
    "docs/results/table1/table1.html",
    "docs/results/real-noise.html",
    "docs/tutorials/photo.html",
    "reference/program/learn.html",
    "reference/cpp/index.html",
)
# Pages in frames as wide as a phone: one browser looks at all of them.
FRAMES = """<!DOCTYPE html>
<title>Narrow pages</title>
{frames}
<script>
onload = () => {{
    for (const frame of document.querySelectorAll("iframe")) {{
        const page = frame.contentDocument.documentElement;
        frame.dataset.widths = `${{page.scrollWidth}} ${{page.clientWidth}}`;
    }}
}};
</script>
"""


def document(browser, address, *options):
    """The page as it is when its scripts are done."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]
        command += ["--virtual-time-budget=60000", f"--user-data-dir={profile}", *options, "--dump-dom", address]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def problems_of_equations(page):
    """What is wrong with the equations of a page that a browser has drawn."""
    written, drawn = page.count('class="math notranslate'), page.count("<mjx-container")
    if not written or drawn < written:
        yield f"{drawn} of {written} equations are drawn"
    for error in re.findall(r'data-mjx-error="([^"]*)"', page):
        yield f"an equation has an error: {error}"
    if 'fill="red"' in page:
        yield "an equation has a command that MathJax does not know, shown in red"
    # A line of an equation that begins with + or - is an item of a list to Markdown.
    for text in re.findall(
        r"\\[a-zA-Z]{2,}[^<\n]*", re.sub(r"<(script|style|pre|code)\b.*?</\1>", "", page, flags=re.DOTALL)
    ):
        yield f"an equation is left as text: {text}"


def problems_of_widths(browser, site, pages, scratch):
    """Which pages scroll sideways on a phone. The page with the frames is made in the folder scratch."""
    frames = "\n".join(f'<iframe src="{address(site, page)}" width="{PHONE}" height="800"></iframe>' for page in pages)
    everything = Path(scratch) / "frames.html"
    everything.write_text(FRAMES.format(frames=frames))
    drawn = document(browser, everything.as_uri(), "--allow-file-access-from-files")
    widths = re.findall(r'data-widths="(\d+) (\d+)"', drawn)
    if len(widths) != len(pages):
        yield f"{len(widths)} of {len(pages)} pages could be measured in a frame"
        return
    for page, (content, window) in zip(pages, widths, strict=True):
        if int(content) > int(window) or int(window) < PHONE - 20:
            yield f"{page}: {content} pixels wide in a window of {window}"


def check_in_browser(site):
    """Prints what is wrong. Without chromium nothing is checked, and that is printed."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        print("SKIPPED, as there is no chromium: equations, search and narrow windows of the site", file=sys.stderr)
        return True
    problems = [
        f"docs/math.html: {text}" for text in problems_of_equations(document(browser, address(site, "docs/math.html")))
    ]
    if not re.search(r"found [1-9]\d* page", document(browser, address(site, "search.html?q=posterior"))):
        problems.append("search.html: nothing found for 'posterior'")
    with tempfile.TemporaryDirectory() as scratch:
        problems += problems_of_widths(browser, site, NARROW, scratch)
    for problem in problems:
        print(problem, file=sys.stderr)
    return not problems


def address(site, page):
    """That of a page on disk."""
    return f"{site.resolve().as_uri()}/{page}"
