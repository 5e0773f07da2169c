"""Takes the README's screenshots of Blender with a bake imported, as the README's walkthrough does it.

    xvfb-run -a -s "-screen 0 1280x800x24" \
        blender --factory-startup --python .ci/clients/blender_screenshots.py -- BAKE.glb BAKE.pc2 MESH.obj FOLDER

Writes FOLDER/blender_gltf.png and FOLDER/blender_pc2.png. Needs a display, so Blender itself and not its Python module;
Blender 3.4 to 4.5.
"""

import math
import sys
from pathlib import Path

import bpy
import mathutils
import numpy

# The importer of Blender 3.4 names a type that newer numpy has dropped.
numpy.bool = bool

GLB, PC2, MESH, FOLDER = sys.argv[sys.argv.index("--") + 1 :][:4]
FRAME = 22
LAST = 64


def window():
    return bpy.context.window_manager.windows[0]


def clear():
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)


def look(objects):
    """Turns the viewport to a three-quarter view of what was imported, without overlays that hide it."""
    corners = [thing.matrix_world @ mathutils.Vector(corner) for thing in objects for corner in thing.bound_box]
    low = [min(corner[axis] for corner in corners) for axis in range(3)]
    high = [max(corner[axis] for corner in corners) for axis in range(3)]
    area = next(area for area in window().screen.areas if area.type == "VIEW_3D")
    space = area.spaces.active
    space.shading.type = "SOLID"
    space.shading.color_type = "OBJECT"
    space.overlay.show_bones = False
    space.overlay.show_outline_selected = False
    view = space.region_3d
    view.view_location = [(a + b) / 2 for a, b in zip(low, high)]
    view.view_rotation = mathutils.Euler((math.radians(80), 0, math.radians(35))).to_quaternion()
    view.view_distance = 1.7 * max(b - a for a, b in zip(low, high))


def play():
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    scene.frame_set(FRAME)
    for area in window().screen.areas:
        if area.type == "DOPESHEET_EDITOR":
            region = next(region for region in area.regions if region.type == "WINDOW")
            with bpy.context.temp_override(window=window(), area=area, region=region):
                bpy.ops.action.view_all()


def paint(thing, colour):
    thing.color = (*colour, 1)


def choose(thing):
    for other in bpy.context.view_layer.objects:
        other.select_set(other == thing)
    bpy.context.view_layer.objects.active = thing


def show_gltf():
    clear()
    bpy.context.scene.render.fps = 30
    bpy.ops.import_scene.gltf(filepath=GLB, merge_vertices=True)
    meshes = [thing for thing in bpy.context.scene.objects if thing.type == "MESH" and thing.visible_get()]
    cloth = next(mesh for mesh in meshes if mesh.data.shape_keys)
    for mesh in meshes:
        paint(mesh, (0.2, 0.36, 0.6) if mesh == cloth else (0.6, 0.6, 0.62))
    choose(cloth)
    properties = next(area for area in window().screen.areas if area.type == "PROPERTIES")
    properties.spaces.active.context = "DATA"
    look(meshes)
    play()


def show_pc2():
    clear()
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    if hasattr(bpy.ops.wm, "obj_import"):
        bpy.ops.wm.obj_import(filepath=MESH)
    else:
        bpy.ops.import_scene.obj(filepath=MESH, split_mode="OFF")
    cloth = next(thing for thing in bpy.context.scene.objects if thing.type == "MESH")
    cache = cloth.modifiers.new("Mesh Cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = PC2
    cache.frame_start = 1
    paint(cloth, (0.2, 0.36, 0.6))
    choose(cloth)
    properties = next(area for area in window().screen.areas if area.type == "PROPERTIES")
    properties.spaces.active.context = "MODIFIER"
    look([cloth])
    play()


def shoot(name):
    with bpy.context.temp_override(window=window()):
        bpy.ops.screen.screenshot(filepath=str(Path(FOLDER) / name))


def quit_blender():
    bpy.ops.wm.quit_blender()


STEPS = iter([
    show_gltf,
    lambda: shoot("blender_gltf.png"),
    show_pc2,
    lambda: shoot("blender_pc2.png"),
    quit_blender,
])


def step():
    try:
        next(STEPS)()
    except Exception as error:
        print(f"screenshots: {error}", file=sys.stderr)
        sys.stderr.flush()
        quit_blender()
    # Time to draw what the next step shows.
    return 3.0


bpy.context.preferences.view.show_splash = False
bpy.app.timers.register(step, first_interval=2.0)
