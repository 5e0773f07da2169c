#!/usr/bin/env python3
"""Writes an OBJ sequence of waving cloth: 20,164 vertices, 120 frames.

    python3 large_clip.py FOLDER
"""
import math
import sys
from pathlib import Path

SIDE, FRAMES = 142, 120

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
cells = [row * SIDE + column + 1 for row in range(SIDE - 1) for column in range(SIDE - 1)]
faces = "".join(f"f {v} {v + 1} {v + SIDE + 1} {v + SIDE}\n" for v in cells)
for frame in range(FRAMES):
    lines = []
    for row in range(SIDE):
        for column in range(SIDE):
            wave = 0.1 * math.sin(0.08 * column + frame * math.pi / 30) * (1 - row / SIDE)
            lines.append(f"v {column / SIDE - 0.5:.5f} {row / SIDE + 0.3:.5f} {wave:.5f}\n")
    (folder / f"cloth_{frame:04d}.obj").write_text("".join(lines) + faces)
