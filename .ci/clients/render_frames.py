"""A picture of a bake: frames of a GLB side by side on one floor, rendered with Cycles on the processor.

    python3.11 render_frames.py BAKE.glb OUT.png --count 6
    python3.11 render_frames.py BAKE.glb OUT.png --frames 1 9 17 25 --columns 4 --size 720

The garment (meshes with _VERTEX_ID) gets a woven colour, everything else a neutral grey; --own-materials keeps the file's.
"""

import argparse
import math
import os
import tempfile

import bpy  # first: it brings bmesh and mathutils
import bmesh
import numpy as np
from mathutils import Matrix, Vector

CLOTH = (0.17, 0.012, 0.028)
BODY = (0.26, 0.255, 0.25)
FLOOR = (0.80, 0.79, 0.77)
MARGIN = 1.12


def main():
    arguments = parse_arguments()
    things = load(arguments)
    frames = arguments.frames or spread(arguments.count)
    snapshots = [snapshot(things, frame, arguments.own_materials) for frame in frames]
    for thing in things:
        thing.hide_render = True
    hide_rest(snapshots)
    view = View(snapshots, arguments)
    light(view)
    columns = arguments.columns or len(snapshots)
    rows = [snapshots[i : i + columns] for i in range(0, len(snapshots), columns)]
    with tempfile.TemporaryDirectory() as folder:
        pictures = [render(view, row, columns, snapshots, os.path.join(folder, f"{i}.png")) for i, row in enumerate(rows)]
    save(np.concatenate(pictures[::-1]), arguments.out)
    print(f"{arguments.out}: frames {frames} of {arguments.glb}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("glb")
    parser.add_argument("out")
    parser.add_argument("--frames", type=int, nargs="+", help="frame numbers of the bake")
    parser.add_argument("--count", type=int, default=6, help="as many frames evenly over the bake, without --frames")
    parser.add_argument("--columns", type=int, help="figures in a row; all by default")
    parser.add_argument("--size", type=int, default=640, help="height of a row, pixels")
    parser.add_argument("--samples", type=int, default=48)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--fps", type=int, default=30, help="frames a second of the bake")
    parser.add_argument("--turn", type=float, default=35, help="degrees from the front")
    parser.add_argument("--lift", type=float, default=9, help="degrees above the horizon")
    parser.add_argument("--own-materials", action="store_true")
    return parser.parse_args()


def load(arguments):
    """Imports the file into an empty scene; returns its meshes."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = arguments.fps
    bpy.ops.import_scene.gltf(filepath=arguments.glb)
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = arguments.samples
    scene.cycles.use_denoising = True
    scene.render.threads_mode = "FIXED"
    scene.render.threads = arguments.threads
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"
    return [thing for thing in scene.objects if thing.type == "MESH" and not is_bone_shape(thing)]


def is_bone_shape(thing):
    """The importer adds a ball to draw bones with."""
    return any(collection.name == "glTF_not_exported" for collection in thing.users_collection)


def spread(count):
    """Frames evenly over the actions, the end left out: in a cycle it is the beginning again."""
    ranges = [action.frame_range for action in bpy.data.actions]
    if not ranges:
        return [1]
    first, last = min(r[0] for r in ranges), max(r[1] for r in ranges)
    return [round(first + (last - first) * i / count) for i in range(count)]


def snapshot(things, frame, own_materials):
    """Copies of all visible meshes as they are at a frame."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    copies = []
    for thing in things:
        if min(thing.scale) < 0.5 or thing.hide_render:
            continue
        is_cloth = "_VERTEX_ID" in thing.data.attributes
        result = thing.evaluated_get(graph)
        mesh = bpy.data.meshes.new_from_object(result, preserve_all_data_layers=True, depsgraph=graph)
        mesh.transform(result.matrix_world)
        if is_cloth:
            close_seams(mesh)
        if not own_materials:
            mesh.materials.clear()
            mesh.materials.append(material("rendered cloth", CLOTH, 1.0) if is_cloth else material("rendered body", BODY, 0.0))
            mesh.polygons.foreach_set("material_index", np.zeros(len(mesh.polygons), np.int32))
        copy = bpy.data.objects.new(f"{thing.name} {frame}", mesh)
        bpy.context.scene.collection.objects.link(copy)
        copies.append(copy)
    return copies


def close_seams(mesh):
    """Joins vertices that texture seams split, so that shading is smooth across them."""
    if "custom_normal" in mesh.attributes:
        mesh.attributes.remove(mesh.attributes["custom_normal"])
    faces = bmesh.new()
    faces.from_mesh(mesh)
    bmesh.ops.remove_doubles(faces, verts=faces.verts, dist=1e-6)
    faces.to_mesh(mesh)
    faces.free()
    mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), bool))


