# Recovery from incomplete signals: the table "Synthetic signals" of inpainting.md. NumPy fills the gaps with means.
for share in 0.3 0.5; do
  for seed in 901 902 903; do
    sbdl synth -o data --dim 20 --atoms 50 --signals 2000 --sparsity 3 --snr 20 --missing $share --seed $seed --quiet
    python3 -c "
import numpy as np
x = np.load('data/signals.npy')
np.save('means.npy', np.where(np.isnan(x), np.nanmean(x, axis=0), x))"
    for method in gibbs vb bpfa ksvd; do
      signals=data/signals.npy options=
      if [ $method = ksvd ]; then signals=means.npy options="--sparsity 3"; fi
      sbdl learn $signals -o model.h5 --atoms 50 --method $method --threads 1 --seed 1 $options --json --quiet >learned.json
      sbdl score model.h5 --truth data/dictionary.npy --json >score.json
      python3 - "$share" "$seed" "$method" <<'P'
import json, sys
share, seed, method = sys.argv[1:]
truth, learned, score = (json.load(open(f)) for f in ("data/synth.json", "learned.json", "score.json"))
print(f"| {share} | {seed} | {method} | {score['nearest_recovered']} of 50 | "
      f"{learned['noise_sd'] / truth['noise_sd']:.3f} | {learned['settled']} | {learned['seconds']:.0f} |")
P
    done
  done
done
