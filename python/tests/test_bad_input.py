"""Input that is rejected, with scikit-learn's messages."""

import numpy as np
import pytest
from conftest import learner, needed_options, same_bits

import sbdl


def rejects(X, match, error=ValueError, **params):
    with pytest.raises(error, match=match):
        learner(**params).fit(X)


def test_sparse_matrices(signals):
    scipy_sparse = pytest.importorskip("scipy.sparse")
    rejects(scipy_sparse.csr_matrix(signals), r"Sparse data was passed for X.*\.toarray\(\)", TypeError)
    rejects(scipy_sparse.coo_array(signals), r"Sparse data was passed for X.*\.toarray\(\)", TypeError)


def test_lists_are_accepted():
    assert learner(n_components=2).fit([[1, 2], [3, 5], [0, 1]]).components_.shape == (2, 2)


def test_object_arrays(signals):
    assert same_bits(learner().fit(signals.astype(object)).components_, learner().fit(signals).components_)
    rejects(np.array([[1.0, "two"], [3.0, 4.0]], dtype=object), "could not convert string to float")
    rejects(np.array([[1.0, {}], [3.0, 4.0]], dtype=object), "float", TypeError)
    rejects([["a", "b"], ["c", "d"]], "not compatible with arrays of numbers")


def test_masked_arrays(signals):
    whole = np.ma.masked_array(signals, mask=False)
    assert same_bits(learner().fit(whole).components_, learner().fit(signals).components_)
    rejects(np.ma.masked_greater(signals, 0.0), "masked array with .* masked values", method="ksvd")


def test_missing_values_and_infinity(signals):
    for bad, match in [(np.nan, "Input X contains NaN"), (np.inf, "contains infinity"), (-np.inf, "contains infinity")]:
        X = signals.copy()
        X[3, 2] = bad
        rejects(X, match, method="ksvd")
        estimator = learner("online").fit(signals)
        with pytest.raises(ValueError, match=match):
            estimator.transform(X)


def test_values_whose_sum_overflows_are_not_infinite():
    X = np.full((4, 3), 1e308)
    assert sbdl.sparse_encode(X, np.eye(3), n_nonzero_coefs=1).shape == (4, 3)


def test_shapes(signals):
    rejects(np.empty((0, 5)), r"Found array with 0 sample\(s\) \(shape=\(0, 5\)\) while a minimum of 1 is required")
    rejects(np.empty((5, 0)), r"0 feature\(s\) \(shape=\(5, 0\)\) while a minimum of 1 is required")
    rejects(signals[0], "Expected 2D array, got 1D array instead")
    rejects(np.float64(3.0), "Expected 2D array, got scalar array instead")
    rejects(signals[None], "Found array with dim 3")
    rejects(signals + 1j, "Complex data not supported")
    with pytest.raises(ValueError, match="X has 4 features, but DictionaryLearning is expecting 5 features as input"):
        learner().fit(signals).transform(signals[:, :4])
    with pytest.raises(ValueError, match="X has 5 columns, but there are 6 atoms"):
        learner().fit(signals).inverse_transform(signals)


def test_one_feature_and_one_sample(method):
    rng = np.random.default_rng(0)
    assert learner(method, n_components=1, **needed_options(method, 1)).fit(
        rng.normal(size=(20, 1))
    ).components_.shape == (1, 1)
    assert learner(method, n_components=2, **needed_options(method, 1)).fit(
        rng.normal(size=(1, 4))
    ).components_.shape == (2, 4)


def test_read_only_arrays(signals):
    assert not signals.flags.writeable
    learner().fit(signals).transform(signals)


@pytest.mark.parametrize("bad", [0, -3, 2.5, "many", True, np.nan, 10**9])
def test_n_components(signals, bad):
    rejects(
        signals,
        r"The 'n_components' parameter of DictionaryLearning must be an int in the range \[1, 1000000\]",
        n_components=bad,
    )


