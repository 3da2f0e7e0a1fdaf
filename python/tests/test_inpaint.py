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


def same_as_by_mask(image, mask, by_mask):
    full, info = sbdl.inpaint(image, mask, **OPTIONS)
    expected, expected_info = sbdl.inpaint(by_mask[0], by_mask[1], **OPTIONS)
    np.testing.assert_array_equal(full, expected)
    assert info.missing == expected_info.missing
    assert type(full) is np.ndarray


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_masked_entries_are_missing(truth, mask, dtype):
    image = truth.astype(dtype)
    masked = np.ma.array(np.where(mask, image, 7), mask=~mask)
    same_as_by_mask(masked, None, (image, mask))
    other = np.random.default_rng(5).random(truth.shape) < 0.8
    same_as_by_mask(masked, other, (image, mask & other))
    same_as_by_mask(masked, 3 * other.astype(np.int64), (image, mask & other))
    same_as_by_mask(np.ma.array(image), mask, (image, mask))  # nothing is masked


def test_masked_entries_may_hold_anything_and_nan_remains_missing(truth, mask):
    image = truth.astype(float)
    image[3, 4] = np.inf
    image[5, 6] = np.nan
    known = mask.copy()
    known[3, 4] = known[5, 6] = False
    same_as_by_mask(np.ma.array(image, mask=~mask | np.isinf(image)), None, (truth.astype(float), known))


def test_masked_entries_of_colours_and_alpha(truth, mask):
    colours = np.dstack([truth, truth.T[:40, :40].repeat(2, axis=1)[:, :44], 255 - truth])
    hidden = np.random.default_rng(6).random(colours.shape) < 0.3
    same_as_by_mask(np.ma.array(colours, mask=hidden), None, (colours, ~hidden))
    same_as_by_mask(np.ma.array(colours, mask=hidden), mask, (colours, ~hidden & mask[..., None]))
    rgba = np.dstack([colours, np.where(mask, 255, 0).astype(np.uint8)])
    of_rgba = np.zeros(rgba.shape, bool)
    of_rgba[..., :3] = hidden
    of_rgba[0, 0, 3] = True  # so is the whole pixel
    full, info = sbdl.inpaint(np.ma.array(rgba, mask=of_rgba), **OPTIONS)
    observed = ~hidden & mask[..., None]
    observed[0, 0] = False
    assert info.missing == np.count_nonzero(~observed)
    np.testing.assert_array_equal(full[..., :3], sbdl.inpaint(colours, observed, **OPTIONS)[0])


def test_a_grey_mask_may_be_stored_in_colour(truth, mask):
    same_as_by_mask(truth, np.dstack([mask] * 3), (truth, mask))
    with pytest.raises(ValueError, match="3 planes that differ"):
        sbdl.inpaint(truth, np.dstack([mask, mask, ~mask]))


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
    with pytest.raises(ValueError, match="mask"):
        sbdl.inpaint(np.ma.array(truth, mask=~mask), mask[:-1])
    with pytest.raises(TypeError, match=r"model is builtins\.str, must be an sbdl\.Model"):
        sbdl.inpaint(truth, mask, model="model.h5")


def test_report(truth, mask, tmp_path):
    _, info = sbdl.inpaint(truth, mask, **OPTIONS)
    info.report(tmp_path / "page.html", truth=truth)
    page = (tmp_path / "page.html").read_text()
    for part in ["Before and after", "The completed image", "within 1 and 2 std"]:
        assert part in page


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
