"""DictionaryLearning beyond scikit-learn's own checks."""

import io
import pickle
from contextlib import nullcontext

import numpy as np
import pytest
from conftest import SWEEPS, learner, same_bits

import sbdl
from sbdl._options import METHODS


def test_attributes(signals, method):
    estimator = learner(method, keep_codes=True).fit(signals)
    assert estimator.components_.shape == (6, 5)
    np.testing.assert_allclose(np.linalg.norm(estimator.components_, axis=1), 1.0)
    assert estimator.noise_variance_ == estimator.noise_sd_**2
    assert estimator.n_components_ == 6
    assert estimator.components_usage_.shape == (6,)
    assert estimator.n_iter_ == len(estimator.trace_["sweep"])
    assert estimator.codes_.shape == (120, 6)
    assert estimator.seed_ == 3
    if method in ("gibbs", "vb", "svb", "bpfa"):
        assert estimator.components_probability_.shape == (6,)
        narrow = pytest.warns(sbdl.NarrowPosteriorWarning, match="do not rely on them")
        with narrow if method == "svb" else nullcontext():
            assert estimator.components_std_.shape == (6, 5)
        assert estimator.noise_sd_std_ > 0
        with pytest.warns(sbdl.NarrowPosteriorWarning, match="return_std=True") if method == "svb" else nullcontext():
            assert estimator.codes_std_.shape == (120, 6)
        assert estimator.codes_probability_.shape == (120, 6)
    else:
        assert estimator.components_probability_ is None
        assert estimator.codes_probability_ is None
        assert estimator.components_std_ is None
        assert estimator.noise_sd_std_ is None


def test_it_finds_the_truth():
    data = sbdl.synthetic(n_samples=800, n_features=10, n_components=15, n_nonzero_coefs=2, random_state=2)
    estimator = sbdl.DictionaryLearning(15, method="vb", random_state=0).fit(data.signals)
    assert sbdl.match_atoms(data.dictionary, estimator.components_).assigned_rate >= 0.9
    assert estimator.noise_sd_ == pytest.approx(data.noise_sd, rel=0.1)
    codes = estimator.transform(data.signals)
    assert estimator.score(data.signals) > 0.97
    assert np.mean((estimator.inverse_transform(codes) - data.signals) ** 2) < 2 * data.noise_sd**2


def test_fit_transform_is_fit_then_transform(signals, method):
    both = learner(method).fit_transform(signals)
    assert same_bits(both, learner(method).fit(signals).transform(signals))


def test_as_many_atoms_as_features_by_default(signals):
    assert learner("vb", n_components=None).fit(signals).components_.shape == (5, 5)


def test_signals_are_not_copied(signals):
    # The core gets the same memory: of a read-only array, and of a view of part of a larger one.
    whole = np.vstack([signals, signals])
    assert same_bits(learner().fit(whole[:120]).components_, learner().fit(signals).components_)
    from sbdl._validation import as_rows

    assert as_rows(signals, owner="test") is signals
    assert np.shares_memory(as_rows(whole[:120], owner="test"), whole)


@pytest.mark.parametrize("change", [np.asfortranarray, lambda x: np.repeat(x, 2, axis=1)[:, ::2], lambda x: x.tolist()])
def test_other_layouts_give_the_same_bits(signals, change):
    assert same_bits(learner().fit(change(signals)).components_, learner().fit(signals).components_)


def test_float32_converts_once(signals):
    single = signals.astype(np.float32)
    assert same_bits(learner().fit(single).components_, learner().fit(single.astype(np.float64)).components_)


def test_the_number_of_threads_does_not_matter(signals, method):
    first = learner(method, n_jobs=1).fit(signals)
    assert same_bits(first.components_, learner(method, n_jobs=3).fit(signals).components_)


class TestRandomState:
    def test_an_int_repeats(self, signals):
        assert same_bits(learner().fit(signals).components_, learner().fit(signals).components_)
        assert not same_bits(learner().fit(signals).components_, learner(random_state=4).fit(signals).components_)

    @pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
    def test_a_generator_continues(self, signals, make):
        generator = make(0)
        first, second = (learner(random_state=generator).fit(signals).seed_ for _ in range(2))
        assert first != second
        assert learner(random_state=make(0)).fit(signals).seed_ == first

    def test_none_follows_numpy(self, signals):
        np.random.seed(1)
        first, second = (learner(random_state=None).fit(signals).seed_ for _ in range(2))
        assert first != second
        np.random.seed(1)
        assert learner(random_state=None).fit(signals).seed_ == first

    @pytest.mark.parametrize("bad", [-1, 2**64, "seed", 0.5])
    def test_rejected(self, signals, bad):
        with pytest.raises(ValueError, match=r"random_state|cannot be used to seed"):
            learner(random_state=bad).fit(signals)


