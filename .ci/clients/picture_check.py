"""Blender against `toile preview`: the outline of what a GLB shows, seen by the same camera, must cover the same pixels.

    python3 picture_check.py TOILE_BINARY FILE.glb [--views front side back three-quarter] [--size 480x640] [--fps 30]

The first frame is compared. The camera follows src/preview/camera.rs: it sees the box around everything that is shown.
"""

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import bpy  # first: it brings mathutils
import numpy as np
from mathutils import Matrix, Vector

HALF_VIEW = 0.23
MARGIN = 0.06
DOWN = 0.18
TURNS = {"front": 0, "back": 180, "side": 90, "three-quarter": 35}


def main():
    arguments = parse_arguments()
    width, height = map(int, arguments.size.split("x"))
    things = load(arguments.glb, arguments.fps)
    points = np.concatenate([corners(thing) for thing in things])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for view in arguments.views:
            ours = coverage(arguments, view, Path(folder))
            theirs = render(camera(points, TURNS[view], width, height), width, height, Path(folder) / "blender.png")
            wrong = np.abs(ours - theirs).sum() / theirs.sum()
            area = ours.sum() / theirs.sum() - 1
            is_wrong = not wrong < arguments.tolerance
            failed += is_wrong
            verdict = "FAILED " if is_wrong else ""
            print(f"{verdict}{arguments.glb}, {view}: {theirs.sum():.0f} pixels, {100 * wrong:.2f} % differ, area {100 * area:+.2f} %")
    sys.exit(1 if failed else 0)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("toile")
    parser.add_argument("glb")
    parser.add_argument("--views", nargs="+", default=list(TURNS), choices=list(TURNS))
    parser.add_argument("--size", default="480x640")
    parser.add_argument("--fps", type=int, default=30, help="frames a second of the file")
    parser.add_argument("--tolerance", type=float, default=0.01, help="part of the covered pixels that may differ")
    return parser.parse_args()


def load(path, fps):
    """Imports the file, at its first frame; returns its meshes."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = fps
    bpy.ops.import_scene.gltf(filepath=path)
    scene.frame_set(first_frame())
    bones = {c for c in bpy.data.collections if c.name == "glTF_not_exported"}
    return [t for t in scene.objects if t.type == "MESH" and not bones & set(t.users_collection)]


def first_frame():
    """The first of all clips: toile and the importer both count frames from 0 s."""
    return round(min((action.frame_range[0] for action in bpy.data.actions), default=0))


def corners(thing):
    """Vertices as they are posed, in glTF's axes."""
    result = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.empty(3 * len(result.data.vertices), np.float32)
    result.data.vertices.foreach_get("co", points)
    points = points.reshape(-1, 3) @ np.array(result.matrix_world)[:3, :3].T + np.array(result.matrix_world)[:3, 3]
    return points[:, [0, 2, 1]] * [1, 1, -1]


def camera(points, turn, width, height):
    """Eye, right, up and forward, in glTF's axes: Camera::around."""
    low, high = points.min(0), points.max(0)
    centre = (low + high) / 2
    angle = math.radians(turn)
    forward = -np.array([math.sin(angle), DOWN, math.cos(angle)])
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, [0, 1, 0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    half = HALF_VIEW * (1 - MARGIN)
    box = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]) - centre
    reach = np.maximum(np.abs(box @ right) / (half * width / height), np.abs(box @ up) / half) - box @ forward
    return centre - forward * reach.max(), right, up, forward


def render(view, width, height, path):
    """The part of each pixel that is covered, by Cycles."""
    eye, right, up, forward = (Vector((v[0], -v[2], v[1])) for v in view)
    scene = bpy.context.scene
    seer = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    seer.data.sensor_fit = "VERTICAL"
    seer.data.angle_y = 2 * math.atan(HALF_VIEW)
    seer.data.clip_start, seer.data.clip_end = 1e-3, 1e4
    seer.matrix_world = Matrix((right, up, -forward)).transposed().to_4x4()
    seer.matrix_world.translation = eye
    scene.collection.objects.link(seer)
    scene.camera = seer
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples, scene.cycles.max_bounces, scene.cycles.use_denoising = 16, 0, False
    scene.cycles.pixel_filter_type, scene.cycles.filter_width = "BOX", 1.0
    scene.render.film_transparent = True
    scene.render.threads_mode, scene.render.threads = "FIXED", 2
    scene.render.image_settings.file_format, scene.render.image_settings.color_mode = "PNG", "RGBA"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return pixels(path)[:, :, 3]


def coverage(arguments, view, folder):
    """The part of each pixel that is covered, from our pictures before black and before white."""
    pictures = []
    for background in ["000000", "ffffff"]:
        out = folder / f"{view}_{background}_####.png"
        first = first_frame()
        command = [arguments.toile, "preview", arguments.glb, "--frames", f"{first}..{first}", "--view", view, "--size", arguments.size]
        subprocess.run([*command, "--background", background, "--out", out, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        pictures.append(linear(pixels(next(folder.glob(f"{view}_{background}_*.png")))[:, :, 1]))
    black, white = pictures
    # Where nothing is covered they differ by the light on the floor, which changes little from a pixel to the next.
    seen = white - black
    padded = np.pad(seen, 1, mode="edge")
    rows, columns = seen.shape
    floor = np.max([padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)], axis=0)
    covered = np.where(floor > 0.02, 1 - seen / np.maximum(floor, 0.02), 1)
    # A black floor stays black in any light: elsewhere only shadows end.
    return np.where(black > 0, covered, 0)


def linear(value):
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def pixels(path):
    picture = bpy.data.images.load(str(path))
    picture.colorspace_settings.name = "Non-Color"
    values = np.empty(len(picture.pixels), np.float32)
    picture.pixels.foreach_get(values)
    values = values.reshape(picture.size[1], picture.size[0], 4)
    bpy.data.images.remove(picture)
    return values


main()
