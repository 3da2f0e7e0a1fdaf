"""DictionaryLearning: the learners of the core as a scikit-learn estimator."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbdl import _core
from sbdl._base import BaseEstimator, TransformerMixin
from sbdl._fitted import name_the_estimator
from sbdl._html import estimator_html
from sbdl._options import (
    METHODS,
    OPTION_NAMES,
    Method,
    check_names,
    did_you_mean,
    in_words,
    options_of,
    options_section,
    other_name,
)
from sbdl._progress import ProgressBar, listener
from sbdl._settling import warn_unless_settled
from sbdl._streaming import StreamingMethod
from sbdl._transform import CodedSignals, trained_number
from sbdl._validation import (
    FILL,
    as_rows,
    check_feature_names,
    feature_names_of,
    memory_from,
    seed_from,
    threads_from,
    users_level,
    warn_all,
)

__all__ = ["DictionaryLearning"]

Array = NDArray[np.float64]


class DictionaryLearning(CodedSignals, TransformerMixin, BaseEstimator):
    """Find a dictionary in which the signals have sparse codes.

    `gibbs`, `vb` and `svb` are given only the number of atoms: they infer the noise and the sparsity of the codes, with
    posterior standard deviations; those of `svb` are too small. Other methods need more; see the options of each.

    Parameters
    ----------
    n_components : int, default=None
        Number of atoms. None: as many as there are features.
    method : str, default="gibbs"
        How to learn; ``sbdl.methods()`` lists the names.
    preset : {"standard", "paper"}, default="standard"
        Default of the options that are None: recommended, or as in the paper.
    max_iter : int, default=None
        Maximum number of sweeps over the signals; for `gibbs`, burn-in and draws together. None: the method's default.
    transform_algorithm : {"auto", "posterior", "omp", "ormp", "lasso_cd", "lasso_lars", "threshold"}, default="auto"
        How signals are coded. "posterior": mean and standard deviation of the codes given dictionary and noise, and the
        probability that each is not zero. "ormp": as "omp", choosing the atom that leaves the smallest residual. The
        others are scikit-learn's; see :func:`sparse_encode`. "auto": "posterior" for `gibbs`, `vb`, `svb` and
        `bpfa`, and "omp" for the others.
    transform_n_nonzero_coefs : int, default=None
        "omp" and "ormp": maximum number of atoms in a code.
    transform_max_error : float, default=None
        "omp" and "ormp": stop when the norm of the residual is at most this. With neither of the two, the pursuit stops
        where training did (its sparsity or error), or at the residual that the noise leaves.
    transform_alpha : float, default=None
        "lasso_cd", "lasso_lars" and "threshold": the weight of the codes' l1 norm. None: the `alpha` that the
        dictionary was learned with, or 1 if there was none, as in scikit-learn.
    transform_max_iter : int, default=1000
        "lasso_cd" and "lasso_lars": maximum number of steps; each adds an atom.
    transform_burn_in : int, default=200
        "posterior": sweeps discarded.
    transform_draws : int, default=300
        "posterior": sweeps averaged; for models of `vb` with ``prior="student-t"``, the maximum number of sweeps.
    transform_sparse : bool, default=False
        "posterior": coefficients that are more likely zero than not are exactly zero, and so is their standard
        deviation. Needs a model with on/off codes, which `gibbs` and `vb` learn by default.
    random_state : int, RandomState, Generator or None, default=None
        An int is the core's seed, the same as ``--seed`` of the program; None: every run is different.
    n_jobs : int, default=None
        Number of threads; None and -1: one per core. The result does not depend on it.
    memory : str or int, default=None
        Memory that `fit` may take besides the signals, such as "8G" or a number of bytes; None: no limit. `gibbs` and
        `vb` keep codes on disk that do not fit; other methods do not start. The result does not depend on it.
    scratch : path-like, default=None
        The folder for these codes. None: that of `checkpoint`, or else the one for temporary files.
    keep_reconstruction : bool, default=False
        `gibbs`, `vb` and `bpfa`: keep the posterior mean of every training signal, without noise and gaps, as
        `reconstruction_`.
    warm_start : bool, default=False
        Continue from the dictionary and the noise of the last fit.
    time_limit : float, default=None
        Stop after the sweep in which this many seconds have passed.
    checkpoint : path-like, default=None
        Write the state of the run to this file from time to time. It is removed when the run has ended.
    checkpoint_every : float, default=60.0
        Seconds between two checkpoints; 0: after every sweep.
    resume : bool, default=False
        Resume from `checkpoint` if the file is there, to the same result as if the run had never stopped. Data, options
        and `random_state` must be the same.
    callback : callable, default=None
        Called with a :class:`SweepReport` after each sweep; ends the run by returning True. If it raises an exception,
        the run goes on without it, and a warning says so.
    keep_interrupted : bool, default=False
        What Ctrl-C does to `fit` once the sweep has ended and what was learned so far is stored: False raises
        KeyboardInterrupt, so that a loop of fits ends, too; True returns with a warning.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Other Parameters
    ----------------
    None stands for the default of the method, in brackets. Options that the method does not have must be None.

    {options}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Atoms of unit norm; zeros for one that `vb` switched off.
    components_std_ : ndarray of shape (n_components, n_features) or None
        Posterior standard deviation of their entries; None for methods that have none, and for a run that was stopped
        in burn-in. Those of `svb` are too small; reading them warns of it.
    components_usage_ : ndarray of shape (n_components,)
        Root mean square code of each atom over the training signals; near 0 for an atom that is not needed.
    components_in_use_ : ndarray of bool of shape (n_components,)
        Whether the signals determine the direction of each atom: its squared error is at most 0.1, where that of a unit
        vector about which nothing is known is 1.
    components_probability_ : ndarray of shape (n_components,) or None
        `gibbs`, `vb`, `svb` and `bpfa`: the probability that a signal uses the atom; None for models without on/off
        codes.
    noise_variance_, noise_sd_ : float
        The inferred noise; for methods that infer none, the mean square residual and its root.
    noise_sd_std_ : float or None
        Posterior standard deviation of `noise_sd_`; None as above.
    n_iter_ : int
        Sweeps made, over all chains.
    n_samples_seen_ : int
        Signals that streaming methods have learned from, in all passes and calls; 0 for the others.
    trace_ : dict of ndarray
        chain, sweep, kept, objective, noise_sd; one entry per sweep.
    diagnostics_ : dict
        Rank-normalised split R-hat (`_rhat`) and effective sample size (`_ess` and `_ess_tail`) of `noise`,
        `objective`, `atoms` and `codes`, and `pooled_chains`; NaN where unknown.
    settled_ : bool or None
        Whether the run had settled when it ended; None when that is not known. ``model_.settled_reason`` has the
        numbers behind it. `fit` issues a :class:`ConvergenceWarning` when a method with a posterior has not settled.
    estimate_ : str
        Which of several chains the estimate is of; empty when there was one.
    codes_, codes_std_, codes_probability_ : ndarray of shape (n_samples, n_components) or None
        With ``keep_codes=True``: training codes, their posterior standard deviation, and the probability that each is
        not zero; None where unknown. The standard deviations of `svb` are too small, as above; `transform` has better
        ones.
    reconstruction_ : ndarray of shape (n_samples, n_features)
        With ``keep_reconstruction=True``.
    stop_reason_ : str
    seed_ : int
    model_ : Model
        The core's model; a file written by ``save("model.h5")`` is read by :meth:`from_model`, the program and
        :func:`load_model`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If the signals were a data frame with column names.

    Examples
    --------
    >>> from sbdl import DictionaryLearning, synthetic
    >>> data = synthetic(n_samples=300, n_features=10, n_components=12, n_nonzero_coefs=2, random_state=0)
    >>> learner = DictionaryLearning(n_components=12, method="vb", random_state=0)
    >>> codes = learner.fit(data.signals).transform(data.signals)
    >>> codes.shape
    (300, 12)
    >>> bool(abs(learner.noise_sd_ / data.noise_sd - 1) < 0.2)
    True
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        method: str = "gibbs",
        preset: str = "standard",
        max_iter: int | None = None,
        transform_algorithm: str = "auto",
        transform_n_nonzero_coefs: int | None = None,
        transform_max_error: float | None = None,
        transform_alpha: float | None = None,
        transform_max_iter: int = 1000,
        transform_burn_in: int = 200,
        transform_draws: int = 300,
        transform_sparse: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        scratch: str | os.PathLike[str] | None = None,
        keep_reconstruction: bool = False,
        warm_start: bool = False,
        time_limit: float | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float = 60.0,
        resume: bool = False,
        callback: Callable[[_core.SweepReport], Any] | None = None,
        keep_interrupted: bool = False,
        verbose: int = 0,
        **options: Any,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.preset = preset
        self.max_iter = max_iter
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_max_error = transform_max_error
        self.transform_alpha = transform_alpha
        self.transform_max_iter = transform_max_iter
        self.transform_burn_in = transform_burn_in
        self.transform_draws = transform_draws
        self.transform_sparse = transform_sparse
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.scratch = scratch
        self.keep_reconstruction = keep_reconstruction
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.callback = callback
        self.keep_interrupted = keep_interrupted
        self.verbose = verbose
        check_names(f"{type(self).__name__}.__init__", options, [*vars(self), *OPTION_NAMES])
        for name in OPTION_NAMES:
            setattr(self, name, options.get(name))

    @classmethod
    def from_model(cls, model: _core.Model | str | os.PathLike[str], **params: Any) -> DictionaryLearning:
        """Return a fitted estimator with the dictionary, the noise and the options of a model.

        Parameters
        ----------
        model : Model or path-like
            A model, or the file of one, written by :meth:`save` or by the program.
        **params
            Parameters of the estimator that are to differ, such as ``transform_algorithm="omp"``.

        Returns
        -------
        estimator : DictionaryLearning
            Its parameters are those that the model was learned with, so that ``fit`` would repeat the run, except for
            what a model does not have, such as a time limit.

        Examples
        --------
        >>> import pathlib, tempfile, sbdl
        >>> data = sbdl.synthetic(100, 8, 8, n_nonzero_coefs=2)
        >>> learner = sbdl.DictionaryLearning(method="ksvd", sparsity=2, random_state=0).fit(data.signals)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     learner.save(pathlib.Path(folder) / "model.h5")
        ...     again = sbdl.DictionaryLearning.from_model(pathlib.Path(folder) / "model.h5")
        >>> again
        DictionaryLearning(method='ksvd', n_components=8, random_state=0, sparsity=2)
        >>> bool((again.transform(data.signals) == learner.transform(data.signals)).all())
        True
        """
        if not isinstance(model, _core.Model):
            model = _core.load_model(Path(model))
        if model.method not in METHODS:
            raise ValueError(
                f"The model was learned by {model.method!r}, which is not a method of this version of sbdl"
            )
        known = {"method": model.method, "random_state": model.seed, **options_of(model)}
        estimator = cls(**{**known, **params})
        estimator.model_ = model
        estimator.n_iter_ = len(model.trace["sweep"])
        estimator.n_features_in_ = model.dictionary.shape[1]
        return estimator

    def set_params(self, **params: Any) -> DictionaryLearning:
        """Set parameters by name and return the estimator."""
        known = self.get_params(deep=False)
        for name in params:
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {type(self).__name__}{other_name(name, known)}"
                )
        super().set_params(**params)
        return self

    # --- learning

    def fit(self, X: ArrayLike, y: Any = None) -> DictionaryLearning:
        """Learn a dictionary from signals.

        Ctrl-C stops after the sweep, stores what was learned so far, and raises KeyboardInterrupt, unless
        `keep_interrupted` is set. Pressed again, it raises KeyboardInterrupt within a second, and nothing is stored.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            One signal per row. A C-contiguous float64 array is used without a copy. `gibbs`, `vb` and `bpfa` accept
            missing entries, as NaN or masked.
        y : Ignored

        Returns
        -------
        self : DictionaryLearning
        """
        start = getattr(self, "model_", None) if self.warm_start else None
        return self._learn(self._check(X, reset=True), start)

    @StreamingMethod
    def partial_fit(self, X: ArrayLike, y: Any = None) -> DictionaryLearning:
        """Continue learning: one pass over more signals, in their order; only for methods that learn from batches.

        The state of a method is kept, so that it learns from chunks (of a multiple of `batch` signals) what it would
        learn from all of them together in this order. `rls` forgets less, and `sgd` takes smaller steps, the more
        signals it has seen, so both need to know how many there will be: `stream_signals`, or else `max_iter` times the
        signals of the first call. `online` forgets the first half of all signals seen; with ``forget=0``, nothing.
        `svb` keeps its posterior, and the noise of a call is estimated from its own signals; its start is found from
        those of the first call, which should have a few thousand.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : DictionaryLearning
        """
        before = getattr(self, "model_", None)
        return self._learn(self._check(X, reset=before is None), before, chunk=True)

    def _learn(self, rows: Array, start: _core.Model | None, chunk: bool = False) -> DictionaryLearning:
        method = self._method()
        options = self._core_options(method, rows.shape[1])
        self._check_transform_algorithm()  # not after hours of learning
        if chunk:
            if start is not None and start.dictionary.shape[0] != options["atoms"]:
                raise ValueError(
                    f"n_components is {options['atoms']}, and partial_fit goes on with {start.dictionary.shape[0]} "
                    "atoms: begin anew with fit, or with another estimator"
                )
            options = {**self._plan_of_stream(method, rows, start), "order": "stored", **options, "sweeps": 1}
        if start is not None and start.dictionary.shape != (options["atoms"], rows.shape[1]):
            start = None
        limit = 0.0 if self.time_limit is None else float(self.time_limit)
        checkpoint = None if self.checkpoint is None else Path(self.checkpoint)
        if self.resume and checkpoint is None:
            raise ValueError("'resume' needs the file of a 'checkpoint'")
        with ProgressBar(method.name) as bar:
            arguments = {
                "options": options,
                "preset": self.preset,
                "seed": seed_from(self.random_state),
                "threads": threads_from(self.n_jobs),
                "memory": memory_from(self.memory),
                "scratch": None if self.scratch is None else Path(self.scratch),
                "kernels": "cpu",
                "time_limit": limit,
                "start": start,
                "reconstruct": self.keep_reconstruction,
                "checkpoint": checkpoint,
                "checkpoint_every": float(self.checkpoint_every),
                "resume": checkpoint is not None and self.resume and checkpoint.exists(),
                "callback": listener(self.callback, bar if self.verbose else None),
            }
            outcome = self._train(method, rows, arguments)
        if checkpoint is not None and outcome.model.stop_reason in ("sweeps_done", "converged"):
            checkpoint.unlink(missing_ok=True)
        self.model_ = outcome.model
        self.n_iter_ = outcome.sweeps
        self.n_features_in_ = rows.shape[1]
        self.__dict__.pop("reconstruction_", None)
        if self.keep_reconstruction:
            self.reconstruction_ = outcome.reconstruction
        if outcome.interrupted:
            what = f"Training interrupted by user after {outcome.sweeps} sweeps."
            if not self.keep_interrupted:
                raise KeyboardInterrupt(f"{what} What was learned so far is stored.")
            warnings.warn(what, stacklevel=users_level())
        warn_all(outcome.warnings)
        if method.posterior:
            warn_unless_settled(outcome.model)
        return self

    def _train(self, method: Method, rows: Array, arguments: dict[str, Any]) -> _core.TrainOutcome:
        return _core.train(method.name, rows, **arguments)

    def _plan_of_stream(self, method: Method, rows: Array, start: _core.Model | None) -> dict[str, int]:
        """Return how long the stream will be, for methods that need to know."""
        if "stream_signals" not in method.options:
            return {}
        planned = None if start is None else trained_number(start, "stream_signals")
        if planned is None:
            passes = method.options["max_iter"].default if self.max_iter is None else self.max_iter
            planned = min(int(passes) * rows.shape[0], int(method.options["stream_signals"].most))
        return {"stream_signals": int(planned)}

    def _method(self) -> Method:
        if self.method not in METHODS:
            names = ", ".join(repr(name) for name in METHODS)
            raise ValueError(
                f"The 'method' parameter of {type(self).__name__} must be a str among {{{names}}}. "
                f"Got {self.method!r} instead" + (did_you_mean(self.method, METHODS) or ".")
            )
        return METHODS[self.method]

    def _reject_option(self, name: str, takers: list[str]) -> NoReturn:
        raise ValueError(
            f"{name!r} does not apply to method {self.method!r}, only to {in_words(takers)}; "
            f"leave it out, or choose method={takers[0]!r}"
        )

    def _core_options(self, method: Method, n_features: int) -> dict[str, Any]:
        """Return the given options, checked, under the core's names."""
        owner = type(self).__name__
        given = {name: getattr(self, name) for name in OPTION_NAMES if getattr(self, name) is not None}
        given["n_components"] = n_features if self.n_components is None else self.n_components
        if self.max_iter is not None:
            given["max_iter"] = self.max_iter
        if self.keep_reconstruction and not method.missing:
            self._reject_option("keep_reconstruction", [other.name for other in METHODS.values() if other.missing])
        for name in given:
            if name not in method.options:
                self._reject_option(name, [other.name for other in METHODS.values() if name in other.options])
        return {method.options[name].field: method.options[name].check(v, owner) for name, v in given.items()}

    # --- for scikit-learn

    def transform(self, X: ArrayLike, *, return_std: bool = False, return_probability: bool = False) -> Any:
        # Here, and not only in the base class, because scikit-learn wraps what it finds in a class: `set_output`.
        return super().transform(X, return_std=return_std, return_probability=return_probability)

    transform.__doc__ = CodedSignals.transform.__doc__

    def _repr_html_(self) -> str:
        return estimator_html(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _check(self, X: Any, *, reset: bool) -> Array:
        names = feature_names_of(X)
        if not reset:
            check_feature_names(self, names)
        takers = " or ".join(f"method={method.name!r}" for method in METHODS.values() if method.missing)
        rows = as_rows(
            X, owner=type(self).__name__, missing=self._takes_missing(), way_out=f"{FILL}, or choose {takers}"
        )
        if reset:
            if names is not None:
                self.feature_names_in_ = names
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        elif rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        return rows

    def _takes_missing(self) -> bool:
        method = METHODS.get(self.method)
        return method is not None and method.missing

    def _ignores_empty(self) -> bool:
        option = METHODS[self.method].options.get("empty_signals") if self.method in METHODS else None
        if option is None:
            return False
        given = getattr(self, option.name)
        return bool((option.default if given is None else option.check(given, type(self).__name__)) == "ignore")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = self._takes_missing()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags


def _with_options_in_signature() -> None:
    """Let ``inspect``, and with it ``get_params`` and ``clone``, see every option as a keyword argument."""
    init = cast(Any, DictionaryLearning.__init__)
    own = [p for p in inspect.signature(init).parameters.values() if p.kind != p.VAR_KEYWORD]
    more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in OPTION_NAMES]
    init.__signature__ = inspect.Signature(own + more)
    if DictionaryLearning.__doc__:
        section = options_section().replace("\n", "\n    ")
        DictionaryLearning.__doc__ = DictionaryLearning.__doc__.replace("{options}", section)


_with_options_in_signature()
name_the_estimator(DictionaryLearning)
