"""Codes that can be exactly zero: how likely they are not, and codes that are zero where zero is more likely."""

import pickle

import numpy as np
import pytest
from conftest import learner, same_bits

import sbdl
from sbdl._base import HAVE_SKLEARN

ON_OFF = ["gibbs", "vb"]


@pytest.mark.parametrize("method", [*ON_OFF, "bpfa"])
def test_transform_returns_what_was_asked_for_in_order(signals, method):
    estimator = learner(method).fit(signals)
    codes, std, probability = estimator.transform(signals, return_std=True, return_probability=True)
    assert codes.shape == std.shape == probability.shape == (120, 6)
    assert probability.min() >= 0.0
    assert probability.max() <= 1.0
    assert np.all(codes[probability == 0.0] == 0.0)
    assert np.all(codes[probability > 0.0] != 0.0)
    assert same_bits(estimator.transform(signals), codes)
    for asked, wanted in [("return_std", std), ("return_probability", probability)]:
        first, second = estimator.transform(signals, **{asked: True})
        assert same_bits(first, codes)
        assert same_bits(second, wanted)


@pytest.mark.parametrize("method", [*ON_OFF, "bpfa"])
def test_sparse_codes_are_zero_where_zero_is_more_likely(signals, method):
    estimator = learner(method, transform_algorithm="posterior").fit(signals)
    codes, std, probability = estimator.transform(signals, return_std=True, return_probability=True)
    estimator.set_params(transform_sparse=True)
    sparse, sparse_std, same = estimator.transform(signals, return_std=True, return_probability=True)
    assert same_bits(same, probability)
    used = probability >= 0.5
    assert 0 < used.sum() < used.size
    assert np.array_equal(sparse != 0.0, used)
    assert same_bits(sparse, np.where(used, codes, 0.0))
    assert same_bits(sparse_std, np.where(used, std, 0.0))
    assert same_bits(estimator.transform(signals), sparse)


def test_sparse_codes_have_as_many_atoms_as_the_truth():
    data = sbdl.synthetic(n_samples=800, n_features=10, n_components=15, n_nonzero_coefs=2, random_state=2)
    estimator = sbdl.DictionaryLearning(15, method="vb", transform_sparse=True, random_state=0).fit(data.signals)
    codes = estimator.transform(data.signals)
    assert np.mean(np.count_nonzero(codes, axis=1)) == pytest.approx(2.0, abs=0.5)
    assert np.mean((estimator.inverse_transform(codes) - data.signals) ** 2) < 2 * data.noise_sd**2


@pytest.mark.parametrize("method", [*ON_OFF, "bpfa"])
def test_probabilities_of_training_codes_are_kept_on_request(signals, method, tmp_path):
    estimator = learner(method, keep_codes=True).fit(signals)
    probability = estimator.codes_probability_
    assert probability.shape == (120, 6)
    assert probability.min() >= 0.0
    assert probability.max() <= 1.0
    assert probability.max() > 0.5
    assert np.all(estimator.codes_[probability == 0.0] == 0.0)
    estimator.model_.save(tmp_path / "model.h5")
    assert same_bits(sbdl.load_model(tmp_path / "model.h5").codes_probability, probability)
    assert same_bits(pickle.loads(pickle.dumps(estimator)).codes_probability_, probability)
    assert learner(method).fit(signals).codes_probability_ is None


@pytest.mark.parametrize("method", ON_OFF)
def test_models_without_on_off_codes(signals, method):
    estimator = learner(method, prior="student-t", keep_codes=True).fit(signals)
    assert estimator.components_probability_ is None
    assert estimator.codes_probability_ is None
    match = f"codes need a model with on/off codes; this one, of method {method}, has none"
    with pytest.raises(ValueError, match=f"probabilities of {match}"):
        estimator.transform(signals, return_probability=True)
    estimator.set_params(transform_sparse=True)
    with pytest.raises(ValueError, match=f"sparse {match}"):
        estimator.transform(signals)


def test_other_algorithms_have_no_probabilities(signals):
    estimator = learner(transform_algorithm="omp").fit(signals)
    with pytest.raises(ValueError, match="transform_algorithm 'omp' has no probabilities; use 'posterior'"):
        estimator.transform(signals, return_probability=True)
    assert learner("ksvd", keep_codes=True).fit(signals).codes_probability_ is None


@pytest.mark.parametrize("bad", [1, "yes", None])
def test_transform_sparse_is_true_or_false(signals, bad):
    estimator = learner(transform_sparse=bad).fit(signals)
    with pytest.raises(ValueError, match=f"'transform_sparse' parameter .* instance of 'bool'. Got {bad!r} instead"):
        estimator.transform(signals)


def test_parameters_are_scikit_learns():
    estimator = learner(transform_sparse=True)
    params = estimator.get_params()
    assert params["transform_sparse"] is True
    assert params["transform_burn_in"] == 200
    assert params["transform_draws"] == 300
    assert sbdl.DictionaryLearning().get_params()["transform_sparse"] is False
    if HAVE_SKLEARN:
        from sklearn.base import clone

        assert clone(estimator).get_params() == params