def material(name, colour, sheen):
    if name in bpy.data.materials:
        return bpy.data.materials[name]
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1)
    shader.inputs["Roughness"].default_value = 0.75 if sheen else 0.55
    shader.inputs["Sheen Weight"].default_value = sheen * 0.6
    shader.inputs["Sheen Roughness"].default_value = 0.35
    shader.inputs["Sheen Tint"].default_value = (*(0.5 + 0.5 * c for c in colour), 1)
    return made


def hide_rest(snapshots):
    for copies in snapshots:
        for copy in copies:
            copy.hide_render = True


class View:
    """An orthographic camera, so that every figure of a row is seen from the same side."""

    def __init__(self, snapshots, arguments):
        turn, lift = math.radians(arguments.turn), math.radians(arguments.lift)
        self.towards = Vector((math.sin(turn) * math.cos(lift), -math.cos(turn) * math.cos(lift), math.sin(lift)))
        self.right = Vector((math.cos(turn), math.sin(turn), 0))
        self.up = self.towards.cross(self.right)
        points = np.concatenate([corners(copies) for copies in snapshots])
        across, along = points @ np.array(self.right), points @ np.array(self.up)
        self.floor = float(points[:, 2].min())
        self.centre = (float(across.max() + across.min()) / 2, float(along.max() + along.min()) / 2)
        self.width = float(np.ptp(across)) * MARGIN
        self.height = float(np.ptp(along)) * MARGIN
        self.pixels = arguments.size


def corners(copies):
    """All vertices of some meshes."""
    parts = []
    for copy in copies:
        part = np.empty(3 * len(copy.data.vertices), np.float32)
        copy.data.vertices.foreach_get("co", part)
        parts.append(part.reshape(-1, 3))
    return np.concatenate(parts)


def light(view):
    """Key from the left front, weak fill from the right, rim from behind; a floor that takes the shadows."""
    scene = bpy.context.scene
    scene.world = bpy.data.worlds.new("world")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.86, 0.90, 1.0, 1)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.32
    front, right = Vector((view.towards.x, view.towards.y, 0)).normalized(), view.right
    for name, energy, spread_degrees, away in [
        ("key", 3.6, 10, front * 0.8 - right * 0.9 + Vector((0, 0, 1.3))),
        ("fill", 0.5, 60, front * 0.7 + right * 1.2 + Vector((0, 0, 0.5))),
        ("rim", 1.6, 25, -front * 1.2 + right * 0.6 + Vector((0, 0, 1.1))),
    ]:
        sun = bpy.data.lights.new(name, "SUN")
        sun.energy, sun.angle = energy, math.radians(spread_degrees)
        lamp = bpy.data.objects.new(name, sun)
        lamp.rotation_euler = away.to_track_quat("Z", "Y").to_euler()
        scene.collection.objects.link(lamp)
    bpy.ops.mesh.primitive_plane_add(size=400, location=(0, 0, view.floor - 0.001))
    bpy.context.object.data.materials.append(material("rendered floor", FLOOR, 0.0))


def render(view, row, columns, snapshots, path):
    """Renders one row of figures; returns its pixels, bottom up."""
    scene = bpy.context.scene
    for copies in snapshots:
        for copy in copies:
            copy.hide_render = True
    for column, copies in enumerate(row):
        for copy in copies:
            copy.hide_render = False
            copy.matrix_world = Matrix.Translation(view.right * view.width * (column - (columns - 1) / 2))
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type = "ORTHO"
    camera.data.sensor_fit = "HORIZONTAL"
    camera.data.ortho_scale = view.width * columns
    camera.data.clip_end = 1000
    camera.location = view.towards * 60 + view.right * view.centre[0] + view.up * view.centre[1]
    camera.rotation_euler = view.towards.to_track_quat("Z", "Y").to_euler()
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.resolution_y = view.pixels
    scene.render.resolution_x = round(view.pixels * view.width * columns / view.height)
    scene.render.resolution_percentage = 100
    scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    picture = bpy.data.images.load(path)
    pixels = np.empty(len(picture.pixels), np.float32)
    picture.pixels.foreach_get(pixels)
    return pixels.reshape(picture.size[1], picture.size[0], 4)


def save(pixels, path):
    picture = bpy.data.images.new("sheet", pixels.shape[1], pixels.shape[0])
    picture.pixels.foreach_set(pixels.ravel())
    picture.filepath_raw = os.path.abspath(path)
    picture.file_format = "PNG"
    picture.save()


main()
