"""sbdl.inpaint: shapes and types, masks of all kinds, bad input, and the same image as the program makes."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import sbdl

OPTIONS = {"rounds": 2, "group_size": 30, "radius": 8}


@pytest.fixture(scope="module")
def truth():
    return sbdl.make_image(40, 44, random_state=3)


@pytest.fixture(scope="module")
def mask(truth):
    return np.random.default_rng(1).random(truth.shape) < 0.5


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_fills_the_image_in_its_own_type(truth, mask, dtype):
    full, info = sbdl.inpaint((truth * mask).astype(dtype), mask, **OPTIONS)
    assert full.dtype == dtype
    assert full.shape == truth.shape
    assert info.std.shape == truth.shape
    assert info.missing == np.count_nonzero(~mask)
    assert sbdl.psnr(truth.astype(float), full.astype(float)) > 18


def test_nan_and_mask_mean_the_same(truth, mask):
    image = truth.astype(float)
    by_mask, _ = sbdl.inpaint(image, mask, **OPTIONS)
    by_nan, _ = sbdl.inpaint(np.where(mask, image, np.nan), **OPTIONS)
    np.testing.assert_array_equal(by_mask, by_nan)


def test_transparent_pixels_are_missing(truth, mask):
    rgba = np.dstack([truth, truth, truth, 255 * mask]).astype(np.uint8)
    full, info = sbdl.inpaint(rgba, **OPTIONS)
    assert info.missing == 3 * np.count_nonzero(~mask)
    assert full.shape == rgba.shape
    assert (full[..., 3] == 255).all()


def test_keep_observed(truth, mask):
    full, _ = sbdl.inpaint(truth, mask, keep_observed=True, **OPTIONS)
    np.testing.assert_array_equal(full[mask], truth[mask])


def test_a_mask_for_each_channel():
    truth = np.dstack([sbdl.make_image(32, 32, random_state=k) for k in range(3)])
    mask = np.random.default_rng(2).random(truth.shape) < 0.5
    full, info = sbdl.inpaint(truth, mask, **OPTIONS)
    assert full.shape == truth.shape
    assert info.missing == np.count_nonzero(~mask)


def test_nothing_missing(truth):
    full, info = sbdl.inpaint(truth)
    assert info.unchanged
    np.testing.assert_array_equal(full, truth)


def test_bad_input(truth, mask):
    with pytest.raises(ValueError, match="mask"):
        sbdl.inpaint(truth, mask[:-1])
    with pytest.raises(ValueError, match="must have 0"):
        sbdl.inpaint(truth, mask.astype(np.uint8) + (np.arange(44) == 3))
    with pytest.raises(ValueError, match="all pixels"):
        sbdl.inpaint(truth, np.zeros_like(mask))
    image = truth.astype(float)
    image[3, 4] = np.inf
    with pytest.raises(ValueError, match="row 3, column 4"):
        sbdl.inpaint(image, mask)
    image[3, 4] = np.nan
    with pytest.raises(ValueError, match="row 3, column 4"):
        sbdl.inpaint(image, np.ones_like(mask))
    with pytest.raises(ValueError, match="rounds"):
        sbdl.inpaint(truth, mask, rounds=-1)


def test_report(truth, mask, tmp_path):
    _, info = sbdl.inpaint(truth, mask, **OPTIONS)
    info.report(tmp_path / "page.html", truth=truth)
    assert "Before and after" in (tmp_path / "page.html").read_text()


@pytest.mark.skipif("SBDL_PROGRAM" not in os.environ, reason="needs the program")
def test_same_as_the_program(truth, mask, tmp_path):
    np.save(tmp_path / "image.npy", truth)
    np.save(tmp_path / "mask.npy", mask.astype(np.uint8))
    words = ["inpaint", "image.npy", "--mask", "mask.npy", "-o", "full.npy", "--json", "--quiet"]
    words += ["--rounds", "2", "--group", "30", "--radius", "8"]
    run = subprocess.run([os.environ["SBDL_PROGRAM"], *words], cwd=tmp_path, capture_output=True, check=True)
    full, info = sbdl.inpaint(truth, mask, **OPTIONS)
    np.testing.assert_array_equal(full, np.load(Path(tmp_path) / "full.npy"))
    assert json.loads(run.stdout)["noise_sd"] == pytest.approx(info.sigma)