def test_callback_gets_every_sweep_and_may_stop(signals):
    reports = []
    learner(callback=reports.append).fit(signals)
    assert [report.sweep for report in reports] == list(range(1, SWEEPS + 1))
    assert reports[0].sweeps_planned == SWEEPS
    assert not reports[0].kept
    assert reports[-1].kept
    assert "sweep=1" in repr(reports[0])
    stopped = learner(callback=lambda report: report.sweep == 12).fit(signals)
    assert stopped.n_iter_ == 12
    assert stopped.stop_reason_ == "interrupted"


def test_exceptions_of_the_callback_become_a_warning(signals):
    seen = []

    def callback(report):
        seen.append(report.sweep)
        if report.sweep == 3:
            raise KeyError("mine")

    with pytest.warns(UserWarning, match=r"callback raised KeyError\('mine'\) after sweep 3 and was not called again"):
        estimator = learner(callback=callback).fit(signals)
    assert seen == [1, 2, 3]
    assert estimator.n_iter_ == SWEEPS
    assert np.array_equal(estimator.components_, learner().fit(signals).components_)

    def leave(report):
        raise SystemExit(7)

    with pytest.raises(SystemExit, match="7"):
        learner(callback=leave).fit(signals)


def test_time_limit(signals):
    assert learner(time_limit=1e-9).fit(signals).stop_reason_ == "time_limit"


def test_verbose_shows_a_bar(signals, capsys):
    learner(verbose=1).fit(signals)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"{SWEEPS}/{SWEEPS}" in printed.err
    assert "noise" in printed.err
    learner().fit(signals)
    assert capsys.readouterr().err == ""


def test_a_bar_is_redrawn_on_a_terminal():
    from sbdl._progress import ProgressBar

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    with ProgressBar("work", terminal) as bar:
        for share in (0.25, 0.5, 1.0):
            bar.show(share, "work", "", "")
    assert terminal.getvalue().count("\n") == 1
    assert terminal.getvalue().startswith("\r")
    assert "100%" in terminal.getvalue().split("\r")[-1]


def test_a_bar_goes_on_after_the_plan_grew():
    from sbdl._progress import ProgressBar

    stream = io.StringIO()
    with ProgressBar("work", stream) as bar:
        for step in range(1, 401):
            share = step / (100 if step < 100 else 400)
            bar.show(share, "work", "", "")
    shown = [int(line.split("%")[0].split()[-1]) for line in stream.getvalue().splitlines()]
    assert shown[-1] == 100
    assert shown.count(100) == 1
    assert len(shown) > 30


def test_warm_start_continues(signals):
    estimator = learner("ksvd", warm_start=True, max_iter=2).fit(signals)
    first = estimator.components_.copy()
    again = learner("ksvd", max_iter=2).fit(signals)
    estimator.fit(signals)
    assert not same_bits(estimator.components_, first)
    assert same_bits(again.components_, first)


def test_pickle_keeps_everything(signals, method):
    estimator = learner(method, keep_codes=True).fit(signals)
    copy = pickle.loads(pickle.dumps(estimator))
    assert same_bits(copy.transform(signals), estimator.transform(signals))
    before, after = estimator.model_.__getstate__(), copy.model_.__getstate__()
    np.testing.assert_equal(after, before)


def test_model_files(signals, method, tmp_path):
    model = learner(method).fit(signals).model_
    model.save(tmp_path / "model.h5")
    np.testing.assert_equal(sbdl.load_model(str(tmp_path / "model.h5")).__getstate__(), model.__getstate__())
    assert method in repr(model)


def test_report(signals, tmp_path):
    learner().fit(signals).report(tmp_path / "report.html")
    assert "</html>" in (tmp_path / "report.html").read_text()


def test_arrays_outlive_the_estimator(signals):
    components = learner().fit(signals).components_
    assert np.isfinite(components).all()
    with pytest.raises(ValueError, match="read-only"):
        components[0, 0] = 1.0


def test_options_come_from_the_core():
    assert sbdl.DictionaryLearning().get_params()["burn_in"] is None
    for method in METHODS.values():
        assert "n_components" in method.options
    assert "burn_in : int, default=None" in sbdl.DictionaryLearning.__doc__
    assert "{options}" not in sbdl.DictionaryLearning.__doc__


def test_alpha_is_that_of_training(signals):
    trained = learner("online", sparsity=None, alpha=0.2, transform_algorithm="lasso_cd").fit(signals)
    assert same_bits(
        trained.transform(signals),
        sbdl.sparse_encode(signals, trained.components_, algorithm="lasso_cd", alpha=0.2),
    )
    other = learner("ksvd", transform_algorithm="threshold").fit(signals)
    np.testing.assert_allclose(
        other.transform(signals), sbdl.sparse_encode(signals, other.components_, algorithm="threshold", alpha=1.0)
    )
