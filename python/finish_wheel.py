#!/usr/bin/env python3
"""Completes a wheel into which auditwheel has copied libraries, as the last step of `./dev wheel`.

Adds the licences of all libraries in the wheel and of those compiled into the module, as Debian keeps them, and writes
the file so that the same contents give the same bytes: entries in order, with the time SOURCE_DATE_EPOCH and plain
permissions.
"""

import base64
import hashlib
import importlib.metadata
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

# Headers and static parts that leave no file of their own in the wheel.
COMPILED_IN = ("libeigen3-dev", "libfmt-dev", "libhwy-dev", "librandom123-dev", "nlohmann-json3-dev")
FOLDER = "licenses/bundled"


def library_before(name):
    """The name of a library before auditwheel put a part of its hash into it: libsz-9525fec6.so.2 was libsz.so.2."""
    return re.sub(r"-[0-9a-f]{8}(?=\.)", "", name)


def packages_with(library):
    """The Debian packages that are installed and have this library."""
    found = subprocess.run(["dpkg-query", "-S", f"*/{library}"], capture_output=True, text=True, check=False).stdout
    return sorted({owner.split(":")[0] for line in found.splitlines() for owner in line.split(": /")[0].split(", ")})


def copyright_of(package):
    """What Debian says about the licences of a package."""
    path = Path("/usr/share/doc") / package / "copyright"
    if not path.exists():
        sys.exit(f"finish_wheel: {path} is missing; a wheel must have the licences of all it contains")
    return path.read_bytes()


def licences(libraries):
    """The files to add: the texts, and a list of whose they are."""
    owners = {}
    for library in libraries:
        owners[library] = packages_with(library_before(library))
        if not owners[library]:
            sys.exit(f"finish_wheel: no package has {library_before(library)}, so its licence is unknown")
    packages = sorted({*COMPILED_IN, *(package for some in owners.values() for package in some)})
    files = {f"{FOLDER}/{package}/copyright": copyright_of(package) for package in packages}
    for path in importlib.metadata.files("nanobind") or []:
        if path.name.startswith("LICENSE") and "dist-info" in str(path):
            files[f"{FOLDER}/nanobind/{path.name}"] = path.locate().read_bytes()
    lines = [f"{library}: {', '.join(some)}" for library, some in sorted(owners.items())]
    lines.append(f"compiled in: {', '.join(COMPILED_IN)}, nanobind")
    files[f"{FOLDER}/README"] = ("\n".join(lines) + "\n").encode()
    return files


def record_of(contents, record):
    """The list of all files with their hashes; of itself it has none."""
    lines = []
    for name, (data, _) in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    return ("\n".join([*lines, f"{record},,"]) + "\n").encode()


def write(path, contents, moment):
    """Writes the entries as they come, all of one time."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, (data, executable) in contents.items():
            entry = zipfile.ZipInfo(name, time.gmtime(max(moment, 315532800))[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, for the permissions
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, data)


def finish(path, moment, extra):
    """Rewrites the wheel; extra(libraries) gives files for its .dist-info."""
    with zipfile.ZipFile(path) as archive:
        contents = {
            info.filename: (archive.read(info), bool(info.external_attr >> 16 & 0o100))
            for info in archive.infolist()
            if not info.is_dir()
        }
    record = next(name for name in contents if name.endswith(".dist-info/RECORD"))
    info_folder = record.rsplit("/", 1)[0]
    libraries = [name.rsplit("/", 1)[1] for name in contents if name.startswith("sbdl.libs/")]
    del contents[record]
    for name, data in extra(libraries).items():
        contents[f"{info_folder}/{name}"] = (data, False)
    contents = dict(sorted(contents.items(), key=lambda entry: (entry[0].startswith(info_folder), entry[0])))
    contents[record] = (record_of(contents, record), False)
    write(path, contents, moment)


if __name__ == "__main__":
    finish(Path(sys.argv[1]), int(os.environ["SOURCE_DATE_EPOCH"]), licences)
