"""How often `sbdl denoise` says that the noise of a signal is not white (docs/results/signals.md).

python docs/results/signals_warning.py build/release/apps/sbdl/sbdl [--seeds 10]

Ten signals at 20, 10 and 0 dB, with white noise and with noise whose neighbouring samples are correlated. The noise is
judged before anything is learned, so the signals are cleaned with cosines, which is quick. Needs NumPy and SciPy.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from scipy.signal import lfilter
from signals import SIGNALS


def steps():
    rng = np.random.default_rng(3)
    return np.repeat(rng.normal(size=128), 64)


def tone():
    return np.sin(0.9 * np.arange(8192))


def chord():
    at = np.arange(8192)
    return sum(np.sin(step * at) / k for k in (1, 2, 3) for step in (0.05 * k, 0.063 * k, 0.075 * k))


def sweep():
    at = np.linspace(0, 1, 16384)
    return np.sin(2 * np.pi * 4000 * at**2)


def beats():
    at = np.arange(8192)
    return np.exp(-((((at % 173) - 60) / 4.0) ** 2)) - 0.4 * np.exp(-((((at % 173) - 75) / 9.0) ** 2))


def decays():
    rng = np.random.default_rng(5)
    strikes = np.where(rng.random(16384) < 0.002, rng.normal(size=16384), 0.0)
    return lfilter([1.0], [1.0, -2 * 0.99 * np.cos(0.7), 0.99**2], strikes)


MORE = {"steps": steps, "tone": tone, "chord": chord, "sweep": sweep, "beats": beats, "decays": decays}


def autoregressive(correlation):
    def noise(rng, samples):
        white = rng.normal(size=samples + 100)
        return lfilter([np.sqrt(1 - correlation**2)], [1.0, -correlation], white)[100:]

    return noise


def smoothed(rng, samples):
    kernel = np.array([1.0, 4.0, 6.0, 4.0, 1.0])
    return np.convolve(rng.normal(size=samples + 4), kernel / np.linalg.norm(kernel), "valid")


NOISES = {"white": autoregressive(0.0), "smoothed (1 4 6 4 1)": smoothed} | {
    f"correlation {value:g}": autoregressive(value) for value in (0.15, 0.3, 0.6, 0.8, -0.3, -0.6)
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    signals = {name: make() for name, make in (SIGNALS | MORE).items()}
    print("| noise |", " | ".join(signals), "| together |")
    print("|:--|" + "--:|" * (len(signals) + 1))
    with tempfile.TemporaryDirectory() as folder:
        for name, make_noise in NOISES.items():
            warned = []
            for truth in signals.values():
                runs = [(decibel, seed) for decibel in (20, 10, 0) for seed in range(arguments.seeds)]
                for number, (decibel, seed) in enumerate(runs):
                    sigma = np.std(truth) * 10 ** (-decibel / 20)
                    noise = make_noise(np.random.default_rng([700 + seed, decibel]), truth.size)
                    np.save(f"{folder}/{number}.npy", truth + sigma * noise)
                command = [arguments.program, "denoise", *(f"{number}.npy" for number in range(len(runs)))]
                command += ["-o", "clean", "--method", "dct", "--json", "--quiet"]
                run = subprocess.run(command, cwd=folder, capture_output=True, check=True)
                files = json.loads(run.stdout)["files"]
                warned.append(sum(any("not white" in text for text in file["warnings"]) for file in files))
            cells = " | ".join(str(count) for count in warned)
            print(f"| {name} | {cells} | {sum(warned)} of {len(warned) * 3 * arguments.seeds} |", flush=True)


if __name__ == "__main__":
    main()
