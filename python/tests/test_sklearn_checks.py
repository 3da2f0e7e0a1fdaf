"""scikit-learn's own checks of an estimator, for every method."""

import pytest
from conftest import told

pytest.importorskip("sklearn", minversion="1.6")
from sklearn.utils.estimator_checks import parametrize_with_checks

import sbdl

ESTIMATORS = [sbdl.DictionaryLearning(method=method, **told(method, 1)) for method in sbdl.methods()]
# `gibbs` codes with averages of draws and says so (non_deterministic), which leaves out the checks that want the same
# code for a signal wherever it stands among others; with a pursuit it takes them all.
ESTIMATORS.append(sbdl.DictionaryLearning(method="gibbs", transform_algorithm="omp"))


@parametrize_with_checks(ESTIMATORS)
def test_sklearn_check(estimator, check):
    check(estimator)
