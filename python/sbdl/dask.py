"""Learning, coding and denoising with dask arrays, on any dask cluster: ``pip install sbdl[dask]``.

The names are those of :mod:`sbdl`. :class:`DictionaryLearning` learns from a dask array, each worker from its own rows;
what takes arrays and returns arrays is lazy, as dask's functions are.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import delayed
from distributed import get_client

import sbdl
from sbdl import _core
from sbdl._cluster import train_on_cluster
from sbdl._denoise import OPTIONS, denoise_fields
from sbdl._options import METHODS, Method, check_int, check_names, in_words
from sbdl._validation import as_floats, check_model, seed_from, threads_from, users_level

__all__ = ["DictionaryLearning", "denoise", "denoise_stack"]


class DictionaryLearning(sbdl.DictionaryLearning):
    """:class:`sbdl.DictionaryLearning` for dask arrays, with the same parameters and attributes.

    `fit` runs on all workers of the current :class:`distributed.Client`. It learns the same, to the last bit, as
    :class:`sbdl.DictionaryLearning` from the same array in memory, whatever the number of workers and the chunks.
    `transform`, `inverse_transform` and `reconstruct` are lazy: they return dask arrays.

    `gibbs`, `vb`, `bpfa`, `ksvd` and `mod` learn on a cluster; training codes and reconstructions are not kept there.
    `n_jobs` is the number of threads of each worker; None: as many as dask gave it. If a worker is lost, a warning says
    so, and the others go on from the last checkpoint, which is a temporary file of the client if `checkpoint` names
    none. With ``checkpoint_every=numpy.inf`` none is written, and the others begin anew.

    Examples
    --------
    >>> import dask.array as da, sbdl
    >>> from distributed import Client, LocalCluster
    >>> from sbdl.dask import DictionaryLearning
    >>> data = sbdl.synthetic(n_samples=600, n_features=8, n_components=10, n_nonzero_coefs=2, random_state=1)
    >>> X = da.from_array(data.signals, chunks=(200, 8))
    >>> with LocalCluster(n_workers=2, processes=False, dashboard_address=":0") as cluster, Client(cluster):
    ...     model = DictionaryLearning(10, max_iter=30, random_state=1).fit(X)
    ...     codes = model.transform(X)
    ...     explained = model.score(X)
    >>> codes
    dask.array<getitem, shape=(600, 10), dtype=float64, chunksize=(200, 10), chunktype=numpy.ndarray>
    """

    def _check(self, X: Any, *, reset: bool) -> Any:
        if not isinstance(X, da.Array):
            if not reset:
                return super()._check(X, reset=False)
            raise TypeError(
                f"X is {type(X).__module__}.{type(X).__name__}, must be a dask array: "
                "dask.array.from_array(X) makes one, and so does X.to_dask_array(lengths=True) of a data frame"
            )
        rows = _whole_rows(X)
        if reset:
            self.__dict__.pop("feature_names_in_", None)
        elif rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        return rows

    def _train(self, method: Method, X: Any, arguments: dict[str, Any]) -> _core.TrainOutcome:
        if not method.ranks:
            able = in_words([other.name for other in METHODS.values() if other.ranks])
            raise ValueError(f"method {method.name!r} does not learn on a cluster, only {able} do")
        for kept in ("keep_codes", "keep_reconstruction"):
            if getattr(self, kept):
                raise ValueError(f"{kept!r} does not apply on a cluster: use transform or reconstruct after the fit")
        for local in ("memory", "scratch"):
            if getattr(self, local) is not None:
                raise ValueError(f"{local!r} does not apply on a cluster: every worker holds its part in memory")
        if self._ignores_empty() and method.name != "bpfa":
            raise ValueError("empty_signals='ignore' does not apply on a cluster to this method: leave such rows out")
        try:
            client = get_client()
        except ValueError as error:
            raise RuntimeError("fit needs a dask cluster: make a distributed.Client first") from error
        if client.asynchronous:
            raise RuntimeError("fit needs a client that is not asynchronous")
        return train_on_cluster(client, X, method.name, arguments)

    def _encode(self, rows: Any, return_std: bool = False, return_probability: bool = False, first: int = 0) -> Any:
        if not isinstance(rows, da.Array):
            return super()._encode(rows, return_std, return_probability, first)
        coder = self._coder()
        coder._encode(np.zeros((1, rows.shape[1])), return_std, return_probability)  # are the parameters valid?
        parts = 1 + bool(return_std) + bool(return_probability)
        signals: Any = rows
        coded = signals.map_blocks(
            _code_block,
            delayed(coder, traverse=False),
            return_std,
            return_probability,
            new_axis=2,
            chunks=(rows.chunks[0], (self.n_components_,), (parts,)),
            dtype=np.float64,
            meta=np.empty((0, 0, 0)),
        )
        found = tuple(coded[:, :, part] for part in range(parts))
        return found if parts > 1 else found[0]

    def _coder(self) -> sbdl.DictionaryLearning:
        """Return the same estimator without dask. Tasks have one thread each, unless `n_jobs` says otherwise."""
        coder = sbdl.DictionaryLearning(**{**self.get_params(deep=False), "callback": None})
        if coder.n_jobs is None:
            coder.n_jobs = 1
        coder.model_, coder.n_features_in_ = self.model_, self.n_features_in_
        return coder

    def inverse_transform(self, X: Any) -> Any:
        """Reconstruct signals from their codes, lazily if these are a dask array.

        Parameters
        ----------
        X : dask array or array-like of shape (n_samples, n_components)

        Returns
        -------
        signals : dask array or ndarray of shape (n_samples, n_features)
        """
        if not isinstance(X, da.Array):
            return super().inverse_transform(X)
        self._require_fit()
        codes = _whole_rows(X)
        atoms = self.components_.shape[0]
        if codes.shape[1] != atoms:
            raise ValueError(f"X has {codes.shape[1]} columns, but there are {atoms} atoms")
        return codes.map_blocks(
            np.matmul,
            delayed(self.components_, traverse=False),
            chunks=(codes.chunks[0], (self.n_features_in_,)),
            dtype=np.float64,
            meta=np.empty((0, 0)),
        )


def _code_block(
    rows: Any,
    coder: sbdl.DictionaryLearning,
    return_std: bool,
    return_probability: bool,
    block_info: Any = None,
) -> Any:
    """Return codes, standard deviations and probabilities of a block of rows, beside each other."""
    parts = 1 + bool(return_std) + bool(return_probability)
    if len(rows) == 0:
        return np.empty((0, coder.n_components_, parts))
    first = block_info[0]["array-location"][0][0]
    found = coder._encode(coder._check(rows, reset=False), return_std, return_probability, first)
    return np.stack(found if parts > 1 else [found], axis=-1)


def _require_sizes(X: Any, name: str) -> None:
    if np.isnan(X.shape).any():
        raise ValueError(
            f"{name} has chunks of unknown size: call {name}.compute_chunk_sizes() first, or make it with "
            "to_dask_array(lengths=True)"
        )


def _checked_block(block: Any, block_info: Any = None) -> Any:
    """Return a block as float64 with NaN for masked entries. It must be as large as the array says."""
    info = block_info[0]
    promised = tuple(end - first for first, end in info["array-location"])
    if block.shape != promised:
        chunk = ", ".join(map(str, info["chunk-location"]))
        raise ValueError(
            f"chunk ({chunk}) of X was to have {promised[0]} rows of {promised[1]} entries and has the shape "
            f"{block.shape}: X.compute_chunk_sizes() finds the true sizes"
        )
    return as_floats(block)


def _whole_rows(X: Any) -> Any:
    """Return a dask array as float64 with NaN for masked entries, each chunk with whole rows."""
    if X.dtype.kind not in "biuf":
        raise ValueError(f"X has dtype {X.dtype}, must be one of numbers: convert it with X.astype(float)")
    if X.ndim != 2:
        raise ValueError(f"Expected a 2D dask array, got one of {X.ndim} dimensions instead")
    _require_sizes(X, "X")
    if 0 in X.shape:
        raise ValueError(f"Found a dask array of shape {X.shape}: there must be at least one sample and one feature")
    # Before they are joined: afterwards nobody knows whose rows they are.
    blocks = X.map_blocks(_checked_block, dtype=np.float64, meta=np.empty((0, 0)))
    if X.numblocks[1] > 1:
        warnings.warn(
            f"X has chunks of {X.chunksize[0]} x {X.chunksize[1]}: it is rechunked to whole rows of {X.shape[1]}",
            stacklevel=users_level(),
        )
        blocks = blocks.rechunk({1: -1})
    return blocks


# --- images

_NOT_LAZY = ("image", "std", "checkpoint", "checkpoint_every", "resume", "callback", "verbose")


def _check_options(function: str, options: dict[str, Any]) -> dict[str, Any]:
    """Check options now, not when the result is computed. Tasks have one thread each, unless `n_jobs` is given."""
    known = [name for name in inspect.signature(sbdl.denoise).parameters if name not in _NOT_LAZY]
    check_names(f"sbdl.dask.{function}", options, known)
    checked = {"n_jobs": 1, **options}
    model, method = checked.get("model"), checked.get("method", "auto")
    check_model(model)
    if not isinstance(method, str):
        raise ValueError(f"method is {method!r}, must be a str: one of sbdl.methods(), or 'auto'")
    _core.check_denoise(
        denoise_fields(**{name: value for name, value in options.items() if name in OPTIONS}),
        method=method,
        model=model,
    )
    seed_from(checked.get("random_state", 0))
    threads_from(checked["n_jobs"])
    if model is not None:
        patch = checked.get("patch_size", OPTIONS["patch_size"].default)
        if model.dictionary.shape[1] != patch * patch:
            raise ValueError(
                f"the model's atoms have {model.dictionary.shape[1]} entries, and patches of patch_size={patch} have "
                f"{patch * patch}"
            )
        checked["model"] = delayed(model, traverse=False)
    return checked


def _check_images(images: Any, name: str, dimensions: int) -> None:
    if not isinstance(images, da.Array):
        raise TypeError(f"{name} is {type(images).__module__}.{type(images).__name__}, must be a dask array")
    _require_sizes(images, name)
    if images.dtype not in (np.uint8, np.uint16, np.float32, np.float64):
        raise ValueError(f"{name} has dtype {images.dtype}, must be uint8, uint16, float32 or float64")
    if images.ndim not in (dimensions, dimensions + 1):
        raise ValueError(f"{name} has {images.ndim} dimensions, must have {dimensions} or, in colour, {dimensions + 1}")


def _check_sides(height: int, width: int, what: str, options: dict[str, Any]) -> None:
    """Check now what each task would check of its image."""
    least = max(options.get("patch_size", OPTIONS["patch_size"].default), 8)
    if min(height, width) < least:
        raise ValueError(f"{what} has {height} x {width} pixels (height x width), {least} x {least} are needed")


def _clean(image: Any, what: str, **options: Any) -> Any:
    try:
        return sbdl.denoise(image, std=False, **options)[0]
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from error


def _clean_chunk(image: Any, block_info: Any = None, **options: Any) -> Any:
    chunk = ", ".join(map(str, block_info[0]["chunk-location"][:2]))
    return _clean(image, f"chunk ({chunk}) of the image, with its margin", **options)


def _clean_pages(pages: Any, block_info: Any = None, **options: Any) -> Any:
    first = block_info[0]["array-location"][0][0]
    return np.stack([_clean(page, f"page {first + i} of the stack", **options) for i, page in enumerate(pages)])


def denoise(image: Any, *, depth: int = 32, **options: Any) -> Any:
    """Remove the noise from a large image, lazily: each chunk is cleaned together with a margin of its neighbours.

    A chunk finds its own noise and learns its own dictionary, unless `sigma` and `model` are given, so it should be
    large: 512 x 512 pixels or more.

    Parameters
    ----------
    image : dask array of shape (height, width) or (height, width, 3)
        uint8, uint16, float32 or float64.
    depth : int, default=32
        Width of the margin, in pixels.
    **options
        As for :func:`sbdl.denoise`. `n_jobs` is the number of threads of a chunk, by default 1.

    Returns
    -------
    clean : dask array
        Of the same shape and type as `image`.

    Examples
    --------
    >>> import dask.array as da, sbdl, sbdl.dask
    >>> noisy = sbdl.make_noisy(sbdl.make_image(96, 96, random_state=1), 20.0, random_state=1)
    >>> clean = sbdl.dask.denoise(da.from_array(noisy, chunks=(96, 48)), depth=16, n_components=64, quality="fast")
    >>> clean.shape, clean.chunks
    ((96, 96), ((96,), (48, 48)))
    """
    _check_images(image, "image", 2)
    depth = check_int(depth, "depth", "sbdl.dask.denoise", least=0, most=min(image.shape[:2]))
    checked = _check_options("denoise", options)
    whole: Any = image if image.ndim == 2 else image.rechunk({2: -1})
    clean = whole.map_overlap(
        _clean_chunk,
        depth=(depth, depth, 0)[: image.ndim],
        boundary="none",
        dtype=image.dtype,
        meta=np.empty((0,) * image.ndim, image.dtype),
        **checked,
    )
    for chunk in np.ndindex(*clean.numblocks[:2]):  # dask has joined those that are smaller than the margin
        sides = [
            clean.chunks[axis][i] + depth * (int(i > 0) + int(i + 1 < clean.numblocks[axis]))
            for axis, i in enumerate(chunk)
        ]
        _check_sides(sides[0], sides[1], f"chunk {chunk} of the image, with a margin of depth={depth},", options)
    return clean


def denoise_stack(stack: Any, **options: Any) -> Any:
    """Remove the noise from a stack of images, lazily: each page is a task of its own.

    A page learns its own dictionary, unless `model` is given: ``sbdl.denoise_stack(stack[:4].compute())[1].model`` is
    one for all pages, learned from the first four.

    Parameters
    ----------
    stack : dask array of shape (pages, height, width) or (pages, height, width, 3)
        uint8, uint16, float32 or float64.
    **options
        As for :func:`sbdl.denoise`. `n_jobs` is the number of threads of a page, by default 1.

    Returns
    -------
    clean : dask array
        Of the same shape and type as `stack`, a chunk per page.

    Examples
    --------
    >>> import dask.array as da, numpy as np, sbdl, sbdl.dask
    >>> truth = sbdl.make_image(48, 48, random_state=1)
    >>> noisy = np.stack([sbdl.make_noisy(truth, 20.0, random_state=page) for page in range(3)])
    >>> clean = sbdl.dask.denoise_stack(da.from_array(noisy), n_components=64)
    >>> clean.shape, clean.numblocks
    ((3, 48, 48), (3, 1, 1))
    """
    _check_images(stack, "stack", 3)
    checked = _check_options("denoise_stack", options)
    _check_sides(stack.shape[1], stack.shape[2], "a page of the stack", options)
    pages = stack.rechunk((1, *(-1,) * (stack.ndim - 1)))
    return pages.map_blocks(
        _clean_pages,
        dtype=stack.dtype,
        meta=np.empty((0,) * stack.ndim, stack.dtype),
        **checked,
    )
