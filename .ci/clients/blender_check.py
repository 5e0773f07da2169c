"""Blender against the point cache: every frame of a baked GLB, evaluated, must equal the .pc2 of the same bake.

    python3 blender_check.py BAKE.glb BAKE.pc2 [--body BODY.pc2 --body-name Post] [--units 1.0] [--up y|z] [+ NEXT.glb ...]

`+` separates checks that share a process: Blender takes longer to start than to look at most files.
Vertices are matched by the _VERTEX_ID attribute. Runs at 24 and at 30 frames a second; a bake's own rate is --fps.
Point positions that no face uses are dropped by Blender and not compared.
"""

import argparse
import struct
import sys

import bpy  # first: it brings mathutils
import mathutils.kdtree
import numpy as np

TOLERANCE_MM = 0.01


def main():
    sys.exit(1 if sum([check(parse_arguments(words)) for words in split(sys.argv[1:])]) else 0)


def split(words):
    """Arguments of each check."""
    checks = [[]]
    for word in words:
        if word == "+":
            checks.append([])
        else:
            checks[-1].append(word)
    return checks


def check(arguments):
    """Number of faults of one bake."""
    cache = read_pc2(arguments.pc2)
    body = read_pc2(arguments.body) if arguments.body else None
    errors = []
    for scene_fps in arguments.scene_fps:
        errors += check_at(arguments, cache, body, scene_fps)
    for error in errors:
        print(f"FAILED {arguments.glb}: {error}")
    return len(errors)


def parse_arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("glb")
    parser.add_argument("pc2")
    parser.add_argument("--fps", type=float, default=30.0, help="frames a second of the bake")
    parser.add_argument("--scene-fps", type=int, nargs="+", default=[24, 30])
    parser.add_argument("--units", type=float, default=1.0, help="metres in a unit of the .pc2")
    parser.add_argument("--up", choices="yz", default="y", help="up axis of the .pc2")
    parser.add_argument("--body", help=".pc2 of a body mesh, metres, Y up")
    parser.add_argument("--body-name", help="name of that mesh's object; without it the nearest vertex counts")
    parser.add_argument("--with-body", action="store_true", help="a skinned body must be there and move")
    return parser.parse_args(words)


def check_at(arguments, cache, body, scene_fps):
    """Imports the file into a fresh scene and returns what is wrong."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = scene_fps
    bpy.ops.import_scene.gltf(filepath=arguments.glb)
    cloths = [o for o in scene.objects if o.type == "MESH" and "_VERTEX_ID" in o.data.attributes]
    errors = [] if cloths else ["no mesh with _VERTEX_ID"]
    errors += check_action(arguments, cache, scene_fps)
    expected = cache["frames"] * arguments.units
    if arguments.up == "z":
        expected = expected[..., [0, 2, 1]] * [1, 1, -1]
    worst, shown = 0.0, set()
    for sample, points in enumerate(expected):
        set_time(scene, (cache["start"] + sample) / arguments.fps)
        visible = [o for o in cloths if min(o.scale) > 0.5]
        if not visible:
            errors.append(f"frame {sample}: no cloth is visible")
            continue
        seen = np.zeros(len(points), bool)
        for cloth in visible:
            ids, positions = evaluated(cloth)
            seen[ids] = True
            worst = max(worst, np.abs(positions - to_blender(points[ids])).max())
        shown.add(int(seen.sum()))
        if body is not None:
            worst = max(worst, body_difference(scene, arguments.body_name, to_blender(body["frames"][sample]), sample))
    print(
        f"{arguments.glb}: Blender {bpy.app.version_string}, scene at {scene_fps} fps: {len(expected)} frames, "
        f"{sorted(shown)} of {expected.shape[1]} vertices, max difference {worst * 1000:.6f} mm"
    )
    if not worst * 1000 <= TOLERANCE_MM:
        errors.append(f"at {scene_fps} fps vertices are {worst * 1000:.4f} mm off")
    if len(shown) > 1:
        errors.append(f"the number of visible vertices changes: {sorted(shown)}")
    return errors


def body_difference(scene, name, expected, sample):
    """Greatest difference of the body: vertex by vertex for one named mesh, else, in some frames, to the nearest vertex."""
    if name is not None:
        return np.abs(evaluated(scene.objects[name])[1] - expected).max()
    if sample % 10 != 0:
        return 0.0
    tree = mathutils.kdtree.KDTree(len(expected))
    for index, point in enumerate(expected):
        tree.insert(point, index)
    tree.balance()
    bodies = [o for o in scene.objects if o.type == "MESH" and "_VERTEX_ID" not in o.data.attributes]
    bodies = [o for o in bodies if not any(c.name == "glTF_not_exported" for c in o.users_collection)]
    return max(tree.find(point)[2] for body in bodies for point in evaluated(body)[1])


def check_action(arguments, cache, scene_fps):
    """One action for everything, from the first frame to the last."""
    actions = list(bpy.data.actions)
    samples = len(cache["frames"])
    if samples == 1:
        return [f"{len(actions)} actions for a single frame"] if actions else []
    if len(actions) != 1:
        return [f"{len(actions)} actions instead of one: {[a.name for a in actions]}"]
    first, last = (frame * scene_fps / arguments.fps for frame in (cache["start"], cache["start"] + samples - 1))
    range_is = tuple(actions[0].frame_range)
    slots = [slot.identifier for slot in actions[0].slots]
    print(f"  action {actions[0].name!r}: frames {range_is[0]:.3f} to {range_is[1]:.3f}, slots {slots}")
    errors = []
    if abs(range_is[0] - first) > 1e-3 or abs(range_is[1] - last) > 1e-3:
        errors.append(f"action is {range_is}, expected {first} to {last}")
    if arguments.with_body and not any(slot.startswith("OB") for slot in slots):
        errors.append(f"the body has no slot in the action: {slots}")
    if arguments.with_body and not any(o.type == "ARMATURE" for o in bpy.context.scene.objects):
        errors.append("no armature")
    return errors


def set_time(scene, seconds):
    frame = seconds * scene.render.fps
    whole = int(np.floor(frame + 1e-4))
    scene.frame_set(whole, subframe=max(0.0, frame - whole))


def evaluated(thing):
    """Source vertex of each vertex, and its position in the world, after all modifiers."""
    result = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = result.data
    positions = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", positions)
    matrix = np.array(result.matrix_world)
    positions = positions.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    ids = np.zeros(len(mesh.vertices), np.float32)
    if "_VERTEX_ID" in mesh.attributes:
        mesh.attributes["_VERTEX_ID"].data.foreach_get("value", ids)
    return ids.astype(int), positions


def to_blender(points):
    """Y up to Blender's Z up."""
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)


def read_pc2(path):
    with open(path, "rb") as file:
        data = file.read()
    magic, version, points, start, rate, samples = struct.unpack("<12siiffi", data[:32])
    assert magic == b"POINTCACHE2\0" and version == 1 and rate == 1.0, path
    frames = np.frombuffer(data, "<f4", offset=32).reshape(samples, points, 3)
    return {"start": start, "frames": frames}


main()
