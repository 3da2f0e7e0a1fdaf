"""Plots return axes and show what they should."""

import numpy as np
import pytest
from conftest import learner

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt

import sbdl


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_atoms(signals):
    ax = sbdl.plots.atoms(np.eye(16))
    assert ax.images[0].get_array().shape == (4 * 5 - 1, 4 * 5 - 1)
    estimator = learner().fit(signals)
    sbdl.plots.atoms(estimator, shape=(1, 5), limit=4, ax=ax)
    assert ax.get_title() == "4 of 6 atoms"
    for of, shape, match in [(np.eye(5), None, "not a square"), (estimator, (2, 2), "have 4")]:
        with pytest.raises(ValueError, match=match):
            sbdl.plots.atoms(of, shape=shape)


def test_atoms_that_are_not_patches_are_curves():
    for length in (12, 16):  # a square and no square
        data = sbdl.synthetic(60, length, 6, n_nonzero_coefs=2)
        ax = sbdl.plots.atoms(learner("ksvd").fit(data.signals), limit=4)
        assert [len(line.get_xdata()) for line in ax.lines] == [length] * 4
        assert not ax.images
        assert ax.get_title() == "4 of 6 atoms"


def test_trace(signals):
    ax = sbdl.plots.trace(learner(chains=2).fit(signals))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["chain 1", "chain 2"]
    assert sbdl.plots.trace(learner().fit(signals).model_, what="objective").get_ylabel() == "objective"
    with pytest.raises(ValueError, match="what is 'colour'"):
        sbdl.plots.trace(learner().fit(signals), what="colour")
    with pytest.raises(ValueError, match="needs a fitted estimator"):
        sbdl.plots.trace(np.eye(3))


def test_before_after():
    image = sbdl.make_image(16, 16)
    assert [ax.get_title() for ax in sbdl.plots.before_after(image, image, image)] == ["before", "after", "truth"]
    colour = sbdl.make_image(16, 16, colour=True)
    assert len(sbdl.plots.before_after(colour, colour)) == 2


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_alpha_is_not_drawn(channels):
    image = np.zeros((8, 8, channels))
    image[:4, :, 0] = 1.0
    for ax in sbdl.plots.before_after(image, image):
        assert ax.images[0].get_array().shape == ((8, 8, 3) if channels > 2 else (8, 8))
