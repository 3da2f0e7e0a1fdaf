"""A run that the workers of a dask cluster share.

The client is rank 0: it has no signals, drives the run, reports, and writes checkpoints. Each worker is one more rank.
It holds its rows and runs the same training as every other rank, in a task that is pinned to it.
"""

from __future__ import annotations

import asyncio
import math
import pickle
import shutil
import signal
import tempfile
import threading
import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any

import dask
import numpy as np
from distributed import get_worker, secede
from distributed.client import ClosedClientError, FutureCancelledError
from distributed.scheduler import KilledWorker

from sbdl import _core
from sbdl._messages import BOXES, LOOK_EVERY, LostError, Mailbox, Ranks, WorkerRanks
from sbdl._validation import users_level

__all__ = ["train_on_cluster"]

COMPARED = 128  # rows at either end of the signals, which all ranks compare
GONE = ("error", "lost", "cancelled")  # statuses of futures
WAIT_FOR_WORKERS = 30.0  # seconds, when there is none left
PATIENCE = 30.0  # seconds, with a worker that has not begun


@contextmanager
def _cluster_answers() -> Iterator[None]:
    """For questions to the cluster that have nothing to do with the array: an OSError is a lost connection."""
    try:
        yield
    except (OSError, TimeoutError, asyncio.TimeoutError, FutureCancelledError, ClosedClientError) as error:
        raise LostError(f"the cluster does not answer: {type(error).__name__}: {error}") from error


class _CtrlC:
    """Ctrl-C during a fit, raised between messages only.

    In the middle of one it would leave the ranks with different numbers of messages, and dask's own code may lose it.
    If the attempt that was to end after its sweep is lost, the next one does.
    """

    def __init__(self) -> None:
        self._pending = False
        self._came = False
        self._handler: Any = None

    def __enter__(self) -> _CtrlC:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler) and threading.current_thread() is threading.main_thread():
            self._handler = handler
            signal.signal(signal.SIGINT, self._note)
            self._pending = self._came
        return self

    def __exit__(self, *_: object) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        self._pending = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._pending = self._came = True

    def look(self) -> None:
        """Do what Ctrl-C would have done, usually raise KeyboardInterrupt."""
        if self._pending:
            self._pending = False
            self._handler(signal.SIGINT, None)

    def came_late(self) -> bool:
        """Return whether there was one after the last look, when all was learned already."""
        try:
            self.look()
        except KeyboardInterrupt:
            return True
        return False


class _ClientRanks(Ranks):
    """The ranks as the client sees them."""

    def __init__(self, client: Any, addresses: Sequence[str], boxes: Sequence[Any], ctrl_c: _CtrlC) -> None:
        self._client = client
        self._ctrl_c = ctrl_c
        self._addresses = addresses
        self._boxes = boxes
        self._tasks: Sequence[Any] = ()
        self._asked: dict[int, Any] = {}
        self._waits_for = set(addresses)  # that have not begun
        self._patience_ends = monotonic() + PATIENCE
        super().__init__(len(addresses) + 1, 0, [])

    def open(self) -> Sequence[Any]:
        """Return the mailboxes once they are there."""
        while any(box.status == "pending" for box in self._boxes):
            self.look()
            # One that was gone before it had a mailbox would be waited for, in case it comes back.
            present = _present(self._client)
            for address in self._addresses:
                if address not in present:
                    raise LostError(f"worker {address} was lost")
            threading.Event().wait(LOOK_EVERY / 10)
        self.look()
        with _cluster_answers():
            self._mailboxes = [box.result() for box in self._boxes]
        return self._mailboxes

    def begin(self, tasks: Sequence[Any]) -> None:
        """Wait until all tasks run."""
        self._tasks = tasks
        for rank, address in enumerate(self._addresses, start=1):
            self.receive(rank)  # an empty message
            self._waits_for.remove(address)

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
        self._asked[sender] = self._ask_mailbox(sender, "collect", self._received[sender])

    def look(self) -> None:
        self._ctrl_c.look()
        if self._waits_for and monotonic() > self._patience_ends:
            self._warn_of_waiting()
        # A mailbox first: without it, the tasks of all ranks fail.
        for address, box in zip(self._addresses, self._boxes, strict=True):
            if box.status in GONE:
                raise LostError(f"worker {address} was lost")
        for address, task in zip(self._addresses, self._tasks, strict=bool(self._tasks)):
            if task.status == "finished" and task.result() is not None:
                raise LostError(f"worker {address}: {task.result()}")
            if task.status in GONE:
                error = task.exception()
                if isinstance(error, (KilledWorker, FutureCancelledError)) or "Actor was lost" in str(error):
                    raise LostError(f"worker {address} was lost")
                raise error  # of the array

    def _warn_of_waiting(self) -> None:
        """Say once what a worker has not begun for, unless it computes its rows, which may take long."""
        self._patience_ends += PATIENCE
        with _cluster_answers():
            workers = self._client.scheduler_info()["workers"]
        for address, box in zip(self._addresses, self._boxes, strict=True):
            paused = workers.get(address, {}).get("status") == "paused"
            if address not in self._waits_for or not (paused or box.status == "pending"):
                continue
            why = "it is paused until it has memory" if paused else "are its threads busy?"
            warnings.warn(f"The fit waits for worker {address} to begin: {why}", stacklevel=users_level())
            self._patience_ends = math.inf

    def close(self) -> None:
        for mailbox in self._mailboxes:
            try:
                mailbox.close("the client has ended the run")
            except Exception:  # it is gone
                continue
        # An exception may keep this object alive for a while. The next attempt computes rows of the same names, which
        # must not wait for a worker of this one.
        for future in (*self._boxes, *self._tasks):
            future.release()
        self._mailboxes = []
        self._asked.clear()
        self._on_the_way.clear()


