"""SNR of signals before and after `sbdl denoise`, beside filters of SciPy and wavelets (docs/results/signals.md).

python docs/results/signals.py build/release/apps/sbdl/sbdl [--seeds 5]

Needs NumPy and SciPy. The signals are made here; the noise is white, and nobody is told its level.
"""

import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from scipy.signal import savgol_filter, wiener

# Daubechies' filter of 8 taps (db4).
TAPS = np.array(
    [
        0.23037781330885523,
        0.7148465705525415,
        0.6308807679295904,
        -0.02798376941698385,
        -0.18703481171888114,
        0.030841381835986965,
        0.032883011666982945,
        -0.010597401784997278,
    ]
)


def ecg():
    """Beats of five waves each, 20 s at 360 samples per second; the time between two beats varies."""
    rng = np.random.default_rng(1)
    seconds = np.arange(7200) / 360
    signal = np.zeros(seconds.size)
    waves = [(-0.2, 0.15, 0.025), (-0.03, -0.1, 0.01), (0, 1, 0.011), (0.03, -0.25, 0.01), (0.25, 0.3, 0.05)]
    for beat in np.cumsum(rng.normal(0.8, 0.05, 26)):
        for delay, height, width in waves:
            signal += height * np.exp(-(((seconds - beat - delay) / width) ** 2) / 2)
    return signal


def sound():
    """Two chirps and clicks, 4 s at 8000 samples per second."""
    seconds = np.arange(32000) / 8000
    signal = 0.6 * np.sin(2 * np.pi * (100 * seconds + 187.5 * seconds**2))
    falling = 0.4 * np.sin(2 * np.pi * (2000 * seconds - 150 * seconds**2))
    signal += falling * (seconds > 1) * (seconds < 3)
    for click in np.arange(0.05, 4, 0.11):
        signal += 0.8 * np.exp(-(((seconds - click) / 0.002) ** 2)) * np.sin(2 * np.pi * 700 * (seconds - click))
    return signal


def spectrum():
    """Lines of several widths on a slope, 4096 channels."""
    rng = np.random.default_rng(9)
    channel = np.arange(4096)
    signal = 2 * np.exp(-channel / 4096)
    for _ in range(25):
        centre, height, width = rng.uniform(0, 4096), rng.uniform(0.2, 2), rng.uniform(4, 25)
        signal += height / (1 + ((channel - centre) / width) ** 2)
    return signal


def short_pulses():
    """Bursts of one kind, 1500 samples: too short to learn from."""
    at = np.arange(1500)
    return sum(np.exp(-(((at - c) / 20.0) ** 2)) * np.sin((at - c) / 4.0) for c in (200, 520, 760, 1130, 1390))


SIGNALS = {"ecg": ecg, "sound": sound, "spectrum": spectrum, "short": short_pulses}


def by_wavelets(noisy, sigma=None, levels=6):
    """Soft thresholds of a transform without decimation: the mean over all shifts of the usual one."""
    high = TAPS[::-1] * np.array([1, -1] * 4)
    length = noisy.size
    padded = np.concatenate([noisy, noisy[::-1]])  # periodic without a step

    def spread(taps, level):
        kernel = np.zeros(padded.size)
        kernel[(np.arange(8) * 2**level) % padded.size] = taps / np.sqrt(2)
        return np.fft.rfft(kernel)

    coarse, fine = np.fft.rfft(padded), []
    filters = [(spread(TAPS, level), spread(high, level)) for level in range(levels)]
    for low_filter, high_filter in filters:
        fine.append(np.fft.irfft(coarse * high_filter, padded.size))
        coarse = coarse * low_filter
    # A coefficient of level j has the noise divided by 2^(j/2).
    if sigma is None:
        sigma = np.median(np.abs(fine[0])) / 0.6745 * np.sqrt(2)
    for level in reversed(range(levels)):
        threshold = sigma / np.sqrt(2.0 ** (level + 1)) * np.sqrt(2 * np.log(length))
        kept = np.sign(fine[level]) * np.maximum(np.abs(fine[level]) - threshold, 0)
        low_filter, high_filter = filters[level]
        coarse = coarse * np.conj(low_filter) + np.fft.rfft(kept) * np.conj(high_filter)
    return np.fft.irfft(coarse, padded.size)[:length]


def snr(truth, signal):
    return 10 * np.log10(np.var(truth) / np.mean((signal - truth) ** 2))


def best_of(clean, truth, noisy):
    """The SNR with the best width of a filter, which only somebody who knows the truth can choose."""
    return max(snr(truth, clean(noisy, width)) for width in (5, 7, 9, 11, 15, 21, 31, 45, 63))


def by_sbdl(program, truth, noisy, more):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        np.save(folder / "noisy.npy", noisy)
        np.save(folder / "truth.npy", truth)
        command = [program, "denoise", "noisy.npy", "-o", "clean.npy", "--clean", "truth.npy", "--std", "std.npy", "--json"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run([*command, *more], cwd=folder, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = json.loads(run.stdout)
        return found["channels"][0] | {"seconds": after.ru_utime - before.ru_utime, "warned": bool(found["warnings"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--signals", nargs="+", choices=SIGNALS, default=list(SIGNALS))
    parser.add_argument("--correlation", type=float, default=0.0, help="of neighbouring samples of the noise")
    arguments, more = parser.parse_known_args()
    others = ["Savitzky-Golay, best width", "Wiener, best width", "wavelets", "wavelets, given sigma"]
    columns = ["before", *others, "sbdl", "sigma found", "within 1 std", "within 2 std", "processor s", "warned"]
    print("| signal | samples |", " | ".join(columns), "|")
    print("|:--|--:|" + "--:|" * len(columns))
    for name in arguments.signals:
        truth = SIGNALS[name]()
        for decibel in (20, 10, 0):
            sigma = np.std(truth) * 10 ** (-decibel / 20)
            rows = []
            for seed in range(arguments.seeds):
                noise = np.random.default_rng(100 + seed).normal(0, sigma, truth.size)
                for i in range(1, truth.size if arguments.correlation else 0):
                    noise[i] = arguments.correlation * noise[i - 1] + np.sqrt(1 - arguments.correlation**2) * noise[i]
                noisy = truth + noise
                found = by_sbdl(arguments.program, truth, noisy, more)
                rows.append(
                    [snr(truth, noisy)]
                    + [best_of(lambda y, width: savgol_filter(y, width, 3), truth, noisy)]
                    + [best_of(wiener, truth, noisy)]
                    + [snr(truth, by_wavelets(noisy)), snr(truth, by_wavelets(noisy, sigma))]
                    + [found["snr_after"], found["noise_sd"] / sigma]
                    + [found["within_1_std"], found["within_2_std"], found["seconds"], found["warned"]]
                )
            mean = np.mean(np.array(rows, float), axis=0)
            text = [f"{value:.1f}" for value in mean[:6]]
            text += [f"{value:.3f}" for value in mean[6:9]] + [f"{mean[9]:.2f}", f"{mean[10]:.1f}"]
            print(f"| {name} | {truth.size} |", " | ".join(text), "|", flush=True)


if __name__ == "__main__":
    main()
