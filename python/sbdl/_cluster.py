"""A run that the workers of a dask cluster share.

The client is rank 0: it has no signals, drives the run, reports, and writes checkpoints. Each worker is one more rank.
It holds its rows and runs the same training as every other rank, in a task that is pinned to it.
"""

from __future__ import annotations

import shutil
import signal
import tempfile
import threading
import uuid
import warnings
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any

import dask
import numpy as np
from distributed import get_worker, secede
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from sbdl import _core
from sbdl._coding import users_level
from sbdl._messages import BOXES, LOOK_EVERY, LostError, Mailbox, Ranks, WorkerRanks

__all__ = ["train_on_cluster"]

COMPARED = 128  # rows at either end of the signals, which all ranks compare
GONE = ("error", "lost", "cancelled")  # statuses of futures
WAIT_FOR_WORKERS = 30.0  # seconds, when there is none left


class _CtrlC:
    """Ctrl-C, raised between messages only.

    In the middle of one it would leave the ranks with different numbers of messages, and dask's own code may lose it.
    """

    def __init__(self) -> None:
        self._pending = False
        self._handler: Any = None

    def __enter__(self) -> _CtrlC:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler) and threading.current_thread() is threading.main_thread():
            self._handler = handler
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if failure is None:
            self.look()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._pending = True

    def look(self) -> None:
        """Do what Ctrl-C would have done, usually raise KeyboardInterrupt."""
        if self._pending:
            self._pending = False
            self._handler(signal.SIGINT, None)


class _ClientRanks(Ranks):
    """The ranks as the client sees them."""

    def __init__(
        self,
        client: Any,
        addresses: Sequence[str],
        boxes: Sequence[Any],
        tasks: Sequence[Any],
        ctrl_c: _CtrlC,
    ) -> None:
        self._client = client
        self._ctrl_c = ctrl_c
        self._workers = list(zip(addresses, boxes, tasks, strict=True))
        self._asked: dict[int, Any] = {}
        super().__init__(len(addresses) + 1, 0, [])

    def open(self) -> None:
        """Wait until all mailboxes are there."""
        while any(box.status == "pending" for _, box, _ in self._workers):
            self.look()
            # One that was gone before it had a mailbox would be waited for, in case it comes back.
            present = set(self._client.nthreads())
            for address, _, _ in self._workers:
                if address not in present:
                    raise LostError(f"worker {address} was lost")
            threading.Event().wait(LOOK_EVERY / 10)
        self.look()
        self._mailboxes = [box.result() for _, box, _ in self._workers]

    def send(self, to: int, message: bytes) -> None:
        self._ctrl_c.look()
        self._bring(to, message)

    def receive(self, sender: int) -> bytes:
        self._ctrl_c.look()
        if sender not in self._asked:
            self._ask(sender)
        message: bytes = self._wait(self._asked[sender])
        self._received[sender] += 1
        self._ask(sender)  # for the next one, before it is needed
        return message

    def _ask(self, sender: int) -> None:
        self._asked[sender] = self._mailboxes[sender - 1].collect(self._received[sender])

    def look(self) -> None:
        self._ctrl_c.look()
        # A mailbox first: without it, the tasks of all ranks fail.
        for address, box, _ in self._workers:
            if box.status in GONE:
                raise LostError(f"worker {address} was lost")
        for address, _, task in self._workers:
            if task.status == "finished" and task.result() is not None:
                raise LostError(f"worker {address}: {task.result()}")
            if task.status in GONE:
                error = task.exception()
                if isinstance(error, (KilledWorker, FutureCancelledError)) or "Actor was lost" in str(error):
                    raise LostError(f"worker {address} was lost")
                raise error  # of the array

    def close(self) -> None:
        for mailbox in self._mailboxes:
            try:
                mailbox.close("the client has ended the run")
            except Exception:  # it is gone
                continue


# --- the parts of a run


def _signal_parts(shape: tuple[int, int], parts: Sequence[tuple[int, Any]]) -> _core.SignalParts:
    signals = _core.SignalParts(*shape)
    for first, rows in parts:
        signals.add(first, np.ascontiguousarray(rows))
    return signals


def _learn_share(
    name: str,
    mine: int,
    mailboxes: Sequence[Any],
    shape: tuple[int, int],
    first: int,
    rows: Any,
    ends: Sequence[Any],
    checkpoint: bytes | None,
    method: str,
    arguments: dict[str, Any],
) -> str | None:
    """Run the part of a worker. Return what went wrong, or None: the client has the result itself."""
    worker = get_worker()
    threads = arguments["threads"] or worker.state.nthreads
    secede()  # type: ignore[no-untyped-call]  # ranks wait for each other, and must not keep other tasks waiting
    box = BOXES.get(name)
    if box is None:
        return "its mailbox is gone"
    signals = _signal_parts(shape, [(first, rows), (0, ends[0]), (shape[0] - len(ends[1]), ends[1])])
    with tempfile.TemporaryDirectory(prefix="sbdl-") as folder:
        file = Path(folder) / "checkpoint"
        if checkpoint is not None:
            file.write_bytes(checkpoint)
        ranks = WorkerRanks(len(mailboxes) + 1, mine, mailboxes, box)
        own = {"threads": threads, "checkpoint": file, "callback": None, "ranks": ranks}
        try:
            _core.train(method, signals, **{**arguments, **own})
        except Exception as error:  # the client has it, too, or sees this
            return f"{type(error).__name__}: {error}"
    return None


