"""Figures side by side, as the model card's table.

    python table.py first=F.json now=G.json
"""
import json
import sys
from pathlib import Path

columns = {name: json.loads(Path(path).read_text()) for name, path in (arg.split("=") for arg in sys.argv[1:])}
titles = list(dict.fromkeys(title for figures in columns.values() for title in figures))
print("| photos kept back | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
for title in titles:
    cells, what = [], title
    for figures in columns.values():
        value = figures.get(title)
        if isinstance(value, list) and len(value) == 4:
            what = f"{title}: own {value[2]} names / all names ({value[3]} photos)"
            cells.append(f"{value[0]} / {value[1]}")
        else:
            if isinstance(value, list):
                what = f"{title} ({', '.join(map(str, value[1:]))})"
                value = value[0]
            cells.append("" if value is None else str(value))
    print(f"| {what} | " + " | ".join(cells) + " |")
