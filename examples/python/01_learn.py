"""Learn a dictionary, given only the number of atoms, and compare it with the truth.

python 01_learn.py
"""

import sbdl

data = sbdl.synthetic(n_samples=1000, n_features=12, n_components=20, n_nonzero_coefs=2, snr_db=20, random_state=1)
model = sbdl.DictionaryLearning(n_components=20, random_state=1, verbose=1).fit(data.signals)

found = sbdl.match_atoms(data.dictionary, model.components_)
print(f"{found.assigned_recovered} of {found.n_true} atoms found")
print(f"noise {model.noise_sd_:.4f} +- {model.noise_sd_std_:.4f}, true value {data.noise_sd:.4f}")

codes, std = model.transform(data.signals[:1], return_std=True)
for atom in abs(codes[0]).argsort()[::-1][:3]:
    print(f"atom {atom:2d}: {codes[0, atom]:+.3f} +- {std[0, atom]:.3f}")