class _Run:
    """One attempt to learn on these workers."""

    def __init__(self, client: Any, addresses: Sequence[str], X: Any, method: str, arguments: dict[str, Any]) -> None:
        self._client = client
        self._addresses = addresses
        self._X = X
        self._method = method
        self._arguments = arguments

    def train(self) -> _core.TrainOutcome:
        client, X, addresses = self._client, self._X, self._addresses
        atoms, run = self._arguments["options"]["atoms"], uuid.uuid4().hex
        some = min(COMPARED, X.shape[0])
        ends = client.compute([X[:some], X[X.shape[0] - some :]])
        checkpoint: Path = self._arguments["checkpoint"]
        resume = self._arguments["resume"]
        state = client.scatter(checkpoint.read_bytes(), hash=False) if resume else None
        for_workers = {key: self._arguments[key] for key in _FOR_WORKERS}
        boxes = [
            client.submit(Mailbox, f"{run}-{i}", actor=True, key=f"sbdl-mailbox-{run}-{i}", **_only_on(address))
            for i, address in enumerate(addresses)
        ]
        tasks = []
        for i, address in enumerate(addresses):
            first, end = _core.signals_of_rank(i, len(addresses), X.shape[0], X.shape[1], atoms)
            rows = client.compute(X[first:end].rechunk(-1), **_only_on(address))
            tasks.append(
                client.submit(
                    _learn_share,
                    f"{run}-{i}",
                    i + 1,
                    boxes,
                    X.shape,
                    first,
                    rows,
                    ends,
                    state,
                    self._method,
                    for_workers,
                    key=f"sbdl-learn-{run}-{i}",
                    pure=False,
                    **_only_on(address),
                )
            )
        ctrl_c = _CtrlC()
        ranks = _ClientRanks(client, addresses, boxes, tasks, ctrl_c)
        try:
            ranks.open()
            head, tail = client.gather(ends)
            signals = _signal_parts(X.shape, [(0, head), (X.shape[0] - len(tail), tail)])
            with ctrl_c:
                return _core.train(self._method, signals, **{**self._arguments, "ranks": ranks})
        finally:
            ranks.close()


_FOR_WORKERS = ("options", "preset", "seed", "threads", "kernels", "time_limit", "start", "checkpoint_every", "resume")


def _only_on(address: str) -> dict[str, Any]:
    return {"workers": [address], "allow_other_workers": False}


def _addresses(client: Any, lost: set[str]) -> list[str]:
    """Return the workers that there are, or that come when there is none."""
    deadline = monotonic() + WAIT_FOR_WORKERS
    while True:
        found = sorted(set(client.nthreads()) - lost)
        if found or not lost or monotonic() > deadline:
            return found
        threading.Event().wait(LOOK_EVERY)


def train_on_cluster(client: Any, X: Any, method: str, arguments: dict[str, Any]) -> _core.TrainOutcome:
    """Do what `_core.train` does, with the rows of a dask array, on all workers of a cluster.

    When a worker is lost, the others go on from the last checkpoint. Without a file for it in `arguments`, it is a
    temporary one, which stays only if the run cannot go on.
    """
    own = None if arguments["checkpoint"] is not None else Path(tempfile.mkdtemp(prefix="sbdl-"))
    file = arguments["checkpoint"] if own is None else own / "checkpoint"
    most_losses = int(dask.config.get("distributed.scheduler.allowed-failures"))
    began, losses, lost = monotonic(), 0, set[str]()
    now = {**arguments, "checkpoint": file}
    try:
        while True:
            addresses = _addresses(client, lost)
            if not addresses:
                raise LostError("the cluster has no workers")
            try:
                return _Run(client, addresses, X, method, now).train()
            except LostError as error:
                losses += 1
                lost |= set(addresses) - set(client.nthreads())
                if losses > most_losses:
                    raise
                now["resume"] = file.exists()
                begins = "from the last checkpoint" if now["resume"] else "from the beginning"
                warnings.warn(
                    f"{error}; the fit goes on {begins} with the workers that are left", stacklevel=users_level()
                )
            if arguments["time_limit"] > 0.0:
                now["time_limit"] = max(1e-3, arguments["time_limit"] - (monotonic() - began))
    except LostError as error:
        kept = f"its last checkpoint is {file}: resume=True goes on from there" if file.exists() else "no checkpoint"
        own = None
        raise RuntimeError(f"The fit has ended: {error}; {kept}") from error
    finally:
        if own is not None:
            shutil.rmtree(own, ignore_errors=True)
