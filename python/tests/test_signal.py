"""denoise_signal: the noise is inferred, the signal comes closer to the truth, what cannot be cleaned is named."""

import numpy as np
import pytest

import sbdl


@pytest.fixture(scope="module")
def truth():
    t = np.arange(2000)
    return np.sin(t / 9.0) * np.exp(-((((t % 400) - 200) / 60.0) ** 2))


@pytest.fixture(scope="module")
def noisy(truth):
    return truth + 0.2 * np.random.default_rng(1).normal(size=truth.size)


def test_removes_noise_of_unknown_strength(truth, noisy):
    clean, info = sbdl.denoise_signal(noisy, n_components=96)
    assert clean.shape == info.std.shape == truth.shape
    assert abs(info.sigma - 0.2) < 0.02
    assert not info.sigma_given
    assert np.std(clean - truth) < 0.5 * np.std(noisy - truth)
    assert np.mean(np.abs(clean - truth) < 2 * info.std) > 0.9
    assert info.model.dictionary.shape == (96, 64)
    assert "sigma 0." in repr(info)


def test_options(noisy):
    clean, info = sbdl.denoise_signal(noisy.astype(np.float32), sigma=0.2, window=32, n_components=48, std=False)
    assert info.std is None
    assert info.sigma_given
    assert clean.dtype == np.float64
    again, used = sbdl.denoise_signal(noisy.astype(np.float32), sigma=0.2, model=info.model)
    assert np.array_equal(clean, again)
    assert used.training_windows == 0


def test_what_cannot_be_cleaned_is_named(noisy):
    with pytest.raises(ValueError, match="must have one dimension"):
        sbdl.denoise_signal(noisy.reshape(2, -1))
    with pytest.raises(ValueError, match=r"sample 3 .* is nan"):
        sbdl.denoise_signal(np.where(np.arange(noisy.size) == 3, np.nan, noisy))
    with pytest.raises(ValueError, match="100 samples, at least 128"):
        sbdl.denoise_signal(noisy[:100])
    with pytest.raises(ValueError, match="'window' parameter of denoise_signal must be"):
        sbdl.denoise_signal(noisy, window=4)
    with pytest.raises(ValueError, match=r"height x width.*denoise_signal"):
        sbdl.denoise(noisy)


def test_a_warning_names_noise_that_is_not_white(truth):
    noise = np.random.default_rng(3).normal(size=truth.size)
    for i in range(1, noise.size):
        noise[i] = 0.8 * noise[i - 1] + 0.6 * noise[i]
    with pytest.warns(UserWarning, match="noise is not white"):
        sbdl.denoise_signal(truth + 0.2 * noise, n_components=96)
