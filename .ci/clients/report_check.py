"""A bake's report: every key that scripts rely on is there, of its type, and true of the files.

    python3 report_check.py REPORT.json [--frames N] [--max-penetration-mm MM] [--max-p95 FRACTION]
"""

import argparse
import hashlib
import json
import sys
from numbers import Real

WHOLE, NUMBER, TEXT, LIST = int, Real, str, list
NULLABLE = {"penetration", "loop.residual_mm"}  # no body; no whole cycles
KEYS = {
    **{f"garment.{key}": WHOLE for key in ("vertices", "faces", "particles", "components", "boundary_loops")},
    **{f"springs.{key}": WHOLE for key in ("stretch", "shear", "bend")},
    "frames.first": WHOLE,
    "frames.last": WHOLE,
    "frames.fps": NUMBER,
    "states": LIST,
    **{f"stretch.{key}": NUMBER for key in ("p50", "p95", "max")},
    "stretch.worst.frame": WHOLE,
    "stretch.worst.vertices": LIST,
    "penetration.max_mm": NUMBER,
    "penetration.vertex_frames": WHOLE,
    "loop.residual_mm": NUMBER,
    **{f"seconds.{key}": NUMBER for key in ("import", "build", "simulate", "write")},
    "milliseconds_per_frame": NUMBER,
    "threads": WHOLE,
    "retakes": LIST,
    "outputs": LIST,
    "position_hash": TEXT,
}
WORST_PENETRATION = {"frame": WHOLE, "vertex": WHOLE, "joint": TEXT}
MAP = {"corrections": WHOLE, "levels": WHOLE, "unreached": WHOLE}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report")
    parser.add_argument("--frames", type=int, help="frames of the bake")
    parser.add_argument("--max-penetration-mm", type=float, help="deepest vertex inside the body that passes")
    parser.add_argument("--max-p95", type=float, help="greatest 95th percentile of stretch that passes")
    options = parser.parse_args()
    with open(options.report) as file:
        report = json.load(file)
    faults = [fault for key, kind in KEYS.items() for fault in missing(report, key, kind)]
    if not faults:
        faults = untrue(report) + over(report, options)
        print(summary(report))
    for fault in faults:
        print(f"FAILED {options.report}: {fault}")
    sys.exit(1 if faults else 0)


def missing(report, key, kind):
    """What is wrong with one key, `.` between levels."""
    value, path = report, []
    for name in key.split("."):
        path.append(name)
        if not isinstance(value, dict) or name not in value:
            return [f"no key {'.'.join(path)}"]
        value = value[name]
        if value is None and ".".join(path) in NULLABLE:
            return []
    return [] if isinstance(value, kind) and not isinstance(value, bool) else [f"{key} is {value!r}, no {kind.__name__}"]


def untrue(report):
    """Keys whose values contradict each other, or the files."""
    faults = []
    frames = report["frames"]["last"] - report["frames"]["first"] + 1
    if len(report["states"]) != frames:
        faults.append(f"{len(report['states'])} states for {frames} frames")
    if len(report["position_hash"]) != 64:
        faults.append(f"position_hash is {report['position_hash']!r}, no SHA-256")
    for state in set(report["states"]):
        faults += missing(report, f"maps.{state}", dict)
    for name, found in report["maps"].items():
        faults += [f"maps.{name}: {fault}" for key, kind in MAP.items() for fault in missing(found, key, kind)]
    worst = (report["penetration"] or {}).get("worst")
    if worst is not None:
        faults += [f"penetration.worst: {f}" for k, kind in WORST_PENETRATION.items() for f in missing(worst, k, kind)]
    for output in report["outputs"]:
        with open(output["path"], "rb") as file:
            data = file.read()
        if output["bytes"] != len(data) or output["sha256"] != hashlib.sha256(data).hexdigest():
            faults.append(f"{output['path']} is not what the report says")
    return faults


def over(report, options):
    """Bars that the bake does not meet."""
    faults = []
    frames = report["frames"]["last"] - report["frames"]["first"] + 1
    if options.frames is not None and frames != options.frames:
        faults.append(f"{frames} frames, expected {options.frames}")
    if options.max_penetration_mm is not None and report["penetration"]["max_mm"] > options.max_penetration_mm:
        faults.append(f"{report['penetration']} is deeper than {options.max_penetration_mm} mm")
    if options.max_p95 is not None and report["stretch"]["p95"] > options.max_p95:
        faults.append(f"stretch {report['stretch']} has a p95 above {options.max_p95}")
    return faults


def summary(report):
    stretch, penetration = report["stretch"], report["penetration"]
    inside = f"{penetration['max_mm']:.2f} mm inside" if penetration else "no body"
    seconds = " ".join(f"{name} {value:.2f} s" for name, value in report["seconds"].items())
    megabytes = " ".join(f"{o['path']} {o['bytes'] / 1e6:.2f} MB" for o in report["outputs"][:4])
    return (
        f"{report['scene']}: stretch p95 {100 * stretch['p95']:.2f} % max {100 * stretch['max']:.2f} %, {inside}, "
        f"loop {report['loop']['residual_mm']} mm; {report['threads']} threads, {seconds}; {megabytes}; "
        f"retakes {report['retakes']}"
    )


main()
