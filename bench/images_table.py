"""The tables of bench/images.py: one line for each noisy image, and means."""

from __future__ import annotations

import statistics
from typing import Any

Row = dict[str, Any]


def mean(rows: list[Row], denoiser: str, what: str) -> float:
    return statistics.fmean(row[denoiser][what] for row in rows)


def line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def head(names: list[str], left: int) -> list[str]:
    """Return the first two lines of a table, of whose columns some are aligned to the left."""
    return [line(*names), "|" + ":--|" * left + "--:|" * (len(names) - left)]


def white_cells(rows: list[Row]) -> list[str]:
    """Return the cells of one row, or of the means of several."""
    psnr = {name: mean(rows, name, "psnr") for name in ("noisy", "sbdl", "bm3d")}
    return [
        *(f"{value:.2f}" for value in psnr.values()),
        f"{psnr['sbdl'] - psnr['bm3d']:+.2f}",
        *(f"{mean(rows, name, 'ssim'):.4f}" for name in ("sbdl", "bm3d")),
        *(f"{mean(rows, name, 'cpu_seconds'):.2f}" for name in ("sbdl", "bm3d")),
    ]


def ratio_of_sigma(rows: list[Row]) -> str:
    return f"{statistics.fmean(row['sbdl']['sigma'] / row['sigma'] for row in rows):.3f}"


def white_tables(rows: list[Row]) -> str:
    """Return a table for each strength of the noise and one of means; grey and colour have means of their own."""
    names = ["noisy", "sbdl", "BM3D", "sbdl - BM3D", "SSIM sbdl", "SSIM BM3D", "s sbdl", "s BM3D", "found / true sigma"]
    tables, means = [], head(["mean", "sigma", "images", *names], 1)
    for colour in (False, True):
        of_kind = [row for row in rows if row["colour"] == colour]
        kind = "colour" if colour else "grey"
        for sigma in dict.fromkeys(row["sigma"] for row in of_kind):
            same = [row for row in of_kind if row["sigma"] == sigma]
            lines = head([f"{kind}, sigma {sigma:g}", *names], 1)
            lines += [line(row["image"], *white_cells([row]), ratio_of_sigma([row])) for row in same]
            tables.append("\n".join(lines))
            means.append(line(kind, f"{sigma:g}", str(len(same)), *white_cells(same), ratio_of_sigma(same)))
        if of_kind:
            means.append(line(kind, "all", str(len(of_kind)), *white_cells(of_kind), ratio_of_sigma(of_kind)))
    return "\n\n".join(["\n".join(means), *tables])


REAL = {"noisy": "noisy", "sbdl": "sbdl", "bm3d": "BM3D", "bm3d_transform": "BM3D, transform"}


def real_cells(rows: list[Row]) -> list[str]:
    denoisers = [name for name in REAL if name != "noisy"]
    return [
        *(f"{mean(rows, name, 'psnr'):.2f}" for name in REAL),
        *(f"{mean(rows, name, 'ssim'):.4f}" for name in REAL),
        *(f"{mean(rows, name, 'cpu_seconds'):.2f}" for name in denoisers),
    ]


def fit_text(row: Row) -> str:
    fit = row["bm3d_transform"]["fit"]
    if fit["gain"] == 0.0:
        return f"one strength, {fit['read_noise']:.3g}"
    return f"gain {fit['gain']:.3g}, read noise {fit['read_noise']:.3g}, offset {fit['offset']:.3g}"


def real_tables(rows: list[Row]) -> str:
    """Return a table of the pairs and their mean, and one of what was found about their noise."""
    names = [*REAL.values(), *(f"SSIM {name}" for name in REAL.values())]
    names += [f"s {name}" for key, name in REAL.items() if key != "noisy"]
    lines = head(["pair", *names], 1)
    lines += [line(row["image"], *real_cells([row])) for row in rows]
    lines.append(line("mean", *real_cells(rows)))
    found = [line("pair", "range", "sigma by sbdl", "found by sbdl", "fit of the transform"), "|:--|--:|--:|:--|:--|"]
    found += [
        line(
            row["image"],
            f"{row['data_range']:g}",
            f"{row['sbdl']['sigma']:.2f}",
            "; ".join(row["sbdl"]["found"]) or "noise of one strength",
            fit_text(row),
        )
        for row in rows
    ]
    return "\n".join(lines) + "\n\n" + "\n".join(found)
