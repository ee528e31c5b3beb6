"""bpe.py with CLIP's own merges against CLIP's own tokens.

    python bpe_check.py ../shared/data/parity/tokenizer

Compares the texts whose cleaning is only what bpe.clean does (the pack's `plain_ok`); in ours, as in the product, the name of a
special token within a text has no meaning (the pack's group "special").
"""
import json
import sys
from pathlib import Path

import bpe


def main(folder: str) -> None:
    lines = Path(folder, "merges.txt").read_text(encoding="utf-8").split("\n")[1:]
    tokenizer = bpe.Tokenizer([tuple(line.split(" ")) for line in lines if line])
    cases = [json.loads(line) for line in Path(folder, "tokenizer.jsonl").read_text(encoding="utf-8").splitlines()]
    cases = [c for c in cases if c.get("plain_ok", True) and c["group"] != "special"]
    wrong = [c for c in cases if tokenizer.encode(c["text"], 77) != c["tokens"]]
    for c in wrong[:10]:
        print("differs:", c["group"], ascii(c["text"][:80]))
    print(f"{len(cases) - len(wrong)} of {len(cases)} texts agree")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1])
