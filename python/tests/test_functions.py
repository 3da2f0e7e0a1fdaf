"""Functions, and images."""

import inspect
import math

import numpy as np
import pytest
from conftest import same_bits

import sbdl
from sbdl._denoise import OPTIONS


def test_omp_agrees_with_scikit_learn(data):
    linear_model = pytest.importorskip("sklearn.linear_model")
    theirs = linear_model.orthogonal_mp(data.dictionary.T, data.signals.T, n_nonzero_coefs=2).T
    np.testing.assert_allclose(sbdl.omp(data.signals, data.dictionary, 2), theirs, atol=1e-10)
    # A signal that is small enough gets no atom here; scikit-learn takes one before it checks.
    large = data.signals[np.linalg.norm(data.signals, axis=1) > 0.3]
    theirs = linear_model.orthogonal_mp(data.dictionary.T, large.T, tol=0.3**2).T
    np.testing.assert_allclose(sbdl.omp(large, data.dictionary, max_error=0.3), theirs, atol=1e-10)


@pytest.mark.parametrize("algorithm", ["lasso_cd", "lasso_lars", "threshold"])
@pytest.mark.parametrize("alpha", [0.02, 0.3, 2.0])
def test_sparse_encode_agrees_with_scikit_learn(data, algorithm, alpha):
    decomposition = pytest.importorskip("sklearn.decomposition")
    theirs = decomposition.sparse_encode(
        data.signals, data.dictionary, algorithm=algorithm, alpha=alpha, max_iter=10000
    )
    ours = sbdl.sparse_encode(data.signals, data.dictionary, algorithm=algorithm, alpha=alpha)
    # Ours is the exact minimum; coordinate descent stops near it.
    np.testing.assert_allclose(ours, theirs, atol=1e-4 if algorithm == "lasso_cd" else 1e-12)
    assert decomposition.sparse_encode(data.signals, data.dictionary, algorithm=algorithm) == pytest.approx(
        sbdl.sparse_encode(data.signals, data.dictionary, algorithm=algorithm), abs=1e-4
    ), "the same default of alpha"


def test_lasso_is_at_its_minimum(data):
    # Also for atoms whose norm is not 1: no change of a coefficient is an improvement.
    atoms = data.dictionary * np.linspace(0.5, 2.0, 6)[:, None]
    codes = sbdl.sparse_encode(data.signals, atoms, algorithm="lasso_cd", alpha=0.05)
    slope = (codes @ atoms - data.signals) @ atoms.T
    np.testing.assert_allclose(slope[codes != 0], -0.05 * np.sign(codes[codes != 0]), atol=1e-12)
    assert np.abs(slope).max() <= 0.05 * (1 + 1e-8)
    none = sbdl.sparse_encode(data.signals, atoms, algorithm="lasso_cd", alpha=100.0)
    assert (none == 0).all()
    # With copies of atoms there are many minima, of which one is found.
    twice = sbdl.sparse_encode(data.signals, np.vstack([atoms, atoms]), algorithm="lasso_cd", alpha=0.05)
    np.testing.assert_allclose(twice[:, :6] + twice[:, 6:], codes, atol=1e-8)
    # The same for linearly dependent atoms.
    more = np.vstack([atoms, np.zeros(5), 0.5 * (atoms[0] + atoms[1])])
    depend = sbdl.sparse_encode(data.signals, more, algorithm="lasso_cd", alpha=0.05)
    slope = (depend @ more - data.signals) @ more.T
    np.testing.assert_allclose(slope[depend != 0], -0.05 * np.sign(depend[depend != 0]), atol=1e-10)
    assert np.abs(slope).max() <= 0.05 * (1 + 1e-8)
    assert (depend[:, 6] == 0).all(), "an atom of zeros has no code"


def test_too_few_steps_give_a_warning(data):
    with pytest.warns(UserWarning, match=r"of 120 codes did not converge in 1 steps") as caught:
        sbdl.sparse_encode(data.signals, data.dictionary, algorithm="lasso_cd", alpha=0.01, max_iter=1)
    assert caught[0].filename == __file__


