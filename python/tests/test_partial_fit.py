"""Learning from chunks: one pass over each, with the same result as from all of them together."""

import pickle
import warnings

import numpy as np
import pytest
from conftest import learner, same_bits

import sbdl
from sbdl._options import METHODS

STREAMING = [name for name, method in METHODS.items() if method.streaming]
streaming = pytest.mark.parametrize("streaming", STREAMING)

pytestmark = pytest.mark.filterwarnings("ignore:the stream began with")  # of svb: these sets are small


@streaming
def test_only_streaming_methods_have_it(signals, streaming):
    assert not hasattr(learner("gibbs"), "partial_fit")
    assert not hasattr(sbdl.DictionaryLearning(method="magic"), "partial_fit")
    estimator = learner(streaming)
    estimator.partial_fit(signals[:60])
    first = estimator.components_.copy()
    estimator.partial_fit(signals[60:])
    assert not same_bits(first, estimator.components_)
    with pytest.raises(ValueError, match="expecting 5 features"):
        estimator.partial_fit(signals[:, :3])


@streaming
def test_another_number_of_atoms_is_refused(signals, streaming):
    estimator = learner(streaming, n_components=12).partial_fit(signals)
    estimator.set_params(n_components=7)
    with pytest.raises(ValueError, match="n_components is 7, and partial_fit goes on with 12 atoms"):
        estimator.partial_fit(signals)
    assert estimator.fit(signals).components_.shape[0] == 7


@streaming
def test_a_call_is_one_pass(signals, streaming):
    reports = []
    estimator = learner(streaming, callback=reports.append).partial_fit(signals)
    assert estimator.n_iter_ == len(reports) == 1
    assert estimator.n_samples_seen_ == len(signals)
    assert estimator.partial_fit(signals[:50]).n_samples_seen_ == len(signals) + 50
    assert learner("gibbs").fit(signals).n_samples_seen_ == 0


@streaming
def test_the_first_call_is_a_pass_in_stored_order(signals, streaming):
    ours = learner(streaming, max_iter=1).partial_fit(signals)
    assert same_bits(ours.components_, learner(streaming, max_iter=1, order="stored").fit(signals).components_)


@streaming
def test_chunks_give_the_same_as_the_whole(streaming):
    data = sbdl.synthetic(n_samples=640, n_features=10, n_components=12, n_nonzero_coefs=2, random_state=5)
    forget = {"forget": 0.0} if streaming == "online" else {}
    estimator = learner(streaming, n_components=12, batch=32, **forget).partial_fit(data.signals[:320])
    whole = pickle.loads(pickle.dumps(estimator)).partial_fit(data.signals[320:])
    for begin in range(320, 640, 32):
        # The state that it needs to continue is kept by pickle, and by a model file.
        estimator = pickle.loads(pickle.dumps(estimator)).partial_fit(data.signals[begin : begin + 32])
    np.testing.assert_allclose(estimator.components_, whole.components_, atol=1e-9)
    assert estimator.n_samples_seen_ == whole.n_samples_seen_ == 640


@streaming
def test_it_continues_from_a_model_file(signals, streaming, tmp_path):
    estimator = learner(streaming).partial_fit(signals)
    estimator.model_.save(tmp_path / "model.h5")
    copy = learner(streaming).partial_fit(signals)
    copy.model_ = sbdl.load_model(tmp_path / "model.h5")
    assert same_bits(copy.partial_fit(signals).components_, estimator.partial_fit(signals).components_)


@pytest.mark.parametrize("planned", [name for name in STREAMING if "stream_signals" in METHODS[name].options])
def test_small_chunks_find_the_dictionary(planned):
    # With a plan for each chunk alone, they found two thirds of these atoms.
    data = sbdl.synthetic(n_samples=1000, n_features=10, n_components=15, n_nonzero_coefs=2, random_state=6)
    estimator = learner(planned, n_components=15, stream_signals=40_000)
    for _ in range(40):
        for chunk in np.array_split(data.signals, 10):
            estimator.partial_fit(chunk)
    assert sbdl.match_atoms(data.dictionary, estimator.components_).assigned_rate >= 0.9


def test_svb_warns_of_a_first_call_of_few_signals(signals):
    estimator = learner("svb", start_signals=121).partial_fit(signals)  # perhaps the only call
    with pytest.warns(UserWarning, match=r"began with 120 signals.* at least 121 \(start_signals is 121"):
        estimator.partial_fit(signals)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator.partial_fit(signals)
        learner("svb", start_signals=120).partial_fit(signals).partial_fit(signals)
