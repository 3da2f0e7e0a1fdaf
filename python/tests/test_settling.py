"""Whether a run settled, whose estimate it is, and what a run stopped early leaves out."""

import math
import pickle
import warnings

import pytest
from conftest import learner

import sbdl
from sbdl._base import HAVE_SKLEARN

SHORT = {"max_iter": None, "burn_in": 10, "draws": 6}  # six draws cannot be worth a hundred


def test_a_short_run_warns_and_says_what_to_do(signals):
    with pytest.warns(sbdl.ConvergenceWarning, match="^not settled: ") as caught:
        estimator = learner(**SHORT).fit(signals)
    (warning,) = caught
    message = str(warning.message)
    assert warning.filename == __file__
    assert message.startswith(f"not settled: {estimator.model_.settled_reason}.")
    assert "Check whether several chains agree: `chains=4`." in message
    assert "Keep more sweeps: `draws=200` (was 6)." in message
    assert estimator.settled_ is False
    assert "the effective sample size is" in estimator.model_.settled_reason


def test_warnings_of_fit_transform_are_about_the_line_that_called_it(signals):
    with pytest.warns(sbdl.ConvergenceWarning) as caught:
        learner(**SHORT).fit_transform(signals)
    assert caught[0].filename == __file__


def test_code_without_a_module_gets_the_warning(signals):
    with pytest.warns(sbdl.ConvergenceWarning):
        exec("estimator.fit(signals)", {"estimator": learner(**SHORT), "signals": signals})


def test_the_warning_is_scikit_learns_where_it_is_installed():
    assert issubclass(sbdl.ConvergenceWarning, UserWarning)
    if HAVE_SKLEARN:
        from sklearn.exceptions import ConvergenceWarning

        assert sbdl.ConvergenceWarning is ConvergenceWarning


def test_options_have_their_names_in_python(signals):
    with pytest.warns(sbdl.ConvergenceWarning, match=r"`max_iter=8` \(was 4\), or .* larger `tolerance`"):
        learner("vb", max_iter=4, start_sweeps=5, tolerance=0.0).fit(signals)
    with pytest.warns(
        sbdl.ConvergenceWarning,
        match="Raise `time_limit`, resume its checkpoint.* with `resume`, or begin a new run .* with `warm_start`",
    ):
        learner(time_limit=1e-9).fit(signals)


def test_of_a_chain_that_drifts_the_advice_is_another_prior(signals):
    sweeps = {"max_iter": None, "burn_in": 4, "draws": 200}
    with pytest.warns(sbdl.ConvergenceWarning, match='more sweeps do not help: use `prior="on-off"`[.]$'):
        estimator = learner(prior="student-t", **sweeps).fit(signals)
    (advice,) = estimator.model_.settling_advice
    assert advice.endswith("use `--prior on-off`.")
    with pytest.warns(sbdl.ConvergenceWarning, match='more sweeps do not help: leave out `preset="paper"`[.]$'):
        learner(preset="paper", **sweeps).fit(signals)


def test_too_few_draws_are_not_judged(signals):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator = learner(max_iter=None, burn_in=10, draws=3).fit(signals)
    assert estimator.settled_ is None
    assert estimator.noise_sd_std_ > 0
    single = learner(max_iter=None, burn_in=10, draws=1).fit(signals)
    assert single.components_std_ is None
    assert single.noise_sd_std_ is None


def test_methods_without_a_posterior_do_not_warn(signals):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator = learner("ksvd", max_iter=5).fit(signals)
    assert estimator.settled_ in (True, False)
    assert math.isnan(estimator.model_.noise_sd_std)


@pytest.mark.parametrize(("method", "where"), [("gibbs", "burn-in"), ("bpfa", "burn-in"), ("vb", "the Gibbs start")])
def test_stopped_before_there_was_a_posterior(signals, method, where):
    reason = f"stopped in {where}: no posterior, no standard deviations"
    with pytest.warns(sbdl.ConvergenceWarning, match=f"not settled: {reason}"):
        estimator = learner(method, keep_codes=True, callback=lambda report: report.sweep == 3).fit(signals)
    assert estimator.settled_ is False
    assert estimator.model_.settled_reason == reason
    assert estimator.components_.shape == (6, 5)
    assert estimator.noise_sd_ > 0
    assert estimator.components_std_ is None
    assert estimator.noise_sd_std_ is None
    assert estimator.codes_std_ is None
    assert estimator.transform(signals).shape == (120, 6)


def test_several_chains_say_whose_estimate_it_is(signals, tmp_path):
    estimator = learner(chains=3, max_iter=40).fit(signals)
    assert " of 3" in estimator.estimate_ or "all 3" in estimator.estimate_
    assert 1 <= estimator.diagnostics_["pooled_chains"] <= 3
    for what in ("noise", "objective", "atoms", "codes"):
        for number in ("rhat", "ess", "ess_tail"):
            assert estimator.diagnostics_[f"{what}_{number}"] > 0
    estimator.model_.save(tmp_path / "model.h5")
    for again in (sbdl.load_model(tmp_path / "model.h5"), pickle.loads(pickle.dumps(estimator.model_))):
        assert again.estimate == estimator.estimate_
        assert again.diagnostics == estimator.diagnostics_
        assert again.settled is estimator.settled_
    assert learner().fit(signals).estimate_ == ""
