for c in 1e-6 1e-3 1 1e3 1e6; do
  for snr in 10 20; do
  sbdl synth -o data --snr $snr --sparsity 3 --seed 1 --scale $c --quiet
  for method in gibbs vb; do
    sbdl learn data/signals.npy -o model.h5 --atoms 50 --method $method --seed 1 --json --quiet >learned.json
    sbdl score model.h5 --truth data/dictionary.npy --json >score.json
    python3 - "$c" "$snr" "$method" <<'P'
import json, sys
c, snr, method = sys.argv[1:]
truth, learned, score = (json.load(open(f)) for f in ("data/synth.json", "learned.json", "score.json"))
print(f"| {method} | {snr} | {c} | {score['nearest_recovered']} of 50 | {learned['noise_sd']:.5g} | {learned['noise_sd'] / truth['noise_sd']:.4f} |")
P
  done; done
done
