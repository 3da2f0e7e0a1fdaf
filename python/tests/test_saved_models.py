"""Estimators made from models and files, and codes with a model."""

import numpy as np
import pytest
from conftest import learner, same_bits

import sbdl


@pytest.mark.parametrize(
    ("method", "options"),
    [("gibbs", {"burn_in": 4}), ("vb", {}), ("ksvd", {}), ("online", {"alpha": 0.5, "batch": 40})],
)
def test_a_saved_estimator_comes_back(signals, tmp_path, method, options):
    if method == "online":
        fitted = sbdl.DictionaryLearning(6, method=method, max_iter=3, random_state=1, **options).fit(signals)
    else:
        fitted = learner(method, **options).fit(signals)
    fitted.save(tmp_path / "model.h5")
    again = sbdl.DictionaryLearning.from_model(tmp_path / "model.h5")
    assert same_bits(again.transform(signals), fitted.transform(signals))
    assert again.n_features_in_ == 5
    assert again.noise_sd_ == fitted.noise_sd_
    for name, value in options.items():
        assert getattr(again, name) == value
    assert same_bits(again.fit(signals).components_, fitted.components_)  # the options are those of the run


def test_from_a_model_in_memory_with_other_parameters(signals):
    fitted = learner("vb").fit(signals)
    again = sbdl.DictionaryLearning.from_model(fitted.model_, transform_algorithm="omp", transform_n_nonzero_coefs=1)
    assert ((again.transform(signals) != 0).sum(axis=1) <= 1).all()


def test_a_file_of_the_paper_preset(signals, tmp_path):
    fitted = sbdl.DictionaryLearning(6, preset="paper", random_state=1).fit(signals)
    again = sbdl.DictionaryLearning.from_model(fitted.model_)
    assert again.preset == "paper"
    assert same_bits(again.fit(signals).components_, fitted.components_)


def test_what_cannot_be_loaded(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.h5: cannot be read: No such file or directory$"):
        sbdl.DictionaryLearning.from_model(tmp_path / "none.h5")
    with pytest.raises(TypeError, match="did you mean 'transform_algorithm'"):
        sbdl.DictionaryLearning(transform_algoritm="omp")
    with pytest.raises(ValueError, match="not fitted"):
        sbdl.DictionaryLearning().save(tmp_path / "model.h5")


def test_a_model_names_the_estimator(signals):
    model = learner("vb").fit(signals).model_
    with pytest.raises(AttributeError, match=r"no attribute 'transform'; DictionaryLearning\.from_model\(model\)"):
        model.transform(signals)
    with pytest.raises(AttributeError, match=r"no attribute 'nothing'$"):
        _ = model.nothing
    assert not hasattr(model, "__array__")


def test_posterior_of_codes_with_a_model(signals):
    fitted = learner("vb").fit(signals)
    codes, std, probability = sbdl.sparse_encode(
        signals,
        fitted.model_,
        algorithm="posterior",
        return_std=True,
        return_probability=True,
        random_state=fitted.seed_,
    )
    assert same_bits(codes, fitted.transform(signals))
    assert (std >= 0).all()
    assert ((probability >= 0) & (probability <= 1)).all()
    assert same_bits(
        sbdl.sparse_encode(signals, fitted.model_, n_nonzero_coefs=2),
        sbdl.sparse_encode(signals, fitted.components_, n_nonzero_coefs=2),
    )


def test_posterior_needs_a_model(signals):
    fitted = learner("vb").fit(signals)
    with pytest.raises(ValueError, match="needs a Model instead of a dictionary"):
        sbdl.sparse_encode(signals, fitted.components_, algorithm="posterior")
    with pytest.raises(ValueError, match="use 'posterior'"):
        sbdl.sparse_encode(signals, fitted.components_, return_std=True)
    with pytest.raises(ValueError, match="'posterior'"):
        sbdl.sparse_encode(signals, fitted.components_, algorithm="bayes")


# The program's names and ours, as docs/python.md has them.
TABLE_OF_NAMES = [
    ("atoms", "n_components"),
    ("sweeps", "max_iter"),
    ("lambda", "alpha"),
    ("seed", "random_state"),
    ("threads", "n_jobs"),
]


@pytest.mark.parametrize(
    ("name", "here"),
    [
        *TABLE_OF_NAMES,
        ("batch_size", "batch"),
        ("fit_algorithm", "method"),
        ("n_atoms", "n_components"),
        ("n_dict_components", "n_components"),
        ("nonzeros", "transform_n_nonzero_coefs"),
    ],
)
def test_names_of_others_are_refused_with_the_name_to_use(name, here):
    with pytest.raises(TypeError, match=f"'{name}'; here it is called '{here}'"):
        sbdl.DictionaryLearning(**{name: 3})
    with pytest.raises(ValueError, match=f"'{name}' for estimator DictionaryLearning; here it is called '{here}'"):
        sbdl.DictionaryLearning().set_params(**{name: 3})


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("dict_init", "warm_start"),
        ("code_init", "warm_start"),
        ("split_sign", r"np\.maximum"),
        ("positive_code", "either sign"),
        ("positive_dict", "either sign"),
        ("max_no_improvement", "callback"),
    ],
)
def test_what_has_no_counterpart_is_refused_with_what_to_do(name, instead):
    with pytest.raises(TypeError, match=f"'{name}'; .*{instead}"):
        sbdl.DictionaryLearning(**{name: 3})
    with pytest.raises(ValueError, match=f"'{name}' .*; .*{instead}"):
        sbdl.DictionaryLearning().set_params(**{name: 3})