def test_sparse_encode(data):
    codes = sbdl.sparse_encode(data.signals, data.dictionary)
    assert (np.count_nonzero(codes, axis=1) <= 1).all()
    best = sbdl.sparse_encode(data.signals, data.dictionary, algorithm="ormp", n_nonzero_coefs=2)
    assert np.linalg.norm(data.signals - best @ data.dictionary) <= np.linalg.norm(
        data.signals - sbdl.omp(data.signals, data.dictionary, 2) @ data.dictionary
    )
    for bad, match in [
        ({"algorithm": "lars"}, "'algorithm'"),
        ({"n_nonzero_coefs": 0}, r"int in the range \[1, .* Got 0"),
        ({"max_error": -1.0}, r"float in the range \(0, inf\)"),
        ({"algorithm": "lasso_cd", "alpha": 0.0}, r"'alpha' .* float in the range \(0, inf\)"),
        ({"algorithm": "lasso_cd", "max_iter": 0}, r"'max_iter' .* int in the range \[1, "),
    ]:
        with pytest.raises(ValueError, match=match):
            sbdl.sparse_encode(data.signals, data.dictionary, **bad)
    for algorithm in ("omp", "lasso_cd", "threshold"):
        with pytest.raises(ValueError, match="Signals have 5 entries, the dictionary's atoms 3"):
            sbdl.sparse_encode(data.signals, data.dictionary[:, :3], algorithm=algorithm)


def test_synthetic(data):
    rebuilt = data.codes @ data.dictionary
    assert np.std(data.signals - rebuilt) == pytest.approx(data.noise_sd, rel=0.1)
    quiet = sbdl.synthetic(50, 5, 6, n_nonzero_coefs=2, snr_db=math.inf)
    np.testing.assert_allclose(quiet.signals, quiet.codes @ quiet.dictionary)
    with pytest.raises(ValueError, match=r"'n_samples' parameter of synthetic .* Got 0"):
        sbdl.synthetic(0)
    with pytest.raises(ValueError, match=r"'n_nonzero_coefs' parameter of synthetic .* \[1, 6\]. Got 7"):
        sbdl.synthetic(10, 5, 6, n_nonzero_coefs=7)
    with pytest.raises(ValueError, match=r"'n_nonzero_coefs' parameter of synthetic .* \[3, 6\]. Got 2"):
        sbdl.synthetic(10, 5, 6, n_nonzero_coefs=(3, 2))
    assert (sbdl.synthetic(10, 5, 6, n_nonzero_coefs=np.int64(2)).codes != 0).sum() == 20
    for wrong in ((2,), [1, 2, 3]):
        with pytest.raises(ValueError, match=r"'n_nonzero_coefs' parameter of synthetic must be an int or two of them"):
            sbdl.synthetic(10, 5, 6, n_nonzero_coefs=wrong)


def test_match_atoms(data):
    same = sbdl.match_atoms(data.dictionary, -data.dictionary[::-1])
    assert same.nearest_rate == same.assigned_rate == 1.0
    assert same.assigned_to.tolist() == [5, 4, 3, 2, 1, 0]
    twice = sbdl.match_atoms(np.eye(2), [[1, 0], [1, 0.01]])
    assert (twice.nearest_recovered, twice.assigned_recovered) == (1, 1)


def test_quality():
    truth = sbdl.make_image(32, 32)
    noisy = sbdl.make_noisy(truth, 10.0)
    mean_square = np.mean((noisy.astype(float) - truth) ** 2)
    assert sbdl.psnr(truth, noisy) == pytest.approx(10 * np.log10(255**2 / mean_square))
    assert sbdl.psnr(truth, noisy, data_range=1.0) == pytest.approx(10 * np.log10(1 / mean_square))
    assert sbdl.psnr(truth, truth) == math.inf
    assert sbdl.psnr(truth.astype(int), truth) == math.inf
    assert 0 < sbdl.ssim(truth, noisy) < 1


