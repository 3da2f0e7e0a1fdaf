"""sbdl.dask when something fails: workers, the scheduler, the user's Ctrl-C; and errors of the array."""

import contextlib
import gc
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask.array as da
import dask.config
from distributed import Client, LocalCluster
from test_dask import (
    CHUNK,
    ROWS,
    array,
    await_workers,
    client,
    cluster,
    expect_same,
    learner,
    plain,
    processes,
    signals,
    threads,
)

import sbdl
import sbdl._cluster as _cluster
import sbdl._messages as _messages


def test_chunks_of_another_size_than_the_array_says(client, signals):
    """Rows that are too many would be rows of another chunk."""

    def fewer(block, block_info=None):
        return block[: 127 if block_info[0]["chunk-location"][0] == 2 else None]

    short = da.from_array(signals, chunks=(CHUNK, 6)).map_blocks(fewer, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(ValueError, match=r"chunk \(2, 0\) of X was to have 150 rows .* has the shape \(127, 6\)"):
        learner().fit(short)
    with pytest.raises(ValueError, match=r"chunk \(2, 0\) of X was to have 150 rows"):
        learner(max_iter=1).fit(da.from_array(signals, chunks=(CHUNK, 6))).transform(short).compute()


@pytest.mark.parametrize("at", [2, 6])
def test_a_killed_worker(processes, array, plain, at):
    """Kill a worker during a fit, before and after the first checkpoint."""
    pids = processes.run(os.getpid)
    victim = sorted(pids)[1]

    def kill(report):
        if report.sweep == at and victim in pids:
            os.kill(pids.pop(victim), signal.SIGKILL)

    every = 0 if at > 5 else np.inf
    with pytest.warns(
        UserWarning, match=f"{victim} was lost; the fit goes on from the {'last' if at > 5 else 'begin'}"
    ):
        fitted = learner(callback=kill, checkpoint_every=every).fit(array)
    expect_same(fitted, plain)


def test_no_worker_is_left(processes, array, tmp_path, monkeypatch):
    find, asked = _cluster._addresses, []

    def none_later(client, patient):
        asked.append(1)
        return find(client, patient)[:1] if len(asked) == 1 else []

    monkeypatch.setattr(_cluster, "_addresses", none_later)
    pids = processes.run(os.getpid)

    def kill(report):
        if report.sweep == 3:
            os.kill(pids[min(pids)], signal.SIGKILL)

    checkpoint = tmp_path / "checkpoint"
    with pytest.warns(UserWarning, match="was lost"), pytest.raises(RuntimeError, match=f"no workers.*{checkpoint}"):
        learner(callback=kill, checkpoint=checkpoint, checkpoint_every=0).fit(array)
    monkeypatch.undo()
    await_workers(processes)
    again = learner(checkpoint=checkpoint, resume=True).fit(array)
    assert again.n_iter_ == 8
    assert not checkpoint.exists()


def lose_a_worker():
    """In the cluster of threads: all parts of the fit end, and dask does not know why."""
    for box in list(_messages.BOXES.values()):
        box.close("it is gone")


@pytest.mark.parametrize("persisted", [False, True])
def test_a_killed_worker_that_had_blocks_of_others(processes, signals, plain, persisted):
    """Blocks that belong to two workers, computed there or before."""
    pids = processes.run(os.getpid)
    array = da.from_array(signals, chunks=(CHUNK, 6)).map_blocks(np.array, dtype=float, meta=np.empty((0, 0)))
    victim = sorted(pids)[1]

    def kill(report):
        if report.sweep == 4 and victim in pids:
            os.kill(pids.pop(victim), signal.SIGKILL)

    with pytest.warns(UserWarning, match=f"{victim} was lost"):
        expect_same(learner(callback=kill, checkpoint_every=0).fit(array.persist() if persisted else array), plain)


def test_a_worker_that_comes_back_with_its_old_address(signals, plain):
    array = da.from_array(signals, chunks=(CHUNK, 6))
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, worker_port=free_port(), dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        pids = client.run(os.getpid)

        def kill(report):
            if report.sweep == 4 and pids:
                os.kill(pids.popitem()[1], signal.SIGKILL)

        before = set(pids)
        with pytest.warns(UserWarning, match="was lost"):
            expect_same(learner(callback=kill, checkpoint_every=0).fit(array), plain)
        assert set(client.nthreads()) == before


def free_port():
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
        return server.getsockname()[1]


def test_a_client_that_dies(processes, signals, tmp_path):
    """The workers do not go on without it."""
    np.save(tmp_path / "signals.npy", signals)
    script = f"""
import dask.array as da, numpy as np, sbdl.dask
from distributed import Client
with Client({processes.scheduler.address!r}):
    X = da.from_array(np.load({str(tmp_path / "signals.npy")!r}), chunks=(150, 6))
    sbdl.dask.DictionaryLearning(9, max_iter=10**7, callback=lambda report: print("learns", flush=True)).fit(X)
"""

    def boxes():
        gc.collect()
        return len(_messages.BOXES)

    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"learns\n"
        assert sum(processes.run(boxes).values()) == 3
        other.kill()
    wait_until(lambda: sum(processes.run(boxes).values()) == 0)


def test_the_checkpoint_of_another_fit(client, array, plain, tmp_path):
    """It may be there and is not what a fit goes on from after a loss."""
    checkpoint = tmp_path / "checkpoint"
    learner("vb", callback=lambda report: report.sweep == 3, checkpoint=checkpoint).fit(array)
    before = checkpoint.read_bytes()

    def lose(report):
        if report.sweep == 2 and not lost:
            lost.append(1)
            lose_a_worker()

    lost = []
    with pytest.warns(UserWarning, match="goes on from the beginning"):
        fitted = learner(callback=lose, checkpoint=checkpoint, checkpoint_every=np.inf).fit(array)
    expect_same(fitted, plain)
    lost.clear()
    checkpoint.write_bytes(before)
    with pytest.warns(UserWarning, match="goes on from the last checkpoint"):
        fitted = learner(callback=lose, checkpoint=checkpoint, checkpoint_every=0).fit(array)
    expect_same(fitted, plain)


@pytest.mark.parametrize(
    ("failure", "kept"),
    [
        (OSError("a disk"), True),
        (RuntimeError("rank 2"), True),
        (_messages.LostError("a worker"), True),
        (ValueError("of the array"), False),
        (KeyboardInterrupt(), False),
    ],
)
@pytest.mark.filterwarnings("ignore:a worker; the fit goes on")
def test_what_happens_to_the_temporary_checkpoint(client, array, monkeypatch, failure, kept):
    files = []

    def fail(run, ctrl_c):
        files.append(run._arguments["checkpoint"])
        files[-1].write_bytes(b"all that is left")
        raise failure

    monkeypatch.setattr(_cluster._Run, "train", fail)
    lost = isinstance(failure, _messages.LostError)
    expected = (
        pytest.warns(UserWarning, match="its last checkpoint is") if kept and not lost else contextlib.nullcontext()
    )
    with expected, pytest.raises(RuntimeError if lost else type(failure)) as caught:
        learner().fit(array)
    assert files[-1].exists() == files[-1].parent.exists() == kept
    assert (str(files[-1]) in str(caught.value)) == lost
    if kept:
        shutil.rmtree(files[-1].parent)


@pytest.mark.filterwarnings("ignore:.*the fit goes on")  # if the scheduler still seems to be there
def test_a_lost_scheduler(client, signals, plain, tmp_path):
    """Its death is noticed, and what was learned can be resumed on another cluster."""
    array = da.from_array(signals, chunks=(CHUNK, 6))
    where = tmp_path / "scheduler.json"
    start = [sys.executable, "-m", "distributed.cli.dask_"]
    with contextlib.ExitStack() as started, dask.config.set({"distributed.comm.timeouts.connect": "2s"}):

        def run(part, *arguments):
            command = [*start[:2], start[2] + part, "--scheduler-file", where, *arguments, "--no-dashboard"]
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            started.callback(process.wait)
            started.callback(process.kill)
            return process

        scheduler = run("scheduler", "--port", "0")
        run("worker", "--no-nanny", "--nthreads", "1")

        def kill(report):
            if report.sweep == 5:
                scheduler.kill()
                scheduler.wait()
                deadline = time.monotonic() + 10
                while other.status == "running" and time.monotonic() < deadline:
                    threading.Event().wait(0.02)

        # Without its scheduler a client sometimes fails to close: asyncio raises a RuntimeError.
        with contextlib.suppress(RuntimeError), Client(scheduler_file=str(where)) as other:
            other.wait_for_workers(1, timeout=60)
            with pytest.raises(RuntimeError, match="does not answer") as caught:
                learner(callback=kill, checkpoint_every=0).fit(array)
    checkpoint = Path(re.search("its last checkpoint is (.*): ", str(caught.value))[1])
    expect_same(learner(checkpoint=checkpoint, resume=True).fit(array), plain)
    assert not checkpoint.exists()
    checkpoint.parent.rmdir()


def test_a_mailbox_that_is_gone(monkeypatch):
    class Gone:
        def __getattr__(self, name):
            raise RuntimeError("Worker holding Actor was lost")

    monkeypatch.setattr(_messages, "WAIT_FOR_REASON", 0.0)
    ranks = _messages.Ranks(2, 0, [Gone()])
    with pytest.raises(_messages.LostError, match="a message did not arrive: Worker holding Actor was lost"):
        ranks._bring(1, b"")


def test_a_resumed_fit_does_not_keep_its_checkpoint_in_memory(threads, client, array, plain, tmp_path):
    checkpoint, held = tmp_path / "checkpoint", []
    learner(callback=lambda report: report.sweep == 3, checkpoint=checkpoint).fit(array)
    size = checkpoint.stat().st_size

    def look(report):
        if report.sweep == 6:
            time.sleep(1)  # the cluster lets it go soon after, not at once
            data = [value for worker in threads.workers.values() for value in dict(worker.data).values()]
            held.append(any(isinstance(value, bytes) and len(value) == size for value in data))
            held.append(len(stored_checkpoints(threads)))

    expect_same(learner(callback=look, checkpoint=checkpoint, resume=True).fit(array), plain)
    assert held == [False, 2]
    wait_until(lambda: not stored_checkpoints(threads))


def stored_checkpoints(cluster):
    folders = [Path(worker.local_directory) for worker in cluster.workers.values()]
    return [file for folder in folders for file in folder.glob("sbdl-*")]


def wait_until(true, seconds=20):
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert true()


def test_a_worker_that_does_not_begin_is_named(client, array, plain, monkeypatch):
    monkeypatch.setattr(_cluster, "PATIENCE", 0.5)
    busy = sorted(client.nthreads())[0]
    sleeping = client.submit(time.sleep, 3, workers=[busy], pure=False)
    with pytest.warns(UserWarning, match=f"The fit waits for worker {busy} to begin: are its threads busy") as caught:
        expect_same(learner().fit(array), plain)
    assert sum("waits for worker" in str(warning.message) for warning in caught) == 1
    sleeping.result()


def test_errors_of_a_worker_are_errors_of_the_fit(client, signals):
    bad = signals.copy()
    bad[ROWS - 140, 3] = np.inf  # neither among the first nor the last rows
    with pytest.raises(ValueError, match=f"row {ROWS - 140}, column 3 .* is inf"):
        learner().fit(da.from_array(bad, chunks=(CHUNK, 6)))

    def unreadable(block):
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        learner().fit(da.from_array(signals, chunks=(CHUNK, 6)).map_blocks(unreadable, dtype=float))


def test_a_callback_ends_the_fit_and_ctrl_c_too(client, array):
    assert learner(callback=lambda report: report.sweep == 3).fit(array).n_iter_ == 3

    def interrupt(report):
        if report.sweep == 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(UserWarning, match="interrupted by user after"):
        stopped = learner(max_iter=5000, callback=interrupt, keep_interrupted=True).fit(array)
    assert 2 <= stopped.n_iter_ < 5000


def test_ctrl_c_in_the_middle_of_a_message(client, array, monkeypatch):
    bring, sent = _messages.Ranks._bring, []

    def bring_and_interrupt(ranks, to, message):
        bring(ranks, to, message)
        sent.append(to)
        if ranks.mine == 0 and len(sent) == 40:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(_messages.Ranks, "_bring", bring_and_interrupt)
    with pytest.warns(UserWarning, match="interrupted by user after"):
        stopped = learner(max_iter=5000, keep_interrupted=True).fit(array)
    assert stopped.n_iter_ < 5000
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_when_all_is_learned(client, array, plain, monkeypatch):
    train = sbdl._core.train

    def train_and_interrupt(*args, **kwargs):
        outcome = train(*args, **kwargs)
        if kwargs["ranks"].mine == 0:
            signal.raise_signal(signal.SIGINT)
        return outcome

    monkeypatch.setattr(sbdl._core, "train", train_and_interrupt)
    stopped = learner()
    with pytest.raises(KeyboardInterrupt, match="What was learned so far is stored"):
        stopped.fit(array)
    expect_same(stopped, plain)


def test_ctrl_c_and_then_a_loss(client, array):
    """The attempt that follows ends after its first sweep."""

    def interrupt_and_lose(report):
        if report.sweep == 2 and not done:
            done.append(1)
            signal.raise_signal(signal.SIGINT)
            lose_a_worker()

    done = []
    with pytest.warns(UserWarning, match=r"goes on|interrupted by user after [1-3] sweeps") as caught:
        learner(max_iter=500, callback=interrupt_and_lose, checkpoint_every=np.inf, keep_interrupted=True).fit(array)
    said = " ".join(str(warning.message) for warning in caught)
    assert "goes on" in said
    assert "interrupted by user" in said


class Line:
    """The transport of one of two ranks in this process."""

    count = 2

    def __init__(self, mine, queues, ended):
        self.mine, self.queues, self.ended = mine, queues, ended

    def send(self, to, message):
        self.queues[to].put(message)

    def receive(self, sender):
        while True:
            self.look()
            with contextlib.suppress(queue.Empty):
                return self.queues[self.mine].get(timeout=0.05)

    def look(self):
        if self.ended.is_set():
            raise RuntimeError("enough")

    def close(self):
        pass


def test_a_rank_whose_run_is_over_stops_within_its_sweep():
    """In the middle of a sweep that takes long, and not in the main thread."""
    rows = np.random.default_rng(1).normal(size=(100_000, 48))
    queues, ended, failures = [queue.Queue(), queue.Queue()], threading.Event(), []

    def rank(mine):
        signals = sbdl._core.SignalParts(*rows.shape)
        signals.add(0, rows)
        options = {"atoms": 384, "burn_in": 5, "draws": 5, "most_draws": 0}
        try:
            sbdl._core.train(
                "gibbs", signals, options, preset="standard", seed=1, threads=1, kernels="cpu", time_limit=0.0,
                start=None, callback=None, ranks=Line(mine, queues, ended),
            )  # fmt: skip
        except RuntimeError as error:
            failures.append(str(error))

    ranks = [threading.Thread(target=rank, args=[mine]) for mine in range(2)]
    for one in ranks:
        one.start()
    time.sleep(1)
    began = time.monotonic()
    ended.set()
    for one in ranks:
        one.join()
    assert failures == ["enough", "enough"]
    assert time.monotonic() - began < 1.5
