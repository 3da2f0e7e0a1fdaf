"""What notebooks show: a fitted estimator, and what denoising and inpainting found. It needs no other package."""

from __future__ import annotations

import base64
import html
import struct
import warnings
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sbdl import _core
from sbdl._base import NarrowPosteriorWarning, estimator_diagram
from sbdl._options import METHODS, has_narrow_posterior
from sbdl._validation import without_alpha

if TYPE_CHECKING:
    from sbdl._denoise import DenoiseInfo, StackInfo
    from sbdl._inpaint import InpaintInfo
    from sbdl._signal import SignalInfo

__all__ = ["denoise_html", "estimator_html", "inpaint_html", "signal_html", "stack_html"]

MOST_ATOMS = 48  # shown
MOST_PIXELS = 256  # on a side of an image
TILE = 40  # pixels on a side of an atom
CURVE = (600, 120)  # width and height of a signal


def _table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
        f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table>{cells}</table>"


def _png(grey: NDArray[Any]) -> bytes:
    """Return values from 0 to 255 as a PNG file of 8 bits; a third axis holds red, green and blue."""
    height, width = grey.shape[:2]
    levels = np.ascontiguousarray(np.clip(np.rint(grey), 0, 255).astype(np.uint8)).reshape(height, -1)
    lines = b"".join(b"\0" + line.tobytes() for line in levels)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if grey.ndim == 3 else 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def _image(values: NDArray[Any], title: str, size: str = "") -> str:
    """Return an image element in which black is the smallest value and white the largest."""
    step = max(1, -(-max(values.shape[:2]) // MOST_PIXELS))
    shown = without_alpha(np.asarray(values[::step, ::step], dtype=np.float64))
    low, high = float(shown.min()), float(shown.max())
    data = base64.b64encode(_png((shown - low) * (255.0 / (high - low) if high > low else 0.0))).decode()
    return (
        f"<img alt='{html.escape(title)}' title='{html.escape(title)}' {size} "
        f"style='image-rendering:pixelated;margin:1px' src='data:image/png;base64,{data}'>"
    )


def _curve(values: NDArray[np.float64], title: str, width: int, height: int) -> str:
    """Return numbers as a curve; of more than fit, the extremes of each column."""
    low, high = float(values.min()), float(values.max())
    if len(values) > 2 * width:
        columns = np.array_split(values, width)
        values = np.array([extreme for column in columns for extreme in (column.min(), column.max())])
    across = np.linspace(1, width - 1, len(values)) if len(values) > 1 else np.array([width / 2])
    up = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
    points = " ".join(f"{x:.1f},{1.0 + (1.0 - y) * (height - 2):.1f}" for x, y in zip(across, up, strict=True))
    return (
        f"<svg width='{width}' height='{height}' style='margin:1px;background:#8881'>"
        f"<title>{html.escape(title)}</title>"
        f"<polyline points='{points}' fill='none' stroke='currentColor'/></svg>"
    )


def _atoms(model: _core.Model) -> str:
    """Return the most used atoms: patches as images, others as curves."""
    usage = model.atom_usage
    order = np.argsort(-usage, kind="stable") if len(usage) else np.arange(model.dictionary.shape[0])
    height, width, planes = model.patch_shape
    shown = []
    for number in order[:MOST_ATOMS]:
        atom = model.dictionary[number]
        title = f"atom {number}"
        if planes == 1:
            shown.append(_image(atom.reshape(height, width), title, f"width={TILE} height={TILE}"))
        else:
            shown.append(_curve(atom, title, 2 * TILE, TILE))
    left_out = model.dictionary.shape[0] - len(shown)
    more = f"<div>and {left_out} more</div>" if left_out > 0 else ""
    return f"<div style='line-height:0'>{''.join(shown)}</div>{more}"


def _noise_text(model: _core.Model) -> str:
    if np.isnan(model.noise_sd_std):
        return f"{model.noise_sd:.4g}"
    remark = {
        True: "",
        False: " (not settled: do not trust this uncertainty)",
        None: " (uncertainty not verified)",
    }[model.settled]
    return f"{model.noise_sd:.4g} ± {model.noise_sd_std:.2g}{remark}"


def _model_rows(model: _core.Model) -> list[tuple[str, str]]:
    atoms, length = model.dictionary.shape
    used = model.atoms_in_use
    bound = "at most " if has_narrow_posterior(model) else ""
    in_use = f", {bound}{sum(used)} in use" if used else ""
    settled = {True: "yes", False: "no", None: "unknown"}[model.settled]
    rows = [
        ("method", f"{model.method}, preset {model.preset}, seed {model.seed}"),
        ("atoms", f"{atoms} of length {length}{in_use}"),
        ("signals", f"{model.signal_count}"),
        ("noise sd", _noise_text(model)),
        ("sweeps", f"{len(model.trace['sweep'])} ({model.stop_reason})"),
        ("settled", f"{settled}: {model.settled_reason}"),
    ]
    if model.estimate:
        rows.append(("estimate", model.estimate))
    return rows


def estimator_html(estimator: Any) -> str:
    """Return scikit-learn's diagram, if it is there, and below it what was learned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NarrowPosteriorWarning)  # the diagram reads every attribute
        diagram = estimator_diagram(estimator)
    model = getattr(estimator, "model_", None)
    return diagram if model is None else f"<div>{diagram}{_table(_model_rows(model))}{_atoms(model)}</div>"


def _noise_row(info: DenoiseInfo | InpaintInfo | SignalInfo) -> tuple[str, str]:
    return "noise sd", f"{info.sigma:.4g} ({'given' if info.sigma_given else 'inferred'})"


def _found_rows(info: DenoiseInfo | SignalInfo, what: str) -> list[tuple[str, str]]:
    """Return what was found beside the strength of the noise."""
    rows = []
    if info.unchanged:
        rows.append(("found", f"no noise; the {what} is left as it is"))
    if info.only_noise:
        rows.append(("found", "almost nothing but noise"))
    return rows


def _learned_row(count: int, what: str, model: _core.Model) -> list[tuple[str, str]]:
    if not count:
        return []
    method = METHODS.get(model.method)
    if method is not None and "max_iter" not in method.options:  # dct
        return [("dictionary", f"by {model.method}, which learns nothing")]
    return [("learned from", f"{count} {what}, by {model.method}")]


def _seconds_row(seconds: float) -> tuple[str, str]:
    return "seconds", f"{seconds:.2f}"


def _page(rows: list[tuple[str, str]], pictures: str) -> str:
    return f"<div>{_table(rows)}{pictures}</div>"


def _images(image: NDArray[Any], std: NDArray[Any] | None, name: str) -> str:
    """Return an image, and the standard deviation of its pixels if it is known."""
    return _image(image, name) + ("" if std is None else _image(std, "standard deviation of the pixels"))


def denoise_html(info: DenoiseInfo) -> str:
    """Return what denoising found, the clean image, and the standard deviation of its pixels if it is known."""
    rows = [
        _noise_row(info),
        *(("found", sentence) for sentence in info.noise.get("found", [])),
        *_found_rows(info, "image"),
        *_learned_row(info.training_patches, "patches", info.model),
        _seconds_row(sum(info.seconds.values())),
    ]
    return _page(rows, _images(info._outcome.image, info.std, "clean image"))


def stack_html(info: StackInfo) -> str:
    """Return what denoising found in a stack, and the page in its middle."""
    pages = len(info.sigma)
    if pages == 0:
        return _table([("pages", "none is done")])
    sentences = Counter(sentence for noise in info.noise for sentence in noise.get("found", []))
    rows = [
        ("pages", f"{pages}"),
        ("noise sd", f"{min(info.sigma):.4g} to {max(info.sigma):.4g}"),
        *(("found", f"{sentence} ({count} of {pages} pages)") for sentence, count in sentences.items()),
    ]
    for count, what in ((sum(info.unchanged), "left as they are"), (sum(info.only_noise), "almost nothing but noise")):
        if count:
            rows.append(("pages", f"{count} of {pages}: {what}"))
    if info.model is not None:
        rows.append(("dictionary", f"one for all pages, by {info.model.method}"))
    elif not info.shared:
        rows.append(("dictionary", "one for each page"))
    rows.append(_seconds_row(info._seconds))
    middle = pages // 2
    std = None if info.std is None else info.std[middle]
    return _page(rows, _images(info._clean[middle], std, f"clean page {middle}"))


def signal_html(info: SignalInfo) -> str:
    """Return what denoising found in a signal, and the clean signal."""
    rows = [
        _noise_row(info),
        *_found_rows(info, "signal"),
        *_learned_row(info.training_windows, "windows", info.model),
        _seconds_row(sum(info.seconds.values())),
    ]
    return _page(rows, _curve(info._outcome.signal, "clean signal", *CURVE))


def inpaint_html(info: InpaintInfo) -> str:
    """Return what inpainting found, the complete image, and the standard deviation of its pixels if it is known."""
    rows = [
        ("missing", f"{info.missing} samples"),
        _noise_row(info),
        ("rounds", f"{info.rounds}"),
        _seconds_row(sum(info.seconds.values())),
    ]
    return _page(rows, _images(info._outcome.image, info.std, "complete image"))
