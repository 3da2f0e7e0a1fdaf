"""A run that the workers of a dask cluster share.

The client is rank 0: it has no signals, drives the run, reports, and writes checkpoints. Each worker is one more rank.
It holds its rows and runs the same training as every other rank, in a task that is pinned to it. Messages between ranks
go through an actor beside each of these tasks, on the ways that dask has: from worker to worker, and from the client
through the scheduler, unless the client may connect to workers.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import tempfile
import threading
import uuid
import warnings
import weakref
from collections import defaultdict, deque
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

__all__ = ["train_on_cluster"]

COMPARED = 128  # rows at either end of the signals, which all ranks compare
GONE = ("error", "lost", "cancelled")  # statuses of futures
LOOK_EVERY = 0.1  # seconds between looks for workers that are gone
WAIT_FOR_REASON = 5.0  # seconds, when a message was lost
WAIT_FOR_WORKERS = 30.0  # seconds, when there is none left
MOST_ON_THE_WAY = 16  # messages of a rank


class _LostError(Exception):
    """A worker is gone, or its part of the run has failed in a way that only it knows."""


# --- messages


class _Box:
    """What has arrived for a rank, and what it has for the client. Filled and emptied by different threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._arrived: dict[tuple[int, int], bytes] = {}  # by sender and number
        self._outgoing: dict[int, bytes] = {}  # by number
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._closed = ""

    def put(self, sender: int, number: int, message: bytes) -> None:
        with self._changed:
            self._arrived[sender, number] = message
            self._changed.notify_all()

    def get(self, sender: int, number: int) -> bytes:
        """Return a message once it has arrived."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or (sender, number) in self._arrived)
            self.check()
            return self._arrived.pop((sender, number))

    def post(self, number: int, message: bytes) -> None:
        """Leave a message for the client, which does not have to come for many at once."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._outgoing) < MOST_ON_THE_WAY)
            self.check()
            waiting = self._waiting.pop(number, None)
            if waiting is None:
                self._outgoing[number] = message
            else:
                waiting.get_loop().call_soon_threadsafe(_settle, waiting, message)

    async def collect(self, number: int) -> bytes:
        """Return a message for the client once it is there."""
        with self._changed:
            self.check()
            if number in self._outgoing:
                self._changed.notify_all()
                return self._outgoing.pop(number)
            waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        message: bytes = await waiting
        return message

    def check(self) -> None:
        if self._closed:
            raise _LostError(self._closed)

    def close(self, why: str) -> None:
        with self._changed:
            self._closed = self._closed or why
            self._changed.notify_all()
            for waiting in self._waiting.values():
                waiting.get_loop().call_soon_threadsafe(_settle, waiting, None)
            self._waiting.clear()


def _settle(waiting: asyncio.Future[bytes], message: bytes | None) -> None:
    if waiting.done():
        return
    if message is None:
        waiting.set_exception(_LostError("the run has ended"))
    else:
        waiting.set_result(message)


# The boxes of the ranks that this process has. An actor owns a box, which closes when the client lets the actor go.
_BOXES: weakref.WeakValueDictionary[str, _Box] = weakref.WeakValueDictionary()


class Mailbox:
    """The actor beside the task of a rank."""

    def __init__(self, name: str) -> None:
        self._box = _BOXES[name] = _Box()
        weakref.finalize(self, self._box.close, "the client has gone")

    async def put(self, sender: int, number: int, message: bytes) -> None:
        """Bring a message of another rank."""
        self._box.put(sender, number, message)

    async def collect(self, number: int) -> bytes:
        """Fetch a message for the client."""
        return await self._box.collect(number)

    async def close(self, why: str) -> None:
        """End the part of this rank."""
        self._box.close(why)


