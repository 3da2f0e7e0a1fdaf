"""Functions: codes with a given dictionary, synthetic data, quality of results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbdl import _core
from sbdl._coding import ALGORITHMS, Coding, EmptyRows
from sbdl._options import check_float, check_int
from sbdl._validation import as_image, as_rows, seed_from, threads_from

__all__ = [
    "AtomMatch",
    "SyntheticSet",
    "make_image",
    "make_noisy",
    "match_atoms",
    "omp",
    "psnr",
    "sparse_encode",
    "ssim",
    "synthetic",
]

Array = NDArray[np.float64]


def sparse_encode(
    X: ArrayLike,
    dictionary: ArrayLike | _core.Model,
    *,
    algorithm: str = "omp",
    n_nonzero_coefs: int | None = None,
    max_error: float | None = None,
    alpha: float | None = None,
    max_iter: int = 1000,
    burn_in: int = 200,
    draws: int = 300,
    empty_signals: str = "refuse",
    return_std: bool = False,
    return_probability: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Any:
    """Code signals with a dictionary.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    dictionary : array-like of shape (n_components, n_features), or Model
        Atoms need not have unit norm. "posterior" needs a :class:`Model`, which has the noise and the priors, too.
    algorithm : {"omp", "ormp", "lasso_cd", "lasso_lars", "threshold", "posterior"}, default="omp"
        "omp": orthogonal matching pursuit; "ormp" chooses the atom that leaves the smallest residual.
        "lasso_cd" and "lasso_lars" both name the code x that minimises
        ``0.5 * ||y - x @ dictionary||^2 + alpha * ||x||_1``, here found exactly, by an active set.
        "threshold": products of signal and atoms, soft-thresholded by alpha.
        "posterior": the posterior mean of the codes, for models of `gibbs`, `vb` and `bpfa`; NaN in X is missing.
    n_nonzero_coefs : int, default=None
        Pursuit: maximum number of atoms in a code.
    max_error : float, default=None
        Pursuit: stop when the norm of the residual is at most this (the root of the ``tol`` of scikit-learn's
        ``orthogonal_mp``). With neither of the two, the maximum is a tenth of the number of features, at least 1, as
        in scikit-learn.
    alpha : float, default=None
        Lasso and threshold: the weight of the l1 norm, as in scikit-learn; None: 1.
    max_iter : int, default=1000
        Lasso: maximum number of steps; each adds an atom.
    burn_in, draws : int, default=200 and 300
        Posterior: sweeps discarded, and sweeps averaged.
    empty_signals : {"refuse", "ignore"}, default="refuse"
        Posterior: signals without any observed entry are errors, or have codes of zeros.
    return_std, return_probability : bool, default=False
        Posterior: also return the standard deviation of every coefficient, and the probability that it is not zero.
        Probabilities between 0.1 and 0.5 are a few points too high; more `draws` bring them closer.
    random_state : int, RandomState, Generator or None, default=0
        Posterior: decides its random numbers.
    n_jobs : int, default=None
        Number of threads; None and -1: one per core.

    Returns
    -------
    codes : ndarray of shape (n_samples, n_components)
    codes_std, codes_probability : ndarray of shape (n_samples, n_components)
        With `return_std` and `return_probability`.

    Examples
    --------
    >>> import numpy as np, sbdl
    >>> sbdl.sparse_encode([[3.0, 0.0, 4.0]], np.eye(3), n_nonzero_coefs=1)
    array([[0., 0., 4.]])
    >>> sbdl.sparse_encode([[3.0, 0.0, 4.0]], np.eye(3), algorithm="lasso_cd", alpha=1.0)
    array([[2., 0., 3.]])
    """
    owner = "sparse_encode"
    posterior = algorithm == "posterior"
    rows = as_rows(X, owner=owner, missing=posterior)
    model = dictionary if isinstance(dictionary, _core.Model) else None
    atoms = as_rows(dictionary if model is None else model.dictionary, owner=owner, name="dictionary", what="atom")
    if algorithm not in ALGORITHMS and not posterior:
        names = ", ".join(map(repr, (*ALGORITHMS, "posterior")))
        raise ValueError(f"The 'algorithm' parameter must be a str among {{{names}}}. Got {algorithm!r} instead.")
    if atoms.shape[1] != rows.shape[1]:
        raise ValueError(f"Signals have {rows.shape[1]} entries, the dictionary's atoms {atoms.shape[1]}")
    if posterior:
        if model is None:
            raise ValueError(
                "algorithm='posterior' needs a Model instead of a dictionary, because the posterior of the codes "
                "depends on the noise and the priors: model_ of a fitted DictionaryLearning, or load_model('model.h5')"
            )
        if empty_signals not in ("refuse", "ignore"):
            raise ValueError(
                "The 'empty_signals' parameter must be a str among {'refuse', 'ignore'}. "
                f"Got {empty_signals!r} instead."
            )
        signals = EmptyRows(rows, empty_signals == "ignore")
        found = _core.encode_posterior(
            model,
            signals.rows,
            burn_in=check_int(burn_in, "burn_in", owner, least=0, most=8e6),
            draws=check_int(draws, "draws", owner, most=8e6),
            sparse=False,
            seed=seed_from(random_state),
            threads=threads_from(n_jobs),
            std=bool(return_std),
            probability=bool(return_probability),
        )
        signals.clear(found)
        return found if len(found) > 1 else found[0]
    if return_std or return_probability:
        raise ValueError(f"algorithm {algorithm!r} has no standard deviations and no probabilities; use 'posterior'")
    if n_nonzero_coefs is None and max_error is None:
        n_nonzero_coefs = max(1, rows.shape[1] // 10)
    return Coding(
        algorithm,
        n_nonzero_coefs=0 if n_nonzero_coefs is None else check_int(n_nonzero_coefs, "n_nonzero_coefs", owner),
        max_error=0.0 if max_error is None else check_float(max_error, "max_error", owner),
        alpha=1.0 if alpha is None else check_float(alpha, "alpha", owner),
        max_iter=check_int(max_iter, "max_iter", owner),
        threads=threads_from(n_jobs),
    ).code(atoms, rows)


def omp(
    X: ArrayLike,
    dictionary: ArrayLike,
    n_nonzero_coefs: int | None = None,
    *,
    max_error: float | None = None,
    n_jobs: int | None = None,
) -> Array:
    """Code signals by orthogonal matching pursuit: :func:`sparse_encode` with ``algorithm="omp"``.

    Examples
    --------
    >>> import numpy as np, sbdl
    >>> sbdl.omp([[3.0, 0.0, 4.0]], np.eye(3), 2)
    array([[3., 0., 4.]])
    """
    codes: Array = sparse_encode(X, dictionary, n_nonzero_coefs=n_nonzero_coefs, max_error=max_error, n_jobs=n_jobs)
    return codes


class SyntheticSet(NamedTuple):
    """Signals and their components: ``signals = codes @ dictionary + noise``."""

    signals: Array
    dictionary: Array
    codes: Array
    noise_sd: float


def synthetic(
    n_samples: int = 1000,
    n_features: int = 20,
    n_components: int = 50,
    *,
    n_nonzero_coefs: int | tuple[int, int] = 3,
    snr_db: float = 20.0,
    scale: float = 1.0,
    missing: float = 0.0,
    random_state: Any = 0,
) -> SyntheticSet:
    """Make signals whose dictionary, codes and noise are known.

    Parameters
    ----------
    n_samples, n_features, n_components : int
        Number of signals, their length, and the number of atoms (Gaussian, of unit norm).
    n_nonzero_coefs : int or (int, int), default=3
        Number of atoms in a signal, or the minimum and maximum.
    snr_db : float, default=20
        Signal-to-noise ratio in dB; ``math.inf`` for no noise.
    scale : float, default=1
        Of signals, codes and noise.
    missing : float, default=0
        Share of the signals' entries that are missing (NaN), chosen at random; every signal keeps at least one.
    random_state : int, RandomState, Generator or None, default=0
        An int is the seed of ``sbdl synth``.

    Returns
    -------
    data : SyntheticSet

    Examples
    --------
    >>> import sbdl
    >>> signals, dictionary, codes, noise_sd = sbdl.synthetic(100, 8, 16, n_nonzero_coefs=2)
    >>> signals.shape, dictionary.shape, int((codes != 0).sum())
    ((100, 8), (16, 8), 200)
    """
    numbers: Any = n_nonzero_coefs
    pair = (numbers, numbers) if np.ndim(numbers) == 0 else tuple(numbers)
    if len(pair) != 2:
        raise ValueError(
            "The 'n_nonzero_coefs' parameter of synthetic must be an int or two of them. "
            f"Got {n_nonzero_coefs!r} instead."
        )
    least, most = pair
    owner = "synthetic"
    atoms = check_int(n_components, "n_components", owner, most=2**62)
    least = check_int(least, "n_nonzero_coefs", owner, most=atoms)
    made = _core.synthesize(
        signals=check_int(n_samples, "n_samples", owner, most=2**62),
        dim=check_int(n_features, "n_features", owner, most=2**62),
        atoms=atoms,
        sparsity_min=least,
        sparsity_max=check_int(most, "n_nonzero_coefs", owner, least=least, most=atoms),
        snr_db=snr_db,
        scale=scale,
        missing=missing,
        seed=seed_from(random_state),
    )
    return SyntheticSet(*made)


def make_image(
    height: int = 256, width: int = 256, *, colour: bool = False, random_state: Any = 0
) -> NDArray[np.uint8]:
    """Paint a still life with shading, edges, textures and letters, for examples of denoising.

    Examples
    --------
    >>> import sbdl
    >>> sbdl.make_image(32, 48).shape
    (32, 48)
    """
    height = check_int(height, "height", "make_image")
    width = check_int(width, "width", "make_image")
    return _core.make_image(height, width, colour=colour, seed=seed_from(random_state))


def make_noisy(image: ArrayLike, sigma: float, *, random_state: Any = 0) -> NDArray[np.float32]:
    """Return the image with Gaussian noise in every sample, as float32, neither clipped nor rounded.

    Examples
    --------
    >>> import sbdl
    >>> sbdl.make_noisy(sbdl.make_image(32, 32), 25.0).dtype
    dtype('float32')
    """
    return _core.make_noisy(as_image(image), sd=sigma, seed=seed_from(random_state))


@dataclass(frozen=True)
class AtomMatch:
    """How well learned atoms match true ones; a distance is 1 - |cos|.

    `nearest` allows one learned atom for several true ones, as in the paper; `assigned` uses each learned atom once,
    with the smallest total distance.
    """

    n_true: int
    nearest_recovered: int
    assigned_recovered: int
    nearest_distance: Array
    assigned_distance: Array
    assigned_to: NDArray[np.int64]  # learned atom for each true one, -1 for none

    @property
    def nearest_rate(self) -> float:
        """Share of the true atoms that were found."""
        return self.nearest_recovered / self.n_true

    @property
    def assigned_rate(self) -> float:
        """The same, with no learned atom counted twice."""
        return self.assigned_recovered / self.n_true


def match_atoms(truth: ArrayLike, learned: ArrayLike, *, threshold: float = 0.01) -> AtomMatch:
    """Compare a learned dictionary with the true one; signs, order and norms do not matter.

    Parameters
    ----------
    truth, learned : array-like, one atom per row
    threshold : float, default=0.01
        An atom counts as recovered if its distance is below this.

    Returns
    -------
    match : AtomMatch

    Examples
    --------
    >>> import numpy as np, sbdl
    >>> sbdl.match_atoms(np.eye(3), -2 * np.eye(3)[::-1]).assigned_to.tolist()
    [2, 1, 0]
    """
    found = _core.score_dictionary(
        as_rows(truth, owner="match_atoms", name="truth", what="atom"),
        as_rows(learned, owner="match_atoms", name="learned", what="atom"),
        threshold,
    )
    return AtomMatch(n_true=len(found["assigned_to"]), **found)


def psnr(image_true: ArrayLike, image_test: ArrayLike, *, data_range: float | None = None) -> float:
    """Return the peak signal-to-noise ratio in dB; infinite for equal images.

    Parameters
    ----------
    image_true, image_test : array-like of shape (height, width) or (height, width, 3)
    data_range : float, default=None
        The peak. None: 255 for uint8, otherwise the largest value of `image_true` minus the smallest (1 if they are
        equal): uint16 often holds 10, 12 or 14 bits.

    Examples
    --------
    >>> import numpy as np, sbdl
    >>> round(sbdl.psnr(np.zeros((16, 16), np.uint8), np.full((16, 16), 25.5)), 6)
    20.0
    """
    return _core.psnr(*_two_images(image_true, image_test), data_range)


def ssim(image_true: ArrayLike, image_test: ArrayLike, *, data_range: float | None = None) -> float:
    """Return the structural similarity (Gaussian window of 11 x 11, standard deviation 1.5); 1 for equal images.

    Parameters
    ----------
    image_true, image_test : array-like of shape (height, width) or (height, width, 3)
    data_range : float, default=None
        As for :func:`psnr`.

    Examples
    --------
    >>> import sbdl
    >>> image = sbdl.make_image(32, 32)
    >>> round(sbdl.ssim(image, image), 6)
    1.0
    """
    return _core.ssim(*_two_images(image_true, image_test), data_range)


def _two_images(image_true: ArrayLike, image_test: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    return (
        as_image(image_true, name="image_true", integers=True),
        as_image(image_test, name="image_test", integers=True),
    )
