#!/bin/sh
# From the photographs to the encoder folder, step by step; a step whose result is there is skipped, and training goes on where it
# stopped. Run it from anywhere:
#
#   PHOTOS=folder-with-SET/CLASS/*.jpg  TINY=folder-with-tiny/CLASS/*.jpg  WORK=folder-for-everything  MINUTES=95  models/train/build.sh
#
# (folders by their full paths). INIT=/full/path/snap052.pt starts from a snapshot of ours, and ends half way to it; ARCH, SIZE, BATCH,
# REPLAY, LR, ALR, EMA go to train.py, and so do the words of MORE ("--apart --tails insect", say); ENOUGH=1 trains no further and goes
# on with the newest snapshot. HEAD=/full/path/head.pt goes on from an earlier head, TOWER=/full/path/tower.pt keeps an earlier reader
# of names (reopen.py takes all three out of an encoder folder).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
data=${DATA:-$root/../shared/data}
teachers=${TEACHERS:-$data/teachers}
out=${OUT:-$root/models/fieldmark-1}
python=${PYTHON:-python3}
mkdir -p "$WORK"
cd "$WORK"
run() { echo "== $*" >&2; "$python" "$here/$@"; }

# 1. Photographs into packs: whole ones to cut views from, and as the product sees them for the heads. Which are kept back.
[ -f whole.npy ] || run pack.py make "$PHOTOS" whole 160 squash
[ -f seen.npy ] || run pack.py make "$PHOTOS" seen 160 crop
[ -f whole.split ] || run split.py whole
cp whole.split seen.split
packs=whole:1
if [ -n "${TINY:-}" ]; then
  [ -f tiny.npy ] || run pack.py make "$TINY" tiny 64 squash
  packs=whole:.92,tiny:.08
fi

# 2. The trunk.
if [ -n "${INIT:-}" ]; then init="--init $INIT --own0 -1 --own1 0"; else init=; fi
[ -n "${ENOUGH:-}" ] || run train.py --packs "$packs" --teachers "$teachers" --out run --minutes "$MINUTES" --resume $init \
  --arch "${ARCH:-}" --size "${SIZE:-128}" --batch "${BATCH:-64}" --replay "${REPLAY:-2}" --lr "${LR:-.02}" --alr "${ALR:-3e-3}" --ema "${EMA:-.998}" ${MORE:-}
snap=$(ls run/snap*.pt | sort | tail -1)
# Half way between where it went on from and where it came to keeps what either knows (M. Wortsman et al., "Robust fine-tuning of
# zero-shot models", CVPR 2022).
if [ -n "${INIT:-}" ]; then
  [ soup.pt -nt "$snap" ] || run soup.py soup.pt seen "$INIT:.5" "$snap:.5"
  snap=soup.pt
fi

# 3. Heads: features of the photos as the product sees them, mirrored, and squashed; the teachers' opinion of each.
[ -f logits.npy ] || run features.py teachers "$teachers" whole logits --size 192 --words train
also= tiny=
if [ -n "${TINY:-}" ]; then
  [ -f tinyseen.npy ] || run pack.py make "$TINY" tinyseen 160 crop
  [ -f tinyseen.split ] || run split.py tinyseen
  [ -f tiny-logits.npy ] || run features.py teachers "$teachers" tinyseen tiny-logits --size 192
  [ tiny-f.npy -nt "$snap" ] || run features.py student "$snap" tinyseen tiny-f
  also="--also tinyseen:tiny-f.npy:tiny-logits.npy" tiny="--tiny tiny-embedding.npy --tiny-pack tinyseen"
fi
[ "seen-f.npy" -nt "$snap" ] || run features.py student "$snap" seen seen-f
[ "mirror-f.npy" -nt "$snap" ] || run features.py student "$snap" seen mirror-f --mirror --words train
[ "whole-f.npy" -nt "$snap" ] || run features.py student "$snap" whole whole-f --words train
[ head.pt -nt seen-f.npy ] || run fit.py head.pt --pack seen --views seen-f.npy,mirror-f.npy,whole-f.npy --logits logits.npy $also --teachers "$teachers" --steps "${STEPS:-1000}" ${HEAD:+--from "$HEAD"}
run embed.py head.pt seen-f.npy embedding
[ -z "${TINY:-}" ] || run embed.py head.pt tiny-f.npy tiny-embedding

# 4. Figures and calibration on what was kept back.
run figures.py embedding.npy embedding.names.npy --pack seen --teachers "$teachers" $tiny --json figures.json --weak weak.txt
run robust.py "$snap" head.pt --photos "$PHOTOS" --pack seen --json robust.json
run calibrate.py embedding.npy embedding.names.npy --pack seen --teachers "$teachers" --json calibration.json

# 5. The text tower, and the folder.
[ -f tower.pt ] || [ -z "${TOWER:-}" ] || cp "$TOWER" tower.pt
[ -f tower.pt ] || run text.py tower.pt --teachers "$teachers" --minutes "${TEXT_MINUTES:-10}"
run names.py tower.pt --names embedding.names.npy --embeddings embedding.npy --pack seen --teachers "$teachers" --weak weak.txt --json names.json
run export.py "$out" --snapshot "$snap" --head head.pt --tower tower.pt --embeddings embedding.npy --pack seen --teachers "$teachers" \
  --weak weak.txt --figures figures.json,robust.json,names.json --calibration calibration.json
