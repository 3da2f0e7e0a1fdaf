"""Checkpoints from Python: a run that was stopped goes on to the same result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sbdl


class KilledError(BaseException):
    pass


def signals() -> np.ndarray:
    return np.random.default_rng(3).standard_normal((200, 6))


def learner(path: Path | None = None, **parameters: object) -> sbdl.DictionaryLearning:
    return sbdl.DictionaryLearning(
        n_components=8, max_iter=20, random_state=1, checkpoint=path, checkpoint_every=0.0, **parameters
    )


def interrupt_after(sweeps: int):
    def callback(report: sbdl.SweepReport) -> None:
        if report.sweep == sweeps:
            raise KilledError

    return callback


@pytest.mark.parametrize("method", ["gibbs", "vb", "bpfa"])
def test_a_resumed_run_ends_with_the_same_bits(method: str, tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    extra = {"start_sweeps": 5} if method == "vb" else {}
    whole = learner(method=method, **extra).fit(signals())
    with pytest.raises(KilledError):
        learner(path, method=method, callback=interrupt_after(7), **extra).fit(signals())
    assert path.exists()
    resumed = learner(path, method=method, resume=True, n_jobs=2, **extra).fit(signals())
    assert np.array_equal(whole.components_, resumed.components_)
    assert whole.model_.noise_sd == resumed.model_.noise_sd
    assert whole.n_iter_ == resumed.n_iter_
    assert not path.exists()


def test_resume_starts_a_run_when_there_is_no_checkpoint_yet(tmp_path: Path) -> None:
    fitted = learner(tmp_path / "run.checkpoint", resume=True).fit(signals())
    assert np.array_equal(fitted.components_, learner().fit(signals()).components_)


def test_a_checkpoint_of_other_data_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    with pytest.raises(KilledError):
        learner(path, callback=interrupt_after(3)).fit(signals())
    with pytest.raises(ValueError, match="has changed since"):
        learner(path, resume=True).fit(signals() + 1.0)
    with pytest.raises(ValueError, match="seed was"):
        learner(path, resume=True).set_params(random_state=2).fit(signals())


def test_resume_needs_a_checkpoint() -> None:
    with pytest.raises(ValueError, match="checkpoint"):
        learner(resume=True).fit(signals())


def test_a_resumed_denoising_ends_with_the_same_image(tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    noisy = sbdl.make_noisy(sbdl.make_image(96, 96, random_state=1), 20.0, random_state=1)
    whole, _ = sbdl.denoise(noisy, n_components=32, max_iter=8)
    with pytest.raises(KilledError):
        sbdl.denoise(
            noisy, n_components=32, max_iter=8, checkpoint=path, checkpoint_every=0.0, callback=interrupt_after(3)
        )
    assert path.exists()
    resumed, info = sbdl.denoise(noisy, n_components=32, max_iter=8, checkpoint=path, resume=True)
    assert np.array_equal(whole, resumed)
    assert info.std is not None
    assert not path.exists()


def test_the_checkpoint_of_a_denoising_belongs_to_its_image(tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    noisy = sbdl.make_noisy(sbdl.make_image(96, 96, random_state=1), 20.0, random_state=1)
    with pytest.raises(KilledError):
        sbdl.denoise(
            noisy, n_components=32, max_iter=8, checkpoint=path, checkpoint_every=0.0, callback=interrupt_after(3)
        )
    with pytest.raises(ValueError, match="changed"):
        sbdl.denoise(noisy + 1.0, n_components=32, max_iter=8, checkpoint=path, resume=True)
    with pytest.raises(ValueError, match="checkpoint"):
        sbdl.denoise(noisy, resume=True)


@pytest.mark.parametrize("method", ["gibbs", "vb"])
def test_codes_on_disk_change_no_bit(method: str, tmp_path: Path) -> None:
    many = np.random.default_rng(3).standard_normal((4000, 6))
    extra = {"start_sweeps": 5, "max_iter": 5, "closing_sweeps": 0} if method == "vb" else {"max_iter": 10}
    options = {"n_components": 8, "random_state": 1, "n_jobs": 1, "method": method, **extra}
    in_memory = sbdl.DictionaryLearning(**options).fit(many)
    on_disk = sbdl.DictionaryLearning(**options, memory="500k", scratch=tmp_path).fit(many)
    assert np.array_equal(in_memory.components_, on_disk.components_)
    assert in_memory.noise_sd_ == on_disk.noise_sd_
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match=r"needs at least about .* [KM]iB of memory; memory allows"):
        sbdl.DictionaryLearning(**options, memory=100000).fit(many)
