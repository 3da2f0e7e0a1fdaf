"""What is in the installed wheel, and how wheels are written."""

import importlib.metadata
import importlib.util
import zipfile
from pathlib import Path

import pytest

FINISH = Path(__file__).parents[1] / "finish_wheel.py"
spec = importlib.util.spec_from_file_location("finish_wheel", FINISH)
finish_wheel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(finish_wheel)


def installed_files():
    return {str(path): path for path in importlib.metadata.files("sbdl")}


def test_every_library_in_the_wheel_comes_with_its_licence():
    files = installed_files()
    libraries = {name.split("/")[1] for name in files if name.startswith("sbdl.libs/")}
    listing = next(path for name, path in files.items() if name.endswith("licenses/bundled/README"))
    owners = dict(line.split(": ") for line in listing.read_text().splitlines())
    assert libraries
    assert libraries | {"compiled in"} == set(owners)
    for packages in owners.values():
        for package in packages.split(", "):
            texts = [path for name, path in files.items() if f"licenses/bundled/{package}/" in name]
            assert texts, package
            assert all(len(path.read_text()) > 100 for path in texts), package


@pytest.fixture
def wheels(tmp_path):
    """Two wheels with the same contents, in another order and of other times and permissions."""
    contents = {"sbdl/b.py": "b", "sbdl.libs/liba-01234567.so.1": "a", "sbdl-1.dist-info/METADATA": "m"}
    for name, order, year in (("one.whl", 1, 2020), ("two.whl", -1, 2021)):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for entry in [*contents, "sbdl-1.dist-info/RECORD"][::order]:
                archive.writestr(zipfile.ZipInfo(entry, (year, 1, 2, 3, 4, 6)), contents.get(entry, "old"))
    return tmp_path / "one.whl", tmp_path / "two.whl"


def test_the_same_contents_give_the_same_bytes(wheels):
    seen = []
    for wheel in wheels:
        finish_wheel.finish(wheel, 1_700_000_000, lambda libraries: seen.append(libraries) or {"licenses/x": b"text"})
    assert seen == [["liba-01234567.so.1"]] * 2
    assert wheels[0].read_bytes() == wheels[1].read_bytes()
    with zipfile.ZipFile(wheels[0]) as archive:
        assert archive.testzip() is None
        record = archive.read("sbdl-1.dist-info/RECORD").decode().splitlines()
        assert archive.read("sbdl-1.dist-info/licenses/x") == b"text"
    assert [line.split(",")[0] for line in record] == [
        "sbdl.libs/liba-01234567.so.1",
        "sbdl/b.py",
        "sbdl-1.dist-info/METADATA",
        "sbdl-1.dist-info/licenses/x",
        "sbdl-1.dist-info/RECORD",
    ]
    assert record[0].split(",")[1:] == ["sha256=ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs", "1"]


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("libsz-9525fec6.so.2.0.1", "libsz.so.2.0.1"),
        ("liblber-2-64f183c1.5.so.0.1.8", "liblber-2.5.so.0.1.8"),
        ("libopenblasp-r0-234bd196.3.21.so", "libopenblasp-r0.3.21.so"),
    ],
)
def test_names_of_libraries_before_their_hash(name, before):
    assert finish_wheel.library_before(name) == before
