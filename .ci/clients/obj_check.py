"""An OBJ sequence against its garment: every line but the coordinates as it was, byte for byte and in order, and the
coordinates those of the point cache.

    python3 obj_check.py GARMENT.obj BAKE.pc2 FOLDER
"""

import struct
import sys
from pathlib import Path

import numpy as np

COORDINATES = (b"v ", b"vn ")
SHORTEST_DECIMAL = 1e-9  # numbers are written so that they read back as the same f32


def main():
    garment, cache, folder = map(Path, sys.argv[1:])
    wanted, frames = garment.read_bytes(), read_pc2(cache)
    paths = sorted(folder.glob("*.obj"))
    faults = [f"{len(paths)} files for {len(frames)} frames"] if len(paths) != len(frames) else []
    for path, points in zip(paths, frames):
        text = path.read_bytes()
        if lines(text, False) != lines(wanted, False):
            faults.append(f"{path}: faces, UVs, groups or comments differ from the garment's")
        found = np.array([line.split()[1:4] for line in lines(text, True) if line.startswith(b"v ")], np.float32)
        if found.shape != points.shape or np.abs(found - points).max() > SHORTEST_DECIMAL:
            faults.append(f"{path}: vertices differ from those of the point cache")
    print(f"{folder}: {len(paths)} frames, {len(lines(wanted, False))} lines each as in {garment.name}")
    for fault in faults:
        print(f"FAILED {fault}")
    sys.exit(1 if faults else 0)


def lines(text, coordinates):
    """Lines that are coordinates, or all others."""
    every = text.split(b"\n")
    return [line for line in every if line.startswith(COORDINATES) == coordinates]


def read_pc2(path):
    data = path.read_bytes()
    points, samples = struct.unpack_from("<i", data, 16)[0], struct.unpack_from("<i", data, 28)[0]
    return np.frombuffer(data, "<f4", offset=32).reshape(samples, points, 3)


main()