# --- the parts of a run


def _signal_parts(shape: tuple[int, int], parts: Sequence[tuple[int, Any]]) -> _core.SignalParts:
    signals = _core.SignalParts(*shape)
    for first, rows in parts:
        signals.add(first, np.ascontiguousarray(rows))
    return signals


def _learn_share(
    name: str,
    mine: int,
    pickled: bytes,
    shape: tuple[int, int],
    first: int,
    rows: Any,
    ends: Sequence[Any],
    checkpoint: Path | None,
    method: str,
    arguments: dict[str, Any],
) -> str | None:
    """Run the part of a worker. Return what went wrong, or None: the client has the result itself."""
    worker, task = get_worker(), get_worker().get_current_task()
    threads = arguments["threads"] or worker.state.nthreads
    secede()  # type: ignore[no-untyped-call]  # ranks wait for each other, and must not keep other tasks waiting
    box = BOXES.get(name)
    if box is None:
        return "its mailbox is gone"

    def wanted() -> bool:
        """Whether there is a client that waits for this task."""
        known = worker.state.tasks.get(task)
        return known is not None and known.state != "cancelled"

    signals = _signal_parts(shape, [(first, rows), (0, ends[0]), (shape[0] - len(ends[1]), ends[1])])
    mailboxes = pickle.loads(pickled)
    ranks = WorkerRanks(len(mailboxes) + 1, mine, mailboxes, box, wanted)
    # The client alone writes checkpoints, but every rank takes part, and has to name a file.
    own = {"threads": threads, "checkpoint": checkpoint or Path("checkpoint"), "callback": None, "ranks": ranks}
    try:
        ranks.send(0, b"")
        _core.train(method, signals, **{**arguments, **own})
    except Exception as error:  # the client has it, too, or sees this
        return f"{type(error).__name__}: {error}"
    finally:
        box.close("its part has ended")
    return None


def _store_checkpoint(name: str, checkpoint: bytes) -> Path:
    """Write a checkpoint to a file that lives as long as the mailbox, so that the bytes need not stay in memory."""
    folder = Path(tempfile.mkdtemp(prefix="sbdl-", dir=get_worker().local_directory))
    BOXES[name].folder = folder
    file = folder / "checkpoint"
    file.write_bytes(checkpoint)
    return file


class _Run:
    """One attempt to learn on these workers."""

    def __init__(self, client: Any, addresses: Sequence[str], X: Any, method: str, arguments: dict[str, Any]) -> None:
        self._client = client
        self._addresses = addresses
        self._X = X
        self._method = method
        self._arguments = arguments

    def train(self, ctrl_c: _CtrlC) -> _core.TrainOutcome:
        client, X, run = self._client, self._X, uuid.uuid4().hex
        boxes = [
            client.submit(Mailbox, f"{run}-{i}", actor=True, key=f"sbdl-mailbox-{run}-{i}", **_only_on(address))
            for i, address in enumerate(self._addresses)
        ]
        some = min(COMPARED, X.shape[0])
        ends = client.compute([X[:some], X[X.shape[0] - some :]])
        ranks = _ClientRanks(client, self._addresses, boxes, ctrl_c)
        try:
            ranks.begin(self._tasks(run, ranks.open(), ends))
            with _cluster_answers():  # all is well with these rows: every worker has them
                head, tail = client.gather(ends)
            signals = _signal_parts(X.shape, [(0, head), (X.shape[0] - len(tail), tail)])
            with ctrl_c:
                outcome = _core.train(self._method, signals, **{**self._arguments, "ranks": ranks})
                outcome.interrupted = outcome.interrupted or ctrl_c.came_late()
            return outcome
        finally:
            ranks.close()
            for end in ends:
                end.release()

    def _tasks(self, run: str, mailboxes: Sequence[Any], ends: Sequence[Any]) -> list[Any]:
        """Start the parts of the workers."""
        client, X, addresses = self._client, self._X, self._addresses
        # Not as an argument that dask knows: workers would hold on to each other's mailboxes for ever.
        pickled = pickle.dumps(mailboxes)
        state = None
        if self._arguments["resume"]:
            file = self._arguments["checkpoint"].read_bytes()
            with _cluster_answers():
                state = client.scatter(file, hash=False)
        for_workers = {key: self._arguments[key] for key in _FOR_WORKERS}
        tasks = []
        for i, address in enumerate(addresses):
            name, only_here = f"{run}-{i}", _only_on(address)
            stored = None
            if state is not None:
                stored = client.submit(_store_checkpoint, name, state, key=f"sbdl-checkpoint-{name}", **only_here)
            atoms = self._arguments["options"]["atoms"]
            first, end = _core.signals_of_rank(self._method, i, len(addresses), X.shape[0], X.shape[1], atoms)
            rows = client.compute(X[first:end].rechunk(-1), **only_here)
            tasks.append(
                client.submit(
                    _learn_share,
                    name,
                    i + 1,
                    pickled,
                    X.shape,
                    first,
                    rows,
                    ends,
                    stored,
                    self._method,
                    for_workers,
                    key=f"sbdl-learn-{name}",
                    pure=False,
                    **only_here,
                )
            )
        return tasks


