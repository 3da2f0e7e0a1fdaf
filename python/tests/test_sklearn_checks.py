"""scikit-learn's own checks of an estimator, for every method."""

import pytest
from conftest import needed_options

pytest.importorskip("sklearn", minversion="1.6")
from sklearn.utils.estimator_checks import parametrize_with_checks

import sbdl

ESTIMATORS = [sbdl.DictionaryLearning(method=method, **needed_options(method, 1)) for method in sbdl.methods()]
ESTIMATORS.append(sbdl.DictionaryLearning(method="gibbs", transform_algorithm="omp"))
ESTIMATORS.append(sbdl.DictionaryLearning(method="ksvd", sparsity=1, transform_algorithm="lasso_cd"))

AVERAGES = (
    "its codes are averages of draws, which depend on the position of a signal among the others: at another position "
    "the same signal has the same code up to the error of the average"
)


def cannot_pass(estimator):
    """Return the checks that cannot apply, and why; docs/python.md lists them."""
    if estimator.method in ("gibbs", "vb", "svb", "bpfa") and estimator.transform_algorithm == "auto":
        return {"check_methods_subset_invariance": AVERAGES, "check_methods_sample_order_invariance": AVERAGES}
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=cannot_pass)
def test_sklearn_check(estimator, check):
    check(estimator)
