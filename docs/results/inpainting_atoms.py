"""How fast atoms of unit norm mix when entries are missing: two exact ways to draw them, with the codes known.

python docs/results/inpainting_atoms.py

"filled": the missing entries are drawn given the codes, then each atom from its von Mises-Fisher law. "levelled": K4 of
docs/math.md, auxiliary numbers that level the quadratic term of each atom. Needs NumPy.
"""

import numpy as np

DIM, ATOMS, SIGNALS, SPARSITY, SWEEPS, BURN_IN = 20, 50, 2000, 3, 600, 100
rng = np.random.default_rng(5)


def on_sphere(c):
    """Draw from exp(c . d) on the unit sphere; for large |c|, where this is a Gaussian around c / |c|."""
    length = np.linalg.norm(c)
    mean = c / length
    across = rng.normal(size=c.size) / np.sqrt(length)
    drawn = mean + across - mean * (mean @ across)
    return drawn / np.linalg.norm(drawn)


def filled(atoms, codes, signals, seen, precision):
    """Draw all atoms after the missing entries."""
    noise = rng.normal(size=signals.shape) / np.sqrt(precision)
    complete = np.where(seen, signals, atoms @ codes + noise)
    products, gram = complete @ codes.T, codes @ codes.T
    for n in range(ATOMS):
        pull = products[:, n] - atoms @ gram[:, n] + atoms[:, n] * gram[n, n]
        atoms[:, n] = on_sphere(precision * pull)


def levelled(atoms, codes, signals, seen, precision):
    """Draw all atoms from the observed entries."""
    left = np.where(seen, signals - atoms @ codes, 0.0)
    for n in range(ATOMS):
        users = np.flatnonzero(codes[n])
        x, old = codes[n, users], atoms[:, n].copy()
        weight = seen[:, users] @ x**2
        added = precision * (weight.max() - weight)
        pull = precision * (left[:, users] @ x + weight * old) + added * old
        atoms[:, n] = on_sphere(pull + np.sqrt(added) * rng.normal(size=DIM))
        left[:, users] -= seen[:, users] * np.outer(atoms[:, n] - old, x)


def effective_size(draws):
    """Geyer's initial positive sequence, for each column."""
    centred = draws - draws.mean(axis=0)
    variance = (centred**2).mean(axis=0)
    total, alive = np.ones_like(variance), np.ones_like(variance, dtype=bool)
    for lag in range(1, len(draws) // 2, 2):
        pair = sum((centred[:-k] * centred[k:]).sum(axis=0) for k in (lag, lag + 1)) / (len(draws) * variance)
        alive &= pair > 0
        total += 2 * np.where(alive, pair, 0)
    return len(draws) / total


truth = rng.normal(size=(DIM, ATOMS))
truth /= np.linalg.norm(truth, axis=0)
codes = np.zeros((ATOMS, SIGNALS))
for code in codes.T:
    code[rng.choice(ATOMS, SPARSITY, replace=False)] = rng.normal(size=SPARSITY)
clean = truth @ codes
precision = 100 / (clean**2).mean()  # 20 dB
signals = clean + rng.normal(size=clean.shape) / np.sqrt(precision)
for share in (0.3, 0.5):
    seen = rng.random(signals.shape) > share
    for draw in (filled, levelled):
        atoms, kept = truth.copy(), []
        for _ in range(SWEEPS):
            draw(atoms, codes, signals, seen, precision)
            kept.append(atoms.ravel().copy())
        draws = np.array(kept[BURN_IN:])
        size = effective_size(draws)
        print(
            f"| {share:.0%} | {draw.__name__} | {size.mean():.0f} | {size.min():.0f} | {draws.std(axis=0).mean():.5f} |"
        )
