"""Sparse Bayesian dictionary learning and image denoising. Noise and sparsity are inferred from the data.

>>> import sbdl
>>> data = sbdl.synthetic(n_samples=200, n_features=8, n_components=10, n_nonzero_coefs=2, random_state=1)
>>> model = sbdl.DictionaryLearning(n_components=10, max_iter=60, random_state=1).fit(data.signals)
>>> model.components_.shape
(10, 8)
"""

from sbdl import plots
from sbdl._base import ConvergenceWarning, NarrowPosteriorWarning
from sbdl._core import Model, SweepReport, load_model
from sbdl._core import version as __version__
from sbdl._denoise import DenoiseInfo, StackInfo, denoise, denoise_stack
from sbdl._estimator import DictionaryLearning
from sbdl._functions import (
    AtomMatch,
    SyntheticSet,
    make_image,
    make_noisy,
    match_atoms,
    omp,
    psnr,
    sparse_encode,
    ssim,
    synthetic,
)
from sbdl._inpaint import InpaintInfo, inpaint
from sbdl._options import methods
from sbdl._signal import SignalInfo, denoise_signal

__all__ = [
    "AtomMatch",
    "ConvergenceWarning",
    "DenoiseInfo",
    "DictionaryLearning",
    "InpaintInfo",
    "Model",
    "NarrowPosteriorWarning",
    "SignalInfo",
    "StackInfo",
    "SweepReport",
    "SyntheticSet",
    "__version__",
    "denoise",
    "denoise_signal",
    "denoise_stack",
    "inpaint",
    "load_model",
    "make_image",
    "make_noisy",
    "match_atoms",
    "methods",
    "omp",
    "plots",
    "psnr",
    "sparse_encode",
    "ssim",
    "synthetic",
]
