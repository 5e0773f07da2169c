#!/usr/bin/env python3
"""Compares posed bodies with Blender's own evaluation of the same GLB.

    toile pose --body BODY.glb --animation NAME --times T0,T1,... --out POSES.pc2
    .ci/skinning_check.py BODY.glb POSES.pc2 --animation NAME --times T0,T1,... [--tolerance-mm 0.1]

Needs the Python module bpy (Blender 4.5). Times are seconds on the clip's own time line. Vertices are compared as clouds,
nearest neighbours in both directions, since Blender may split or reorder vertices. Exit code 1 above the tolerance.

Between keys Blender interpolates the four numbers of a quaternion one by one, where glTF asks for a spherical
interpolation. Where keys are far apart in angle this shows (0.13 mm on the KayKit mage, 20 mm on the 77 m tall fox): choose
times on keys to compare skinning alone.
"""

import argparse
import struct
import sys

import bpy
import numpy as np
from mathutils import kdtree

FPS = 24


def read_pc2(path):
    """Frames of a PC2 file: (samples, vertices, 3)."""
    data = open(path, "rb").read()
    magic, _, vertices, _, _, samples = struct.unpack("<12siiffi", data[:32])
    assert magic == b"POINTCACHE2\0", path
    return np.frombuffer(data, "<f4", offset=32).reshape(samples, vertices, 3).astype(np.float64)


def import_body(path):
    """Imports into an empty file; glTF seconds become frames at FPS, frame 0 is second 0."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    before = set(bpy.data.objects)
    bpy.ops.import_scene.gltf(filepath=path, merge_vertices=False)
    helpers = bpy.data.collections.get("glTF_not_exported")
    hidden = set(helpers.objects) if helpers else set()
    return [o for o in bpy.data.objects if o not in before and o.type == "MESH" and o not in hidden]


def select_clip(name):
    """Lets only the clip's actions act. The importer puts each clip of each object on a muted NLA track of that name."""
    chosen = 0
    for owner in list(bpy.data.objects) + [k for k in bpy.data.shape_keys]:
        data = owner.animation_data
        if data is None:
            continue
        tracks = [t for t in data.nla_tracks if name is None or t.name == name]
        strip = tracks[0].strips[0] if tracks and tracks[0].strips else None
        if strip is not None:
            data.use_nla = False
            data.action = strip.action
            if hasattr(strip, "action_slot") and strip.action_slot is not None:
                data.action_slot = strip.action_slot
            chosen += 1
        elif data.nla_tracks:
            data.use_nla = False
            data.action = None
    return chosen


def cloud(meshes, seconds):
    """World positions of all evaluated vertices, metres, Y up."""
    frame = seconds * FPS
    whole = int(np.floor(frame))
    bpy.context.scene.frame_set(whole, subframe=frame - whole)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    clouds = []
    for owner in meshes:
        evaluated = owner.evaluated_get(depsgraph)
        mesh = evaluated.to_mesh()
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        world = np.array(evaluated.matrix_world, np.float64)
        clouds.append(points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3])
        evaluated.to_mesh_clear()
    x, y, z = np.concatenate(clouds).T
    return np.stack([x, z, -y], axis=1)


def one_way(points, targets):
    """Distance of each point to its nearest target."""
    tree = kdtree.KDTree(len(targets))
    for index, target in enumerate(targets):
        tree.insert(target, index)
    tree.balance()
    return np.array([tree.find(point)[2] for point in points])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("body")
    parser.add_argument("poses")
    parser.add_argument("--animation")
    parser.add_argument("--times", required=True)
    parser.add_argument("--tolerance-mm", type=float, default=0.1)
    parser.add_argument("--person-height", type=float, help="scale the differences as if the body were this tall, metres")
    options = parser.parse_args()
    times = [float(t) for t in options.times.split(",")]
    poses = read_pc2(options.poses)
    meshes = import_body(options.body)
    chosen = select_clip(options.animation)
    worst = 0.0
    for seconds, ours in zip(times, poses, strict=True):
        theirs = cloud(meshes, seconds)
        scale = 1.0
        if options.person_height:
            scale = options.person_height / np.ptp(theirs[:, 1])
        ordered = np.abs(ours - theirs).max() * scale if ours.shape == theirs.shape else float("nan")
        here = max(one_way(ours, theirs).max(), one_way(theirs, ours).max()) * scale
        worst = max(worst, here)
        print(f"t {seconds:.4f}: {len(ours)} / {len(theirs)} vertices, nearest {here * 1e3:.5f} mm, by order {ordered * 1e3:.5f} mm")
    print(f"{options.body}: {chosen} animated objects, worst {worst * 1e3:.5f} mm over {len(times)} times")
    return 1 if worst * 1e3 > options.tolerance_mm or np.isnan(worst) else 0


if __name__ == "__main__":
    sys.exit(main())
