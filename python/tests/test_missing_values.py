"""Missing entries: gibbs, vb and bpfa learn without them, code the others, and fill the gaps."""

import pickle

import numpy as np
import pytest
from conftest import SWEEPS, learner, same_bits

import sbdl
from sbdl._options import METHODS

TAKERS = ["gibbs", "vb", "bpfa"]


@pytest.fixture(scope="module")
def holes(data):
    X = data.signals.copy()
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    X[np.isnan(X).all(axis=1), 0] = 0.5
    X.setflags(write=False)
    return X


@pytest.fixture(params=TAKERS)
def taker(request):
    return request.param


def test_all_markers_of_missing_entries_are_equivalent(holes, taker):
    expected = learner(taker).fit(holes).components_
    masked = np.ma.masked_array(np.where(np.isnan(holes), 7.0, holes), mask=np.isnan(holes))
    assert same_bits(learner(taker).fit(masked).components_, expected)
    assert same_bits(learner(taker).fit(holes.tolist()).components_, expected)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(holes)
    assert same_bits(learner(taker).fit(frame).components_, expected)
    assert same_bits(learner(taker).fit(frame.convert_dtypes()).components_, expected)


def test_same_as_the_program(program, holes, taker):
    np.save(program.folder / "holes.npy", holes)
    program(
        "learn", "holes.npy", "-o", "model.h5", "--method", taker, "--atoms", 6, "--seed", 3, "--sweeps", SWEEPS,
        "--keep-codes", "--reconstruct", "whole.npy",
    )  # fmt: skip
    theirs = sbdl.load_model(program.folder / "model.h5")
    ours = learner(taker, keep_codes=True, keep_reconstruction=True).fit(holes)
    assert same_bits(theirs.dictionary, ours.components_)
    assert same_bits(theirs.codes, ours.codes_)
    assert same_bits(theirs.atom_probability, ours.model_.atom_probability)
    assert same_bits(np.load(program.folder / "whole.npy"), ours.reconstruction_)


def test_gaps_are_filled(taker):
    data = sbdl.synthetic(n_samples=600, n_features=12, n_components=8, n_nonzero_coefs=2, snr_db=25, random_state=2)
    gaps = np.random.default_rng(3).random(data.signals.shape) < 0.15
    holes = np.where(gaps, np.nan, data.signals)
    estimator = learner(taker, n_components=8, max_iter=300, keep_reconstruction=True).fit(holes)
    truth = data.codes @ data.dictionary
    energy = np.mean(truth[gaps] ** 2)
    assert np.mean((estimator.reconstruction_ - truth)[gaps] ** 2) < 0.1 * energy
    assert np.mean((estimator.reconstruct(holes) - truth)[gaps] ** 2) < 0.2 * energy
    assert estimator.score(holes) > 0.9


def test_only_observed_entries_are_coded(signals, holes):
    estimator = learner("bpfa", transform_algorithm="omp", transform_n_nonzero_coefs=2).fit(signals)
    codes = estimator.transform(holes)
    whole = ~np.isnan(holes).any(axis=1)
    assert same_bits(codes[whole], estimator.transform(signals)[whole])
    for i in np.flatnonzero(~whole)[:10]:
        seen = ~np.isnan(holes[i])
        alone = sbdl.omp(holes[i : i + 1, seen], estimator.components_[:, seen], 2)
        assert same_bits(codes[i : i + 1], alone)
    assert same_bits(estimator.reconstruct(holes), estimator.inverse_transform(codes))


def test_the_posterior_is_that_of_the_observed_entries(signals, holes, taker):
    estimator = learner(taker).fit(signals)
    codes, std, probability = estimator.transform(holes, return_std=True, return_probability=True)
    whole = ~np.isnan(holes).any(axis=1)
    assert 0 < whole.sum() < len(holes)
    for found, without_holes in zip(
        (codes, std, probability), estimator.transform(signals, return_std=True, return_probability=True), strict=True
    ):
        assert np.isfinite(found).all()
        assert same_bits(found[whole], without_holes[whole])
        assert not np.array_equal(found[~whole], without_holes[~whole])


@pytest.mark.parametrize("algorithm", ["omp", "ormp", "lasso_cd", "threshold"])
def test_every_sparse_coder_uses_observed_entries(holes, algorithm):
    estimator = learner("bpfa", transform_algorithm=algorithm, transform_alpha=0.05).fit(holes)
    nothing = np.vstack([holes, np.full((1, 5), np.nan)])
    codes = estimator.transform(nothing)
    assert np.isfinite(codes).all()
    assert (codes[-1] == 0).all()
    assert same_bits(codes[:-1], estimator.transform(holes))