class _Ranks:
    """What ranks on the client and on workers have in common: messages are numbered, since they may overtake."""

    def __init__(self, count: int, mine: int, mailboxes: Sequence[Any]) -> None:
        self.count = count
        self.mine = mine
        self._mailboxes = mailboxes  # of ranks 1, 2, ...
        self._sent: dict[int, int] = defaultdict(int)
        self._received: dict[int, int] = defaultdict(int)
        self._on_the_way: deque[Any] = deque()

    def _bring(self, to: int, message: bytes) -> None:
        # Waiting comes first: if it is interrupted, nothing has been sent, and the call can be made again.
        while len(self._on_the_way) >= MOST_ON_THE_WAY or (self._on_the_way and self._on_the_way[0].done()):
            self._wait(self._on_the_way[0])
            self._on_the_way.popleft()
        self._on_the_way.append(self._mailboxes[to - 1].put(self.mine, self._sent[to], message))
        self._sent[to] += 1

    def _wait(self, answer: Any) -> Any:
        """Return the answer of a mailbox, unless `look` raises meanwhile."""
        while True:
            try:
                return answer.result(timeout=LOOK_EVERY)
            except (TimeoutError, asyncio.TimeoutError):
                self.look()
            except Exception as error:
                self.explain()
                raise _LostError(f"a message did not arrive: {error}") from error

    def look(self) -> None:
        """Raise an exception if the run cannot go on."""
        raise NotImplementedError

    def explain(self) -> None:
        """Look for a while: the scheduler may not know yet that a worker is gone."""
        deadline = monotonic() + WAIT_FOR_REASON
        while monotonic() < deadline:
            self.look()
            threading.Event().wait(LOOK_EVERY)


class _WorkerRanks(_Ranks):
    """The ranks as a worker sees them."""

    def __init__(self, count: int, mine: int, mailboxes: Sequence[Any], box: _Box) -> None:
        super().__init__(count, mine, mailboxes)
        self._box = box

    def send(self, to: int, message: bytes) -> None:
        if to > 0:
            return self._bring(to, message)
        self._box.post(self._sent[to], message)
        self._sent[to] += 1
        return None

    def receive(self, sender: int) -> bytes:
        message = self._box.get(sender, self._received[sender])
        self._received[sender] += 1
        return message

    def look(self) -> None:
        self._box.check()

    def close(self) -> None:
        """Do nothing: the client sees that the task has ended."""


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


class _ClientRanks(_Ranks):
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
                    raise _LostError(f"worker {address} was lost")
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
                raise _LostError(f"worker {address} was lost")
        for address, _, task in self._workers:
            if task.status == "finished" and task.result() is not None:
                raise _LostError(f"worker {address}: {task.result()}")
            if task.status in GONE:
                error = task.exception()
                if isinstance(error, (KilledWorker, FutureCancelledError)) or "Actor was lost" in str(error):
                    raise _LostError(f"worker {address} was lost")
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
        signals.add(first, np.ascontiguousarray(rows, dtype=np.float64))
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
    box = _BOXES.get(name)
    if box is None:
        return "its mailbox is gone"
    signals = _signal_parts(shape, [(first, rows), (0, ends[0]), (shape[0] - len(ends[1]), ends[1])])
    with tempfile.TemporaryDirectory(prefix="sbdl-") as folder:
        file = Path(folder) / "checkpoint"
        if checkpoint is not None:
            file.write_bytes(checkpoint)
        ranks = _WorkerRanks(len(mailboxes) + 1, mine, mailboxes, box)
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
            first, end = _core.signals_of_rank(self._method, i, len(addresses), X.shape[0], X.shape[1], atoms)
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
                raise _LostError("the cluster has no workers")
            try:
                return _Run(client, addresses, X, method, now).train()
            except _LostError as error:
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
    except _LostError as error:
        kept = f"its last checkpoint is {file}: resume=True goes on from there" if file.exists() else "no checkpoint"
        own = None
        raise RuntimeError(f"The fit has ended: {error}; {kept}") from error
    finally:
        if own is not None:
            shutil.rmtree(own, ignore_errors=True)
