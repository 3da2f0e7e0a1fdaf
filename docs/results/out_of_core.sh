# Codes on disk beside codes in memory: the table "Sweeps with codes on disk" of ../scale.md. Prints the median seconds of
# a sweep and the peak memory. With GROUP, a control group of memory (version 1) that includes the system's cache, the
# runs with --memory are repeated inside it, so that codes really come from the disk.
#   bash out_of_core.sh [SIGNALS] [THREADS]
signals=${1:-2000000} threads=${2:-2} memory=${MEMORY:-2G}
[ -e big.npy ] || sbdl synth -o - --dim 64 --atoms 256 --signals "$signals" --sparsity 5 --snr 20 --seed 1 >big.npy

sweeps() { # sweeps NAME PREFIX... -- OPTIONS...
  name=$1 prefix=()
  shift
  while [ "$1" != -- ]; do prefix+=("$1"); shift; done
  shift
  "${prefix[@]}" /usr/bin/time -f '%M %e %U %S' -o time.txt \
    sbdl learn big.npy -o model.h5 --atoms 256 --seed 1 --threads "$threads" --trace trace.jsonl --quiet "$@" || exit
  python3 - "$name" <<'P'
import json, statistics, sys
rows = [row for row in map(json.loads, open("trace.jsonl")) if "seconds" in row and "sweep" in row]
times = [row["seconds"] for row in rows]
each = [after - before for before, after in zip(times, times[1:])]
peak, wall, user, system = open("time.txt").read().split()
print(f"| {sys.argv[1]} | {statistics.median(each):.2f} ({min(each):.2f} to {max(each):.2f}) | {int(peak) / 1024:.0f} MiB | "
      f"{wall} | {user} + {system} | {rows[-1]['objective']!r} |", flush=True)
P
}

gibbs=(--burn-in 2 --draws 6 --most-draws 0)
student=(--prior student-t --burn-in 2 --draws 2 --most-draws 0)
vb=(--method vb --prior student-t --start-sweeps 0 --sweeps 2 --tolerance 0)
for row in gibbs student vb; do
  declare -n options=$row
  sweeps "$row, in memory" -- "${options[@]}"
  sweeps "$row, --memory $memory" -- "${options[@]}" --memory "$memory"
  [ -z "${GROUP:-}" ] || sweeps "$row, --memory $memory in the group" \
    bash -c 'echo $$ >"$0/tasks" && exec "$@"' "$GROUP" -- "${options[@]}" --memory "$memory"
done