def test_quality_of_16_bits_has_the_range_of_the_truth():
    truth = 16 * sbdl.make_image(32, 32).astype(np.uint16)  # 12 bits
    noisy = truth + np.uint16(3)
    data_range = float(truth.max()) - float(truth.min())
    assert sbdl.psnr(truth, noisy) == pytest.approx(20 * np.log10(data_range / 3))
    assert sbdl.ssim(truth, noisy) == sbdl.ssim(truth, noisy, data_range=data_range)
    assert sbdl.psnr(truth.astype(np.float32), noisy) == sbdl.psnr(truth, noisy)


@pytest.fixture(scope="module")
def images():
    truth = sbdl.make_image(64, 72, random_state=1)
    return truth, sbdl.make_noisy(truth, 20.0, random_state=1)


class TestDenoise:
    def test_defaults_are_those_of_the_core(self):
        parameters = inspect.signature(sbdl.denoise).parameters
        for name, option in OPTIONS.items():
            default = parameters[name].default
            # The core writes 0 for "as many as the image needs".
            assert default == option.default or (default is None and option.default == 0), name

    def test_it_helps_and_infers_the_noise(self, images, tmp_path):
        truth, noisy = images
        clean, info = sbdl.denoise(noisy, n_components=64)
        assert clean.shape == noisy.shape
        assert clean.dtype == noisy.dtype
        assert sbdl.psnr(truth, clean) > sbdl.psnr(truth, noisy) + 3
        assert info.sigma == pytest.approx(20.0, rel=0.15)
        assert info.std.shape == noisy.shape
        assert info.std.dtype == np.float32
        assert not info.sigma_given
        assert info.model.patch_shape == (8, 8, 1)
        assert "noise" in info.seconds
        assert "inferred" in repr(info)
        info.report(tmp_path / "page.html", truth=truth)
        assert "</html>" in (tmp_path / "page.html").read_text()

    def test_types_and_channels(self, images):
        noisy = images[1]
        as_bytes = np.clip(np.round(noisy), 0, 255).astype(np.uint8)
        clean, _ = sbdl.denoise(as_bytes, n_components=32, max_iter=4)
        assert clean.dtype == np.uint8
        colours = np.stack([noisy, noisy, noisy, np.full_like(noisy, 7)], axis=-1)
        clean, info = sbdl.denoise(colours, n_components=32, max_iter=4, std=False)
        assert clean.shape == colours.shape
        assert (clean[..., 3] == 7).all()
        assert info.std is None

    def test_the_memory_layout_does_not_matter(self, images):
        noisy = images[1]
        once = sbdl.denoise(noisy, n_components=32, max_iter=4)[0]
        assert same_bits(once, sbdl.denoise(np.asfortranarray(noisy), n_components=32, max_iter=4)[0])
        swapped = sbdl.denoise(noisy.astype(">f4"), n_components=32, max_iter=4)[0]
        assert same_bits(once, swapped)

    def test_with_given_sigma_and_with_a_model(self, images):
        noisy = images[1]
        _, info = sbdl.denoise(noisy, sigma=20.0, n_components=32, max_iter=4)
        assert info.sigma_given
        assert info.sigma == 20.0
        again, used = sbdl.denoise(noisy, sigma=20.0, model=info.model)
        assert same_bits(used.model.dictionary, info.model.dictionary)
        assert again.shape == noisy.shape

    def test_keeps_some_of_the_noisy_image(self, images):
        noisy = images[1]
        given = {"sigma": 20.0, "recipe": "paper", "method": "dct", "n_components": 64}
        none = sbdl.denoise(noisy, **given)[0]
        assert same_bits(none, sbdl.denoise(noisy, keep_noisy=0.0, **given)[0])
        away = [
            np.abs(sbdl.denoise(noisy, keep_noisy=weight, **given)[0] - noisy).mean() for weight in (0, "auto", 1e4)
        ]
        assert away[0] > away[1] > away[2]
        with pytest.raises(ValueError, match="recipe paper"):
            sbdl.denoise(noisy, keep_noisy=1.0)
        with pytest.raises(ValueError, match=r"'keep_noisy' parameter of denoise must be .* Got 'some' instead"):
            sbdl.denoise(noisy, keep_noisy="some", **given)

    def test_how_far_the_papers_pursuit_goes(self, images):
        noisy = images[1]
        given = {"sigma": 20.0, "recipe": "paper", "method": "dct", "n_components": 64}
        usual = sbdl.denoise(noisy, **given)[0]
        assert same_bits(usual, sbdl.denoise(noisy, tolerance=1.1, **given)[0])
        away = [np.abs(sbdl.denoise(noisy, tolerance=t, **given)[0] - noisy).mean() for t in (0.5, 1.1, 1.3)]
        assert away[0] < away[1] < away[2]
        with pytest.raises(ValueError, match="tolerance applies only to the recipe paper"):
            sbdl.denoise(noisy, tolerance=1.15)
        with pytest.raises(ValueError, match=r"'tolerance' parameter of denoise must be .* Got 0.0 instead"):
            sbdl.denoise(noisy, tolerance=0.0, **given)
        with pytest.raises(ValueError, match=r"'tolerance' parameter of denoise must be .* Got 101.0 instead"):
            sbdl.denoise(noisy, tolerance=101.0, **given)

    def test_weights_of_the_codes(self, images):
        noisy = images[1]
        given = {"sigma": 20.0, "method": "majorization", "n_components": 16, "max_iter": 2, "recipe": "paper"}
        usual = 20.0 * math.sqrt(math.log(16))  # the default
        default = sbdl.denoise(noisy, **given)[1].model.dictionary
        np.testing.assert_allclose(sbdl.denoise(noisy, lambda_=usual, **given)[1].model.dictionary, default, atol=1e-8)
        assert not np.allclose(sbdl.denoise(noisy, lambda_=2 * usual, **given)[1].model.dictionary, default)
        given["method"] = "apru"
        default = sbdl.denoise(noisy, **given)[1].model.dictionary
        both = sbdl.denoise(noisy, lambda_=usual, lambda_s=2 * usual, **given)[1].model.dictionary
        assert not np.allclose(both, default)
        with pytest.raises(ValueError, match="apru needs both lambda and lambda_s, or neither of them"):
            sbdl.denoise(noisy, lambda_=1.0, **given)
        with pytest.raises(ValueError, match="lambda does not apply to the method auto"):
            sbdl.denoise(noisy, lambda_=1.0)
        for name in ("lambda_", "lambda_s"):
            with pytest.raises(ValueError, match=rf"'{name}' parameter of denoise must be .* Got 0.0 instead"):
                sbdl.denoise(noisy, **{name: 0.0})

    def test_no_noise(self):
        flat = np.zeros((32, 32), np.uint8)
        clean, info = sbdl.denoise(flat)
        assert info.unchanged
        assert same_bits(clean, flat)
        with pytest.raises(ValueError, match="nothing to report"):
            info.report("never.html")

    def test_progress_and_callback(self, images, capsys):
        reports = []
        sbdl.denoise(images[1], n_components=32, max_iter=4, verbose=1, callback=reports.append)
        assert reports
        lines = capsys.readouterr().err.splitlines()
        shares = [int(line.split(":")[1].split("%")[0]) for line in lines]
        assert all(line.startswith("denoising:") for line in lines)
        assert shares == sorted(shares)
        assert shares.count(100) == 1
        with pytest.warns(UserWarning, match="callback raised KeyError"):
            clean, _ = sbdl.denoise(images[1], n_components=32, max_iter=4, callback=lambda report: {}["no"])
        assert np.array_equal(clean, sbdl.denoise(images[1], n_components=32, max_iter=4)[0])
