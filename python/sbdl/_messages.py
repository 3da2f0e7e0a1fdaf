"""Messages between the ranks of a run on a dask cluster.

They go through an actor beside the task of each rank, on the ways that dask has: from worker to worker, and from the
client through the scheduler, unless the client may connect to workers.
"""

from __future__ import annotations

import asyncio
import shutil
import threading
import weakref
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

__all__ = ["BOXES", "LOOK_EVERY", "LostError", "Mailbox", "Ranks", "WorkerRanks"]

LOOK_EVERY = 0.1  # seconds between looks for workers that are gone
WAIT_FOR_REASON = 5.0  # seconds, when a message was lost
MOST_ON_THE_WAY = 16  # messages of a rank


class LostError(Exception):
    """A worker is gone, or its part of the run has failed in a way that only it knows."""


class Box:
    """What has arrived for a rank, and what it has for the client. Filled and emptied by different threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._arrived: dict[tuple[int, int], bytes] = {}  # by sender and number
        self._outgoing: dict[int, bytes] = {}  # by number
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._closed = ""
        self.wanted: Callable[[], bool] = lambda: True  # whether anybody waits for what this rank does
        self.folder: Path | None = None  # to be removed with the box

    def put(self, sender: int, number: int, message: bytes) -> None:
        with self._changed:
            self._arrived[sender, number] = message
            self._changed.notify_all()

    def get(self, sender: int, number: int) -> bytes:
        """Return a message once it has arrived."""
        with self._changed:
            self._wait_for(lambda: (sender, number) in self._arrived)
            return self._arrived.pop((sender, number))

    def post(self, number: int, message: bytes) -> None:
        """Leave a message for the client, which does not have to come for many at once."""
        with self._changed:
            self._wait_for(lambda: len(self._outgoing) < MOST_ON_THE_WAY)
            waiting = self._waiting.pop(number, None)
            if waiting is None:
                self._outgoing[number] = message
            else:
                waiting.get_loop().call_soon_threadsafe(_settle, waiting, message)

    def _wait_for(self, ready: Callable[[], bool]) -> None:
        while not self._changed.wait_for(lambda: self._closed or ready(), timeout=LOOK_EVERY):
            self.check()
        self.check()

    async def collect(self, number: int) -> bytes:
        """Return a message for the client once it is there."""
        with self._changed:
            if number in self._outgoing:  # also when the rank has ended
                self._changed.notify_all()
                return self._outgoing.pop(number)
            self.check()
            waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        message: bytes = await waiting
        return message

    def check(self) -> None:
        if self._closed:
            raise LostError(self._closed)
        if not self.wanted():
            raise LostError("the client has gone")

    def close(self, why: str) -> None:
        with self._changed:
            self._closed = self._closed or why
            self._changed.notify_all()
            for waiting in self._waiting.values():
                waiting.get_loop().call_soon_threadsafe(_settle, waiting, None)
            self._waiting.clear()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def _settle(waiting: asyncio.Future[bytes], message: bytes | None) -> None:
    if waiting.done():
        return
    if message is None:
        waiting.set_exception(LostError("the run has ended"))
    else:
        waiting.set_result(message)


# The boxes of the ranks that this process has. An actor owns a box, which closes when the client lets the actor go.
BOXES: weakref.WeakValueDictionary[str, Box] = weakref.WeakValueDictionary()


class Mailbox:
    """The actor beside the task of a rank."""

    def __init__(self, name: str) -> None:
        self._box = BOXES[name] = Box()
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


class Ranks:
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
        self._on_the_way.append(self._ask_mailbox(to, "put", self.mine, self._sent[to], message))
        self._sent[to] += 1

    def _ask_mailbox(self, rank: int, method: str, *arguments: Any) -> Any:
        """Return what will be the answer. A mailbox that is gone no longer has methods."""
        try:
            return getattr(self._mailboxes[rank - 1], method)(*arguments)
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> NoReturn:
        self.explain()
        raise LostError(f"a message did not arrive: {error}") from error

    def _wait(self, answer: Any) -> Any:
        """Return the answer of a mailbox, unless `look` raises meanwhile."""
        while True:
            try:
                return answer.result(timeout=LOOK_EVERY)
            except (TimeoutError, asyncio.TimeoutError):
                self.look()
            except Exception as error:
                self._give_up(error)

    def look(self) -> None:
        """Raise an exception if the run cannot go on."""
        raise NotImplementedError

    def explain(self) -> None:
        """Look for a while: the scheduler may not know yet that a worker is gone."""
        deadline = monotonic() + WAIT_FOR_REASON
        while monotonic() < deadline:
            self.look()
            threading.Event().wait(LOOK_EVERY)


class WorkerRanks(Ranks):
    """The ranks as a worker sees them."""

    def __init__(self, count: int, mine: int, mailboxes: Sequence[Any], box: Box, wanted: Callable[[], bool]) -> None:
        super().__init__(count, mine, mailboxes)
        self._box = box
        box.wanted = wanted

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
