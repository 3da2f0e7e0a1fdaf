"""A progress bar: redrawn in place on a terminal and in a notebook, a few lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TextIO

from sbdl._core import SweepReport

__all__ = ["ProgressBar", "StageListener", "listener", "stage_bar"]

WIDTH = 24
REDRAW_SECONDS = 0.1
LINES = 20  # in total, where the bar cannot be redrawn
PARTS = " ▏▎▍▌▋▊▉█"

StageListener = Callable[[str, float, float], None]  # stage, share of the whole run that is done, seconds left


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes:02d}:{rest:02d}"


def _blocks(share: float) -> str:
    eighths = round(share * WIDTH * 8)
    full, part = divmod(eighths, 8)
    return (PARTS[-1] * full + (PARTS[part] if part else "")).ljust(WIDTH)


class ProgressBar:
    """Shows the progress of a run on `stream`, by default standard error."""

    def __init__(self, label: str, stream: TextIO | None = None) -> None:
        self._label = self._learning = label
        self._stream = sys.stderr if stream is None else stream
        self._in_place = self._stream.isatty() or _in_notebook()
        self._start = time.monotonic()
        self._drawn_at = -1.0
        self._drawn_share = -1.0
        self._line = ""
        self._length = 0

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def on_sweep(self, report: SweepReport) -> None:
        """Show a sweep of a learner; each chain starts from 0."""
        label = self._learning if report.chain == 0 else f"{self._learning}, chain {report.chain + 1}"
        self.show(
            report.sweep / report.sweeps_planned,
            label,
            f"{report.sweep}/{report.sweeps_planned}",
            f"noise {report.noise_sd:.4g}",
        )

    def on_stage(self, stage: str, share: float, left: float) -> None:
        """Show the current stage, the share of the whole run that is done, and the seconds that are left."""
        self.show(share, self._learning, stage, "", left)

    def show(self, share: float, label: str, count: str, extra: str, left: float | None = None) -> None:
        """Draw the share, at most ten times a second on a terminal and twenty times in total elsewhere."""
        if label != self._label:
            self.close()
            self._label, self._start, self._drawn_share = label, time.monotonic(), -1.0
        self._drawn_share = min(self._drawn_share, share)  # it falls when a chain goes on
        passed = time.monotonic() - self._start
        if left is None:
            left = passed * (1.0 - share) / share if share > 0.0 else 0.0
        details = ", ".join(filter(None, [f"{_clock(passed)}<{_clock(left)}", extra]))
        self._line = f"{label}: {int(100 * share):3d}%|{_blocks(share)}| {count} [{details}]"
        if self._in_place:
            due = passed - self._drawn_at >= REDRAW_SECONDS or self._drawn_share < 0.0 or share >= 1.0
        else:
            due = share - self._drawn_share >= 1.0 / LINES or share >= 1.0
        if due:
            self._draw(passed, share)

    def _draw(self, passed: float, share: float) -> None:
        self._drawn_at, self._drawn_share = passed, share
        if self._in_place:
            self._stream.write("\r" + self._line.ljust(self._length))
            self._length = len(self._line)
        else:
            self._stream.write(self._line + "\n")
        self._stream.flush()
        self._line = ""

    def close(self) -> None:
        """Show the latest state and end the line."""
        if self._line:
            self._draw(time.monotonic() - self._start, self._drawn_share)
        if self._in_place and self._length:
            self._stream.write("\n")
            self._stream.flush()
        self._length = 0


def listener(
    callback: Callable[[SweepReport], Any] | None, bar: ProgressBar | None
) -> Callable[[SweepReport], Any] | None:
    """Return the function that the core calls after each sweep: the user's, the bar's, or both."""
    if bar is None:
        return callback

    def both(report: SweepReport) -> Any:
        bar.on_sweep(report)
        return callback(report) if callback is not None else None

    return both


@contextmanager
def stage_bar(label: str, verbose: int) -> Iterator[StageListener | None]:
    """Give the function that draws a bar of stages while the core works; None without `verbose`."""
    if not verbose:
        yield None
        return
    with ProgressBar(label) as bar:
        yield bar.on_stage