def test_parameters(signals):
    with pytest.raises(ValueError, match=r"The 'method' parameter .* among {'gibbs', 'vb', .*Got 'magic' instead"):
        sbdl.DictionaryLearning(method="magic").fit(signals)
    rejects(signals, r"'max_iter' .* int in the range \[1, .* Got 0 instead", max_iter=0)
    rejects(signals, r"'chains' .* int in the range \[1, 10000\]. Got 0", chains=0)
    rejects(signals, r"'code_shape' .* float in the range \(0, 1000000\]. Got 0", code_shape=0)
    rejects(signals, r"'update' .* {'sequential', 'joint'}. Got 'both'", update="both")
    rejects(signals, "'average' .* instance of 'bool'", average=1)
    rejects(signals, "preset is 'best', must be standard or paper", preset="best")
    rejects(
        signals,
        "'tolerance' does not apply to method 'gibbs', only to vb and majorization; leave it .* method='vb'",
        tolerance=1e-3,
    )
    rejects(
        signals,
        "max_iter is 60, but burn_in 100 and draws 200 make 300; leave out max_iter",
        max_iter=60,
        burn_in=100,
        draws=200,
    )
    rejects(
        signals, "usage_on does not apply: it has an effect only with prior on-off", prior="student-t", usage_on=2.0
    )
    rejects(signals, "thin is 9, must be at most draws", thin=9)
    rejects(signals, "max_iter is 16, but burn_in 3 and draws 4 make 7", burn_in=3, draws=4)
    rejects(signals, "time_limit_s is -1", time_limit=-1)
    rejects(signals, "'n_jobs' parameter must be a non-zero int", n_jobs=0)
    rejects(signals, "threads: 5000", n_jobs=5000)
    for memory in ("much", "-1G", 0, True, float("inf")):
        rejects(signals, "'memory' parameter must be an amount such as '8G'", memory=memory)
    rejects(signals, "ksvd cannot keep its codes on disk", method="ksvd", sparsity=2, memory="1K")
    with pytest.raises(TypeError, match="unexpected keyword argument 'burnin'"):
        sbdl.DictionaryLearning(burnin=3)
    with pytest.raises(ValueError, match="Invalid parameter 'burnin'"):
        sbdl.DictionaryLearning().set_params(burnin=3)


def test_what_ksvd_needs(signals):
    with pytest.raises(ValueError, match=r"exactly one of sparsity .* and max_error .*; neither is given"):
        sbdl.DictionaryLearning(6, method="ksvd").fit(signals)
    with pytest.warns(UserWarning, match="sparsity is 40, more than the 5 entries of a signal; 5 was used"):
        learner("ksvd", sparsity=40).fit(signals)


def test_transform_parameters(signals):
    estimator = learner("ksvd").fit(signals)
    with pytest.raises(ValueError, match="has no standard deviations"):
        estimator.transform(signals, return_std=True)
    for params, match in [
        ({"transform_algorithm": "lars"}, "'transform_algorithm' parameter .* Got 'lars'"),
        ({"transform_n_nonzero_coefs": 0}, r"'transform_n_nonzero_coefs' .* \[1, "),
        ({"transform_max_error": 0.0, "transform_n_nonzero_coefs": None}, r"'transform_max_error' .* \(0, inf\)"),
        ({"transform_algorithm": "lasso_cd", "transform_alpha": -1.0}, r"'transform_alpha' .* \(0, inf\)"),
        ({"transform_algorithm": "lasso_cd", "transform_max_iter": 0}, r"'transform_max_iter' .* \[1, "),
        ({"transform_algorithm": "posterior", "transform_draws": 0}, r"'transform_draws' .* \[1, "),
    ]:
        changed = learner("ksvd").fit(signals).set_params(**params)
        with pytest.raises(ValueError, match=match):
            changed.transform(signals)
    with pytest.raises(ValueError, match=r"'transform_algorithm' parameter .* Got 'lars'"):
        learner("ksvd", transform_algorithm="lars").fit(signals)  # before anything is learned