def test_a_whole_number_is_a_weight(signals):
    one = sbdl.DictionaryLearning(6, method="online", alpha=1, max_iter=2, random_state=0).fit(signals)
    same = sbdl.DictionaryLearning(6, method="online", alpha=1.0, max_iter=2, random_state=0).fit(signals)
    assert same_bits(one.components_, same.components_)


def test_messages_of_the_core_have_the_names_of_parameters(signals):
    with pytest.raises(ValueError, match=r"one of sparsity .* and alpha "):
        sbdl.DictionaryLearning(6, method="online").fit(signals)
    with pytest.raises(ValueError, match="max_iter is 8, but burn_in 3 and draws 3 make 6"):
        sbdl.DictionaryLearning(6, max_iter=8, burn_in=3, draws=3).fit(signals)


def test_atoms_in_use():
    data = sbdl.synthetic(400, 10, 12, n_nonzero_coefs=2, random_state=1)
    fitted = sbdl.DictionaryLearning(24, method="vb", random_state=0).fit(data.signals)
    used = fitted.components_in_use_
    assert used.dtype == bool
    assert used.shape == (24,)
    assert used.sum() == 12
    match = sbdl.match_atoms(data.dictionary, np.asarray(fitted.components_)[used])
    assert match.assigned_recovered == 12


def test_misspelt_words_are_answered_with_the_one_that_was_meant(signals):
    with pytest.raises(ValueError, match=r"Got 'gibs' instead; did you mean 'gibbs'\?$"):
        sbdl.DictionaryLearning(method="gibs").fit(signals)
    image = np.zeros((16, 16))
    for name, said in [
        ("sgima", r"; did you mean 'sigma'\?"),
        ("atoms", "; here it is called 'n_components'"),
        ("patch", "; here it is called 'patch_size'"),
        ("xyz", ""),
    ]:
        for function, of in [(sbdl.denoise, image), (sbdl.denoise_stack, image[None]), (sbdl.denoise_signal, image[0])]:
            if name == "patch" and function is sbdl.denoise_signal:
                continue  # it has windows
            with pytest.raises(TypeError, match=f"got an unexpected keyword argument '{name}'{said}$"):
                function(of, **{name: 25})
