"""Stubs and annotations pass mypy in strict mode, inside the package and for its users."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

import sbdl

USER = """
import numpy as np
import sbdl

model = sbdl.DictionaryLearning(8, method="gibbs", random_state=0, burn_in=5).fit(np.eye(8))
atoms: np.ndarray = model.components_
noise: float = model.noise_variance_
clean, info = sbdl.denoise(np.eye(16), sigma=1.0)
sigma: float = info.sigma
reveal_type(sbdl.psnr(clean, clean))
reveal_type(sbdl.load_model("m.h5").noise_sd)
reveal_type(model.stop_reason_)
sbdl.psnr(1)
"""


# nanobind writes `os.PathLike` and `NDArray` without their type arguments.
CONFIG = """
[mypy]
strict = true
[mypy-sbdl._core]
disallow_any_generics = false
"""


def mypy(*arguments, cwd):
    (cwd / "mypy.ini").write_text(CONFIG)
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(cwd / "cache"), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


def test_package_and_its_users(tmp_path):
    assert (Path(sbdl.__file__).parent / "py.typed").exists()
    assert (Path(sbdl.__file__).parent / "_core.pyi").exists()
    package = mypy("-p", "sbdl", cwd=tmp_path)
    assert package.returncode == 0, package.stdout

    (tmp_path / "user.py").write_text(USER)
    user = mypy("user.py", cwd=tmp_path)
    lines = [line for line in user.stdout.splitlines() if line.startswith("user.py")]
    assert [line.rsplit('"', 2)[1].split(".")[-1] for line in lines if "Revealed" in line] == ["float", "float", "str"]
    assert [line for line in lines if "error" in line and "psnr" not in line] == []
    assert sum("error" in line for line in lines) == 1
