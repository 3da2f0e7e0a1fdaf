"""The built site in a browser, opened from disk: every equation is drawn, and the search finds something."""

import re
import shutil
import subprocess
import sys
import tempfile


def document(browser, address):
    """The page as it is when its scripts are done."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]
        command += ["--virtual-time-budget=60000", f"--user-data-dir={profile}", "--dump-dom", address]
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


def check_in_browser(site):
    """Prints what is wrong. Without chromium nothing is checked."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        print("no chromium: equations and search are not checked")
        return True
    problems = [
        f"docs/math.html: {text}" for text in problems_of_equations(document(browser, address(site, "docs/math.html")))
    ]
    if not re.search(r"found [1-9]\d* page", document(browser, address(site, "search.html?q=posterior"))):
        problems.append("search.html: nothing found for 'posterior'")
    for problem in problems:
        print(problem, file=sys.stderr)
    return not problems


def address(site, page):
    """That of a page on disk."""
    return f"{site.resolve().as_uri()}/{page}"
