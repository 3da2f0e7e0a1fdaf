"""Denoise one image with BM3D, in a process of its own so that its time can be measured like that of sbdl.

PYTHON bench/bm3d_once.py NOISY.npy CLEAN.npy (--sigma SIGMA | --transform)

With --transform the noise is fitted and stabilised first (bench/anscombe.py). Prints JSON: the processor time before
the work, which went into Python and its libraries, and the noise that was fitted.

BM3D is the package `bm3d`, whose licence allows non-commercial use only. It is installed into the private environment
of this benchmark, and nothing else in the project may depend on it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import resource
from typing import Any

import anscombe
import bm3d
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def denoised(noisy: Array, sigma: float) -> Array:
    clean = bm3d.bm3d_rgb(noisy, sigma) if noisy.ndim == 3 else bm3d.bm3d(noisy, sigma)
    return np.asarray(clean, dtype=float).reshape(noisy.shape)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("noisy")
    parser.add_argument("clean")
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--sigma", type=float)
    given.add_argument("--transform", action="store_true")
    wanted = parser.parse_args()

    result: dict[str, Any] = {"start_seconds": cpu_seconds()}
    noisy = np.load(wanted.noisy).astype(float)
    if wanted.transform:
        noise = anscombe.fit(noisy)
        result["fit"] = dataclasses.asdict(noise)
        if noise.gain > 0.0:
            clean = anscombe.inverse(denoised(anscombe.forward(noisy, noise), 1.0), noise)
        else:
            clean = denoised(noisy, noise.read_noise)
    else:
        clean = denoised(noisy, wanted.sigma)
    np.save(wanted.clean, clean)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
