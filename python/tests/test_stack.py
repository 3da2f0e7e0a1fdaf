"""Stacks: each page is what denoise() makes of it with the same dictionary."""

import numpy as np
import pytest

import sbdl

OPTIONS = {"n_components": 32, "max_iter": 2, "max_patches": 300, "sigma": 20.0}


@pytest.fixture(scope="module")
def noisy():
    truth = sbdl.make_image(32, 24, random_state=3)
    return np.stack([sbdl.make_noisy(truth, 20.0, random_state=page) for page in range(4)])


def test_each_page_is_what_denoise_makes_of_it(noisy):
    clean, info = sbdl.denoise_stack(noisy, std=True, **OPTIONS)
    assert clean.shape == noisy.shape
    assert clean.dtype == noisy.dtype
    assert info.shared
    assert info.std.shape == noisy.shape
    assert info.sigma == [20.0] * 4
    for page in range(4):
        alone, _ = sbdl.denoise(noisy[page], model=info.model, sigma=20.0)
        assert (alone == clean[page]).all()
    own, info = sbdl.denoise_stack(noisy, dictionary="own", **OPTIONS)
    assert info.model is None
    assert (own[1] == sbdl.denoise(noisy[1], **OPTIONS)[0]).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_types_and_colour(dtype):
    truth = sbdl.make_image(24, 24, colour=True, random_state=3)
    noisy = np.stack([sbdl.make_noisy(truth, 20.0, random_state=page) for page in range(2)])
    stack = np.clip(noisy, 0, 255).astype(dtype)
    clean, info = sbdl.denoise_stack(stack, std=True, **OPTIONS)
    assert clean.shape == (2, 24, 24, 3)
    assert clean.dtype == dtype
    assert info.std.shape == (2, 24, 24, 3)
    with_alpha = np.concatenate([stack, stack[..., :1]], axis=3)
    clean, info = sbdl.denoise_stack(with_alpha, std=True, **OPTIONS)
    assert (clean[..., 3] == with_alpha[..., 3]).all()
    assert info.std.shape == (2, 24, 24, 3)


def test_an_interrupted_stack_goes_on(noisy, monkeypatch, tmp_path):
    whole, _ = sbdl.denoise_stack(noisy, **OPTIONS)

    pressed = []  # a second time would end the call at once

    def press(bar, stage, share, left):
        if stage == "page 3/4, posterior" and not pressed:
            pressed.append(stage)
            raise KeyboardInterrupt

    monkeypatch.setattr("sbdl._progress.ProgressBar.on_stage", press)
    with pytest.warns(UserWarning, match="2 of 4 pages are done"):
        first, info = sbdl.denoise_stack(noisy, verbose=1, **OPTIONS)
    assert len(first) == len(info.sigma) == 2
    info.report(tmp_path / "page.html")
    assert "2 pages. One dictionary" in (tmp_path / "page.html").read_text()
    rest, _ = sbdl.denoise_stack(noisy[2:], model=info.model, sigma=20.0)
    assert (np.concatenate([first, rest]) == whole).all()


def test_interrupted_before_the_dictionary_is_learned(noisy, monkeypatch):
    pressed = []

    def press(bar, stage, share, left):
        if not pressed:
            pressed.append(stage)
            raise KeyboardInterrupt

    monkeypatch.setattr("sbdl._progress.ProgressBar.on_stage", press)
    with pytest.warns(UserWarning, match="0 of 4 pages are done"):
        clean, info = sbdl.denoise_stack(noisy, verbose=1, **OPTIONS)
    assert len(clean) == 0
    assert info.model is None


def test_one_bar_for_all_pages(noisy, capsys):
    sbdl.denoise_stack(noisy, verbose=1, **OPTIONS)
    lines = capsys.readouterr().err.splitlines()
    shares = [int(line.split(":")[1].split("%")[0]) for line in lines]
    assert shares == sorted(shares)
    assert shares.count(100) == 1
    assert any("page 2/4" in line for line in lines)


def test_unusual_pages(noisy):
    stack = noisy.copy()
    stack[1] = 100.0
    clean, info = sbdl.denoise_stack(stack, n_components=32, max_iter=2)
    assert info.unchanged == [False, True, False, False]
    assert (clean[1] == stack[1]).all()
    single, info = sbdl.denoise_stack(stack[:1], **OPTIONS)
    assert single.shape == (1, 32, 24)


def test_report(noisy, tmp_path):
    truth = np.stack([sbdl.make_image(32, 24, random_state=3)] * 4)
    _, info = sbdl.denoise_stack(noisy, **OPTIONS)
    assert [noise["kind"] for noise in info.noise] == ["gaussian"] * 4
    info.report(tmp_path / "page.html", title="Four <pages>", truth=truth)
    page = (tmp_path / "page.html").read_text()
    for part in (
        "<h1>Four &lt;pages&gt;</h1>",
        "4 pages. One dictionary",
        "<h3>Page 4</h3>",
        "PSNR (dB)",
        "a page</dd>",
        "against the truth; range ",
    ):
        assert part in page
    with pytest.raises(ValueError, match="truth has the shape"):
        info.report(tmp_path / "page.html", truth=truth[:3])

    stack = noisy.copy()
    stack[1] = 100.0
    _, info = sbdl.denoise_stack(stack, dictionary="own", n_components=32, max_iter=2)
    info.report(tmp_path / "own.html")
    page = (tmp_path / "own.html").read_text()
    assert "each with a dictionary of its own" in page
    assert "no noise found; left as it is" in page
    assert "PSNR" not in page


def test_bad_input(noisy):
    with pytest.raises(ValueError, match="pages x height x width"):
        sbdl.denoise_stack(noisy[0])
    with pytest.raises(ValueError, match="pages x height x width"):
        sbdl.denoise_stack(np.zeros((2, 16, 16, 2)))
    with pytest.raises(ValueError, match="no pages"):
        sbdl.denoise_stack(np.zeros((0, 16, 16)))
    with pytest.raises(ValueError, match=r"page 1 of 2.*4 x 4"):
        sbdl.denoise_stack(np.zeros((2, 4, 4)), dictionary="own")
    stack = noisy.astype(np.float64)
    stack[2, 3, 4] = np.nan
    with pytest.raises(ValueError, match=r"stack\[2\].*row 3, column 4 is nan"):
        sbdl.denoise_stack(stack, **OPTIONS)
    with pytest.raises(ValueError, match="dictionary"):
        sbdl.denoise_stack(noisy, dictionary="big")
    with pytest.raises(TypeError, match="unexpected keyword argument 'patch'"):
        sbdl.denoise_stack(noisy, patch=8)
