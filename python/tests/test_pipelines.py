"""Use together with other estimators of scikit-learn."""

import pytest
from conftest import learner, same_bits

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def test_clone(signals):
    fitted = learner(burn_in=4).fit(signals)
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params()
    assert not hasattr(fresh, "components_")
    assert same_bits(fresh.fit(signals).components_, fitted.components_)


def test_pipeline(signals):
    pipeline = make_pipeline(StandardScaler(), learner("vb"))
    assert pipeline.fit_transform(signals).shape == (120, 6)
    assert list(pipeline.get_feature_names_out())[:2] == ["dictionarylearning0", "dictionarylearning1"]


def test_grid_search(signals):
    grid = {"n_components": [2, 6], "update": ["exact", "approximate"]}
    search = GridSearchCV(learner("ksvd", max_iter=4), grid, cv=2).fit(signals)
    assert search.best_params_["n_components"] == 6
    assert search.best_estimator_.components_.shape == (6, 5)


def test_grid_search_in_processes(signals):
    search = GridSearchCV(learner("vb", max_iter=4, start_sweeps=4), {"n_components": [2, 3]}, cv=2, n_jobs=2)
    assert search.fit(signals).best_params_["n_components"] == 3


def test_data_frames_out(signals):
    pandas = pytest.importorskip("pandas")
    estimator = learner("vb").set_output(transform="pandas")
    codes = estimator.fit_transform(signals)
    again = estimator.transform(signals)
    with_std, std = estimator.transform(signals, return_std=True)
    for found in (codes, again, with_std):
        assert isinstance(found, pandas.DataFrame)
        assert found.columns[0] == "dictionarylearning0"
        assert same_bits(found.to_numpy(), codes.to_numpy())
    assert std.shape == codes.shape


def test_metadata_routing(signals):
    with sklearn.config_context(enable_metadata_routing=True):
        step = learner("vb").set_transform_request(return_std=True)
        pipeline = make_pipeline(step).fit(signals)
        codes, std = pipeline.transform(signals, return_std=True)
    assert codes.shape == std.shape == (120, 6)
