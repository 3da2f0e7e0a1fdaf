#!/usr/bin/env python3
"""Writes NAME.txt from each NAME.in beside it: every package with its version and the hashes of its files.

    ./dev pin [NAME ...]

pip resolves the packages for the Python that runs this (Debian 12 has 3.11), and the index gives the hashes of all
wheels of those versions for Linux and Python 3.11 to 3.14, so that the pins hold there too. PIP_INDEX_URL names another
index.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
import venv
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HERE = Path(__file__).resolve().parent
INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
PYTHONS = re.compile(r"(py3|cp3\d*-abi3|cp31[1-4]-cp31[1-4])-")
PLATFORMS = re.compile(r"-(any|.*manylinux.*_(x86_64|aarch64))\.whl$")


class Links(HTMLParser):
    """The files of a package: name and SHA-256."""

    def __init__(self, page):
        super().__init__()
        self.hashes = {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        """Takes the hash from the link to a file."""
        if tag != "a":
            return
        link = urlsplit(dict(attributes).get("href") or "")
        if link.fragment.startswith("sha256="):
            self.hashes[unquote(link.path.rsplit("/", 1)[-1])] = link.fragment.removeprefix("sha256=")


def version_of(file):
    """The version in the name of a wheel or of a source archive."""
    if file.endswith(".whl"):
        return file.split("-")[1]
    return re.sub(r"\.(tar\.gz|zip)$", "", file).rsplit("-", 1)[-1]


def hashes_of(name, version):
    """Those of the wheels we may need, or of the sources where there are none."""
    request = urllib.request.Request(f"{INDEX}/{name}/", headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        files = Links(answer.read().decode()).hashes
    mine = {file: digest for file, digest in files.items() if version_of(file) == version}
    wheels = [digest for file, digest in mine.items() if PLATFORMS.search(file) and PYTHONS.search(file)]
    found = wheels or [digest for file, digest in mine.items() if not file.endswith(".whl")]
    if not found:
        sys.exit(f"{name} {version}: the index has no file with a hash")
    return sorted(set(found))


def resolve(pip, listing):
    """Name and version of all packages that a list needs."""
    report = subprocess.run(
        [*pip, "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-", "-r", str(listing)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    packages = [entry["metadata"] for entry in json.loads(report.stdout)["install"]]
    return sorted((re.sub(r"[-_.]+", "-", package["name"]).lower(), package["version"]) for package in packages)


def main():
    """Reads the command line and does what it says."""
    wanted = sys.argv[1:] or sorted(path.stem for path in HERE.glob("*.in"))
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        pip = [f"{folder}/bin/python", "-m", "pip", "--disable-pip-version-check"]
        for name in wanted:
            lines = [f"# Made by ./dev pin from {name}.in for Python 3.{sys.version_info.minor}. Do not edit."]
            for package, version in resolve(pip, HERE / f"{name}.in"):
                hashes = [f"    --hash=sha256:{digest}" for digest in hashes_of(package, version)]
                lines.append(" \\\n".join([f"{package}=={version}", *hashes]))
            (HERE / f"{name}.txt").write_text("\n".join(lines) + "\n")
            print(f"python/requirements/{name}.txt: {len(lines) - 1} packages")


if __name__ == "__main__":
    main()