_FOR_WORKERS = ("options", "preset", "seed", "threads", "kernels", "time_limit", "start", "checkpoint_every", "resume")


def _only_on(address: str) -> dict[str, Any]:
    return {"workers": [address], "allow_other_workers": False}


def _present(client: Any) -> set[str]:
    with _cluster_answers():
        return set(client.nthreads())


def _addresses(client: Any, patient: bool) -> list[str]:
    """Return the workers that there are, or, with patience, that come when there is none."""
    deadline = monotonic() + WAIT_FOR_WORKERS
    while True:
        found = sorted(_present(client))
        if found or not patient or monotonic() > deadline:
            return found
        threading.Event().wait(LOOK_EVERY)


class _CheckpointFile:
    """The checkpoint of a fit, which has a temporary one if the user names none."""

    def __init__(self, named: Path | None, resume: bool) -> None:
        self._folder = None if named is not None else Path(tempfile.mkdtemp(prefix="sbdl-"))
        self.path = named or Path(str(self._folder)) / "checkpoint"
        self._of_others = None if resume else self._version()

    def _version(self) -> tuple[int, int, int] | None:
        """Return what differs between two files of the same name."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    @property
    def written(self) -> bool:
        """Whether the file is of this fit, or of the one that it goes on with."""
        return self._version() not in (None, self._of_others)

    def where(self) -> str:
        if not self.written:
            return "no checkpoint was written"
        return f"its last checkpoint is {self.path}: with that 'checkpoint', resume=True goes on from there"

    def remove(self) -> None:
        """Remove what is temporary."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def train_on_cluster(client: Any, X: Any, method: str, arguments: dict[str, Any]) -> _core.TrainOutcome:
    """Do what `_core.train` does, with the rows of a dask array, on all workers of a cluster.

    When a worker is lost, the others go on from the last checkpoint. Without a file for it in `arguments`, it is a
    temporary one, which stays only if the fit fails and can be resumed.
    """
    checkpoint = _CheckpointFile(arguments["checkpoint"], arguments["resume"])
    try:
        outcome = _train_until_done(client, X, method, arguments, checkpoint)
    except LostError as error:
        where = checkpoint.where()
        if not checkpoint.written:
            checkpoint.remove()
        raise RuntimeError(f"The fit has ended: {error}; {where}") from error
    except (ValueError, TypeError, KeyboardInterrupt):  # of the input or the user
        checkpoint.remove()
        raise
    except BaseException:
        if checkpoint.written:
            warnings.warn(f"The fit has failed; {checkpoint.where()}", stacklevel=users_level())
        else:
            checkpoint.remove()
        raise
    checkpoint.remove()
    return outcome


def _train_until_done(
    client: Any, X: Any, method: str, arguments: dict[str, Any], checkpoint: _CheckpointFile
) -> _core.TrainOutcome:
    most_losses = int(dask.config.get("distributed.scheduler.allowed-failures"))
    began, losses, ctrl_c = monotonic(), 0, _CtrlC()
    now = {**arguments, "checkpoint": checkpoint.path}
    while True:
        addresses = _addresses(client, losses > 0)
        if not addresses:
            raise LostError("the cluster has no workers")
        try:
            return _Run(client, addresses, X, method, now).train(ctrl_c)
        except LostError as error:
            losses += 1
            _present(client)  # fails without a scheduler
            if losses > most_losses:
                raise
            now["resume"] = checkpoint.written
            begins = "from the last checkpoint" if now["resume"] else "from the beginning"
            warnings.warn(f"{error}; the fit goes on {begins} with the workers that are left", stacklevel=users_level())
        if arguments["time_limit"] > 0.0:
            now["time_limit"] = max(1e-3, arguments["time_limit"] - (monotonic() - began))
