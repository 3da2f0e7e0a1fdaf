"""The cost model of docs/scale.md: seconds of a sweep on R ranks, from constants that were measured.

python docs/results/scale_model.py

A sweep has three parts: the codes, which the ranks share; the statistics, which pass from rank to rank and back to all;
the new atoms, which every rank computes.
"""

import math

MOST_CHUNKS = 128  # a rank beyond this number of chunks of signals has nothing to do
PIECE = 32 * 1024  # bytes of the statistics that travel at once, for each thread of a rank


def statistics(dim, atoms):
    """Bytes that a rank passes on."""
    return 8 * (dim * atoms + atoms * atoms + atoms + 7)


def sweep(signals, signal_s, atoms_s, bytes_s, ranks, threads, efficiency, latency_s, bandwidth):
    """Seconds of the codes, the exchange and the atoms."""
    busy = min(ranks, MOST_CHUNKS)
    codes = signals * signal_s / (busy * threads * efficiency)
    piece = min(bytes_s, PIECE * threads)
    steps = (busy - 1) + math.ceil(bytes_s / piece) - 1
    chain = steps * (latency_s + piece / bandwidth) if ranks > 1 else 0.0
    down = math.ceil(math.log2(ranks)) * (latency_s + bytes_s / bandwidth) if ranks > 1 else 0.0
    return codes, chain + down, atoms_s


def row(name, *values):
    print(
        f"| {name} | "
        + " | ".join(f"{value:.3g}" if isinstance(value, float) else str(value) for value in values)
        + " |"
    )


def measured_machine():
    """16 cores of one machine (docs/scale.md): seconds that were measured beside the model without any loss."""
    latency, bandwidth = 2e-6, 5e9  # messages within one machine; what is exchanged hardly matters there
    print("| ranks x threads | method | measured | model | measured / model |")
    print("|:--|:--|--:|--:|--:|")
    gibbs = {(1, 1): 0.723, (2, 1): 0.343, (4, 1): 0.202, (8, 1): 0.122, (16, 1): 0.069, (4, 4): 0.073, (1, 16): 0.062}
    vb = {(1, 1): 31.6, (16, 1): 3.56, (4, 4): 2.81, (1, 16): 2.82}
    for method, runs, atoms_s in (("gibbs", gibbs, 1.1e-3), ("vb", vb, 49e-3)):
        signal_s = (runs[1, 1] - atoms_s) / 262_144
        for (ranks, threads), seconds in runs.items():
            model = sum(sweep(262_144, signal_s, atoms_s, statistics(64, 256), ranks, threads, 1.0, latency, bandwidth))
            row(f"{ranks} x {threads}", method, seconds, model, seconds / model)


def many_machines():
    """10^9 signals on machines with 16 cores and a network of 10 Gbit/s with 50 microseconds of latency."""
    print("\n| method | atoms | machines | busy | codes | exchange | atoms' update | sweep | efficiency |")
    print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|")
    # Seconds for a signal and for the atoms: 64 entries, one thread.
    cases = [("gibbs", 256, 2.8e-6, 1.1e-3), ("gibbs", 1024, 9.7e-6, 22e-3), ("vb", 256, 120e-6, 49e-3)]
    for method, atoms, signal_s, atoms_s in cases:
        bytes_s = statistics(64, atoms)
        one = sum(sweep(1e9, signal_s, atoms_s, bytes_s, 1, 16, 0.66, 50e-6, 1.25e9))
        for machines in (16, 64, 128, 1000):
            parts = sweep(1e9, signal_s, atoms_s, bytes_s, machines, 16, 0.66, 50e-6, 1.25e9)
            row(method, atoms, machines, min(machines, MOST_CHUNKS), *parts, sum(parts), one / sum(parts) / machines)


if __name__ == "__main__":
    measured_machine()
    many_machines()