def test_signals_without_any_entry_are_refused_or_ignored(holes, taker):
    rows = np.insert(holes, [3, 70], np.nan, axis=0)
    empty = np.isnan(rows).all(axis=1)
    assert empty.sum() == 2
    with pytest.raises(ValueError, match=r"every entry of row 3 .* is missing .*\(empty_signals='ignore'\)"):
        learner(taker, empty_signals="refuse").fit(rows)
    estimator = learner(taker, empty_signals="ignore", keep_codes=True, keep_reconstruction=True)
    with pytest.warns(UserWarning, match=f"2 of {len(rows)} signals have no observed entry and are ignored"):
        estimator.fit(rows)
    assert estimator.codes_.shape[0] == len(rows)
    for found in (estimator.codes_, estimator.codes_std_, estimator.reconstruction_):
        assert not found[empty].any()
        assert found[~empty].any()
    codes, std = estimator.transform(rows, return_std=True)
    assert not codes[empty].any()
    assert not std[empty].any()
    assert codes[~empty].any()
    with pytest.raises(ValueError, match="every entry of row 3"):
        estimator.set_params(empty_signals="refuse").transform(rows)


def test_ignored_signals_do_not_change_the_codes_of_others(holes):
    model = learner("gibbs").fit(holes).model_
    rows = np.vstack([holes, np.full((1, 5), np.nan)])
    with pytest.raises(ValueError, match=f"every entry of row {len(holes)}"):
        sbdl.sparse_encode(rows, model, algorithm="posterior")
    codes = sbdl.sparse_encode(rows, model, algorithm="posterior", empty_signals="ignore")
    assert not codes[-1].any()
    assert same_bits(codes[:-1], sbdl.sparse_encode(holes, model, algorithm="posterior"))
    with pytest.raises(ValueError, match="'empty_signals' parameter must be"):
        sbdl.sparse_encode(rows, model, algorithm="posterior", empty_signals="drop")


def test_max_error_scales_with_the_observed_entries(signals):
    estimator = learner("bpfa", transform_algorithm="omp", transform_max_error=0.4).fit(signals)
    half = signals.copy()
    half[:, :2] = np.nan
    codes = estimator.transform(half)
    left = np.linalg.norm((half - codes @ estimator.components_)[:, 2:], axis=1)
    assert left.max() <= 0.4 * np.sqrt(3 / 5) + 1e-12


def test_other_methods_reject_them(method, holes, signals):
    if METHODS[method].missing:
        assert method in TAKERS
        return
    with pytest.raises(
        ValueError, match=r"contains NaN.\nDictionaryLearning does not accept .*'gibbs' or method='vb' or method='bpfa'"
    ):
        learner(method).fit(holes)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        learner(method).fit(signals).transform(holes)
    with pytest.raises(
        ValueError, match=r"masked array with .* masked values.*method='gibbs' or method='vb' or method='bpfa'"
    ):
        learner(method).fit(np.ma.masked_invalid(holes))
    with pytest.raises(
        ValueError, match=r"'keep_reconstruction' does not apply to method .*, only to gibbs, vb and bpfa"
    ):
        learner(method, keep_reconstruction=True).fit(signals)


def test_what_is_rejected(holes, taker):
    with pytest.raises(ValueError, match="every entry of every signal is missing"):
        learner(taker).fit(np.full((4, 5), np.nan))
    infinite = holes.copy()
    infinite[0, 0] = np.inf
    with pytest.raises(ValueError, match="contains infinity"):
        learner(taker).fit(infinite)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        learner(taker).fit(holes).inverse_transform(np.full((1, 6), np.nan))


def test_signals_without_any_entry(holes):
    nothing = np.vstack([holes, np.full((1, 5), np.nan)])
    with pytest.raises(ValueError, match="every entry of row 120"):
        learner("gibbs").fit(nothing)
    with pytest.raises(ValueError, match="every entry of row 120"):
        learner("gibbs").fit(holes).transform(nothing)


def test_synthetic_signals_with_gaps():
    whole, gappy = (sbdl.synthetic(400, 10, 12, missing=missing, random_state=5) for missing in (0.0, 0.4))
    gaps = np.isnan(gappy.signals)
    assert 0.36 < gaps.mean() < 0.44
    assert same_bits(gappy.signals[~gaps], whole.signals[~gaps])
    assert same_bits(gappy.codes, whole.codes)
    assert not gaps.all(axis=1).any()
    with pytest.raises(ValueError, match="missing is 1, must be at least 0 and below 1"):
        sbdl.synthetic(missing=1.0)


def test_a_reconstruction_is_that_of_its_fit(holes, taker):
    estimator = learner(taker, keep_reconstruction=True).fit(holes)
    assert estimator.reconstruction_.shape == holes.shape
    assert same_bits(pickle.loads(pickle.dumps(estimator)).reconstruction_, estimator.reconstruction_)
    assert not hasattr(estimator.set_params(keep_reconstruction=False).fit(holes), "reconstruction_")


def test_tags(method):
    pytest.importorskip("sklearn", minversion="1.6")
    from sklearn.utils import get_tags

    assert get_tags(learner(method)).input_tags.allow_nan == (method in TAKERS)
