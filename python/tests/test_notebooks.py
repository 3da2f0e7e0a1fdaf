"""What notebooks show of estimators and results."""

import base64
import re
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest
from conftest import learner

import sbdl


class Elements(HTMLParser):
    """Counts elements and notes those that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.count, self.open = {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in ("img", "br", "input", "meta", "link", "polyline"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "polyline":
            assert self.open.pop() == tag


def test_a_fitted_estimator(signals):
    estimator = learner("vb")
    plain = estimator._repr_html_()
    text = estimator.fit(signals)._repr_html_()
    assert "in use" not in plain
    for part in ("vb, preset", "6 of length 5", "in use", "noise sd", "settled", "±"):
        assert part in text
    elements = Elements(text[text.index("<table><tr><th style") :].removesuffix("</div>"))
    assert elements.open == []
    assert elements.count["svg"] == 6


def test_the_atoms_of_a_stream_are_an_upper_bound(signals):
    text = sbdl.DictionaryLearning(6, method="svb", random_state=0).fit(signals)._repr_html_()
    assert "6 of length 5, at most " in text


def test_an_uncertainty_that_was_not_judged_says_so(signals):
    text = learner(max_iter=None, burn_in=10, draws=3).fit(signals)._repr_html_()
    assert "(uncertainty not verified)" in text


def test_the_bundle_of_a_notebook(signals):
    bundle = learner("vb").fit(signals)._repr_mimebundle_()
    assert bundle["text/plain"].startswith("DictionaryLearning(")
    assert "noise sd" in bundle["text/html"]


def test_scikit_learns_diagram(signals):
    utils = pytest.importorskip("sklearn.utils")
    pipeline = pytest.importorskip("sklearn.pipeline")
    for fitted in (learner("vb"), learner("vb").fit(signals), pipeline.make_pipeline(learner("vb"))):
        assert "DictionaryLearning" in utils.estimator_html_repr(fitted)


def test_hostile_text_is_escaped(signals):
    estimator = learner("vb").fit(signals)
    hostile = sbdl.Model.__new__(sbdl.Model)
    hostile.__setstate__({**estimator.model_.__getstate__(), "preset": "<script>x</script>"})
    estimator.model_ = hostile
    assert "<script>x" not in estimator._repr_html_()


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_what_denoising_found(channels):
    colour = channels > 2
    noisy = sbdl.make_noisy(sbdl.make_image(300, 40, colour=colour), 20.0).reshape(300, 40, -1)
    if channels in (2, 4):
        noisy = np.concatenate([noisy, np.full((300, 40, 1), 255.0, np.float32)], axis=2)
    _, info = sbdl.denoise(noisy, n_components=32, max_iter=2, std=True)
    text = info._repr_html_()
    for part in ("inferred", "patches, by", "seconds"):
        assert part in text
    assert Elements(text).open == []
    images = re.findall(r"base64,([^']+)'", text)
    assert len(images) == 2
    for image in map(base64.b64decode, images):
        assert image.startswith(b"\x89PNG")
        width, height = (int.from_bytes(image[at : at + 4], "big") for at in (16, 20))
        assert (width, height) == (20, 150)
        assert image[25] == (2 if colour else 0)
        start = image.index(b"IDAT") + 4
        lines = zlib.decompress(image[start : start + int.from_bytes(image[start - 8 : start - 4], "big")])
        assert len(lines) == height * (1 + width * (3 if colour else 1))


def test_the_dct_has_learned_nothing():
    noisy = sbdl.make_noisy(sbdl.make_image(40, 40), 20.0)
    _, info = sbdl.denoise(noisy, method="dct", n_components=64)
    text = info._repr_html_()
    assert "by dct, which learns nothing" in text
    assert "learned from" not in text


def test_an_image_without_noise():
    _, info = sbdl.denoise(np.zeros((32, 32)))
    text = info._repr_html_()
    assert "no noise" in text
    image = base64.b64decode(re.findall(r"base64,([^']+)'", text)[0])
    assert int.from_bytes(image[16:20], "big") == 32  # small images are not reduced


def test_atoms_of_patches_are_images():
    noisy = sbdl.make_noisy(sbdl.make_image(40, 40), 20.0)
    _, info = sbdl.denoise(noisy, n_components=64, max_iter=2)
    text = sbdl.DictionaryLearning.from_model(info.model)._repr_html_()
    assert text.count("<img") == 48
    assert "and 16 more" in text


def test_what_denoising_found_in_a_stack():
    noisy = np.stack([sbdl.make_noisy(sbdl.make_image(40, 40), 20.0, random_state=page) for page in range(2)])
    for dictionary, said in (("shared", "one for all pages, by"), ("own", "one for each page")):
        _, info = sbdl.denoise_stack(noisy, dictionary=dictionary, std=True, n_components=64, max_iter=2)
        text = info._repr_html_()
        low, high = sorted(f"{sigma:.4g}" for sigma in info.sigma)
        for part in (said, f"{low} to {high}", "clean page 1"):
            assert part in text
        assert Elements(text).open == []
        assert text.count("<img") == 2


def test_a_stack_without_noise():
    with pytest.warns(UserWarning, match="no noise that can be removed"):
        _, info = sbdl.denoise_stack(np.zeros((2, 32, 32)))
    assert "2 of 2: left as they are" in info._repr_html_()


def test_what_denoising_found_in_a_signal():
    rng = np.random.default_rng(1)
    _, info = sbdl.denoise_signal(np.sin(np.arange(3000) / 9.0) + 0.2 * rng.normal(size=3000), max_iter=2)
    text = info._repr_html_()
    for part in ("inferred", "windows, by", "seconds", "clean signal"):
        assert part in text
    assert Elements(text).open == []
    points = re.findall("points='([^']+)'", text)
    heights = [float(point.split(",")[1]) for point in points[0].split()]
    assert len(heights) == 1200
    assert (min(heights), max(heights)) == (1.0, 119.0)  # all of the range, in the picture


def test_what_inpainting_found():
    truth = sbdl.make_image(40, 40)
    mask = np.random.default_rng(1).random(truth.shape) < 0.5
    _, info = sbdl.inpaint(truth * mask, mask)
    text = info._repr_html_()
    for part in (f"{(~mask).sum()} samples", "noise sd", "rounds", "complete image"):
        assert part in text
    assert Elements(text).open == []
    assert text.count("<img") == 2