def test_not_fitted(signals):
    estimator = learner()
    for ask in (estimator.transform, estimator.inverse_transform, estimator.score):
        with pytest.raises(ValueError, match="is not fitted yet"):
            ask(signals)
    assert not hasattr(estimator, "components_")


def test_data_frames(signals):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(signals, columns=list("abcde"))
    estimator = learner().fit(frame)
    assert estimator.feature_names_in_.tolist() == list("abcde")
    assert same_bits(estimator.components_, learner().fit(signals).components_)
    estimator.transform(frame)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        estimator.transform(frame[list("edcba")])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        estimator.transform(signals)
    mixed = frame.rename(columns={"a": 0})
    rejects(mixed, "Feature names are only supported if all input features have string names", TypeError)
    assert not hasattr(learner().fit(signals), "feature_names_in_")


def test_files(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.h5: cannot be read: No such file or directory$"):
        sbdl.load_model(tmp_path / "nowhere.h5")
    (tmp_path / "text.h5").write_text("no model")
    with pytest.raises(OSError, match=r"text\.h5"):
        sbdl.load_model(tmp_path / "text.h5")


def test_more_than_fits_in_memory(signals):
    with pytest.raises(MemoryError):
        learner(n_components=10**6).fit(signals)
    with pytest.raises(ValueError, match="do not fit into memory"):
        sbdl.synthetic(n_samples=2**40, n_features=2**20, n_components=4)


class TestImages:
    def test_kinds(self):
        for bad in (np.zeros((16, 16), np.int64), np.zeros((16, 16), bool), np.zeros((16, 16), complex)):
            with pytest.raises(ValueError, match="must be uint8, uint16, float32 or float64"):
                sbdl.denoise(bad)
        with pytest.raises(ValueError, match="masked"):
            sbdl.denoise(np.ma.masked_equal(np.eye(16), 0))

    def test_shapes(self):
        for bad in (np.zeros(16), np.zeros((16, 16, 5)), np.zeros((2, 16, 16, 3))):
            with pytest.raises(ValueError, match="height x width"):
                sbdl.denoise(bad)
        with pytest.raises(ValueError, match="8 x 8 are needed"):
            sbdl.denoise(np.zeros((4, 16)))
        with pytest.raises(ValueError, match="image"):
            sbdl.denoise(np.zeros((0, 16)))

    def test_values(self):
        image = np.random.default_rng(0).normal(size=(16, 16))
        image[3, 4] = np.nan
        with pytest.raises(ValueError, match="row 3, column 4 is nan"):
            sbdl.denoise(image)
        with pytest.raises(ValueError, match="method is 'magic'"):
            sbdl.denoise(np.eye(16), method="magic")
        for name, bad, expected in [
            ("recipe", "magic", "a str among {'standard', 'paper'}"),
            ("patch_size", 1, r"an int in the range \[2, 32\]"),
            ("patch_size", 7.5, "an int"),
            ("patch_size", None, "an int"),
            ("n_components", 0, r"an int in the range \[1, 65536\]"),
            ("max_iter", True, "an int"),
            ("sigma", -1.0, "a float"),
            ("sigma", "known", "a float"),
        ]:
            match = f"The '{name}' parameter of denoise must be {expected}.* Got {bad!r} instead"
            with pytest.raises(ValueError, match=match):
                sbdl.denoise(np.eye(16), **{name: bad})
        with pytest.raises(ValueError, match="stride is 9, must be at most patch, which is 8"):
            sbdl.denoise(np.eye(16), stride=9)

    def test_quality_of_different_shapes(self):
        with pytest.raises(ValueError, match="16"):
            sbdl.psnr(np.zeros((16, 16)), np.zeros((16, 17)))
