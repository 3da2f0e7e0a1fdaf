"""The files for packagers agree with the tree: versions, options of the build, what an sdist contains."""

import json
import re
import subprocess
import tarfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
TOOLS = ROOT / "build/python/tools/bin/python"
VERSION = re.search(r"project\(sbdl VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def read_yaml(path):
    return yaml.safe_load((ROOT / path).read_text())


def stanzas(path):
    """The paragraphs of a control file, each a dictionary."""
    found = []
    for block in (ROOT / path).read_text().split("\n\n"):
        fields = re.findall(r"^([A-Z][\w-]*):((?:.*\n?)(?:[ \t].*\n?)*)", block, re.MULTILINE)
        found.append({name: " ".join(text.split()) for name, text in fields})
    return found


def test_there_is_one_version():
    assert read_yaml("CITATION.cff")["version"] == VERSION
    assert read_yaml("packaging/conda/recipe.yaml")["context"]["version"] == VERSION
    assert json.loads((PACKAGING / "vcpkg/vcpkg.json").read_text())["version"] == VERSION
    assert f"## {VERSION}" in (ROOT / "CHANGELOG.md").read_text()
    minor = VERSION.rsplit(".", 1)[0]
    for path in ("docs/cpp.md", "docs/install.md", "examples/CMakeLists.txt", "tests/package/consumer/CMakeLists.txt"):
        assert set(re.findall(r"find_package\(sbdl ([0-9.]+)", (ROOT / path).read_text())) == {minor}, path


@pytest.mark.parametrize(
    "path",
    [
        "packaging/conda/recipe.yaml",
        "packaging/vcpkg/portfile.cmake",
        "packaging/debian/rules",
        "examples/embedded/CMakeLists.txt",
        "CMakePresets.json",
        "pyproject.toml",
        "docs/install.md",
    ],
)
def test_options_of_the_build_exist(path):
    declared = "".join((ROOT / name).read_text() for name in ("cmake/options.cmake", "python/CMakeLists.txt"))
    known = set(re.findall(r"(?:option|set)\((SBDL_\w+)", declared))
    used = set(re.findall(r"\bSBDL_(?!HAS_)[A-Z0-9_]+", (ROOT / path).read_text()))
    assert used <= known, used - known


def test_each_part_that_can_be_left_out_is_a_feature_of_the_port():
    port = json.loads((PACKAGING / "vcpkg/vcpkg.json").read_text())
    parts = set(
        re.findall(r"^foreach\(part ([a-z0-9 ]+)\)", (ROOT / "cmake/install.cmake").read_text(), re.MULTILINE)[
            0
        ].split()
    )
    assert set(port["features"]) == set(port["default-features"]) == parts
    text = (PACKAGING / "vcpkg/portfile.cmake").read_text()
    assert all(f"{part} SBDL_{part.upper()}" in text for part in parts)
    assert all(set(feature) == {"description", "dependencies"} for feature in port["features"].values())


def test_the_recipe_has_what_conda_needs():
    recipe = read_yaml("packaging/conda/recipe.yaml")
    assert [output["package"]["name"] for output in recipe["outputs"]] == ["libsbdl", "sbdl"]
    for output in recipe["outputs"]:
        assert output["tests"]
        assert output["requirements"]["host"] == sorted(output["requirements"]["host"])
    assert recipe["about"]["license"] == "BSD-3-Clause"
    assert all("path" in source or re.fullmatch("[0-9a-f]{64}", source["sha256"]) for source in recipe["source"])


def test_the_page_of_the_package_has_no_relative_links():
    text = (ROOT / "pyproject.toml").read_text()
    page = (ROOT / re.search(r'^readme = "(.*)"$', text, re.MULTILINE)[1]).read_text()
    assert not re.findall(r"\]\((?!https://)", page)  # where it is shown there is no tree around it


def test_the_debian_package_has_its_parts():
    source, *binaries = stanzas("packaging/debian/control")
    assert source["Source"] == "sbdl"
    assert [binary["Package"] for binary in binaries] == ["sbdl", "libsbdl-dev", "python3-sbdl"]
    for binary in binaries:
        assert (PACKAGING / f"debian/{binary['Package']}.install").exists()
        assert binary["Description"]
    setup = re.search(r"build_packages=\((.*?)\)", (ROOT / "dev").read_text(), re.DOTALL)[1]
    setup = {name.split("|")[0].strip("'") for name in setup.split()} - {"g++", "libjpeg62-turbo-dev"}
    assert setup <= {name.split()[0] for name in source["Build-Depends"].split(", ")}
    tests = [stanza["Tests"] for stanza in stanzas("packaging/debian/tests/control")]
    assert all((PACKAGING / "debian/tests" / name).stat().st_mode & 0o100 for name in tests)


def test_issue_templates_ask_for_something():
    templates = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
    assert len(templates) >= 3
    for path in templates:
        if path.name == "config.yml":
            continue
        form = read_yaml(path)
        assert form["name"]
        assert form["description"]
        fields = [field for field in form["body"] if field["type"] != "markdown"]
        assert any(field.get("validations", {}).get("required") for field in fields), path.name
        assert len({field["id"] for field in fields}) == len(fields)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The names in an sdist of this tree."""
    if not TOOLS.exists():
        pytest.skip("./dev wheel makes the environment that builds")
    folder = tmp_path_factory.mktemp("sdist")
    code = f"from scikit_build_core.build import build_sdist; build_sdist({str(folder)!r})"
    subprocess.run([TOOLS, "-c", code], cwd=ROOT, check=True)
    (path,) = folder.glob("*.tar.gz")
    assert path.name == f"sbdl-{VERSION}.tar.gz"
    assert path.stat().st_size < 2_000_000
    with tarfile.open(path) as archive:
        return {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}


def test_an_sdist_has_all_that_the_build_reads(sdist):
    wanted = {"CMakeLists.txt", "LICENSE", "README.md", "python/README.md", "pyproject.toml", "PKG-INFO"}
    for pattern in ("cmake/*", "include/sbdl/**/*.hpp", "src/**/*", "python/bindings/*", "python/sbdl/*", "apps/**/*"):
        wanted |= {
            str(path.relative_to(ROOT)) for path in ROOT.glob(pattern) if path.is_file() and path.suffix != ".pyc"
        }
    assert wanted - sdist == set()


def test_an_sdist_has_nothing_else_of_size(sdist):
    assert {name.split("/")[0] for name in sdist} & {"tests", "bench", "build", "dev", ".github"} == set()
    assert not [name for name in sdist if name.endswith((".whl", ".png", ".ipynb", ".so"))]
