"""Known holes of the crates that toile is built from.

    git clone https://github.com/rustsec/advisory-db
    python3 .ci/advisories.py advisory-db       # writes .ci/advisories.json anew

advisories.json names every crate of Cargo.lock that was looked up, with the advisories on it: which versions are safe is checked against
Cargo.lock by check_dependencies.py, without a network. A crate that was not looked up is a fault there.
"""
import json
import pathlib
import re
import subprocess
import sys
import tomllib

KEPT = pathlib.Path(__file__).with_name("advisories.json")
# Looked at, and no hole: what it is, and why it may stay.
ACCEPTED = {
    "RUSTSEC-2026-0192": "ttf-parser is unmaintained: ab_glyph letters previews with it, and reads no font but those built in",
}


def locked():
    """Name and version of every crate from crates.io."""
    with open("Cargo.lock", "rb") as lock:
        return [(p["name"], p["version"]) for p in tomllib.load(lock)["package"] if "source" in p]


def look_up(database):
    """What the database says of the crates of Cargo.lock."""
    date = subprocess.check_output(["git", "-C", database, "log", "-1", "--format=%cs"], text=True).strip()
    crates = {}
    for name in sorted({name for name, _ in locked()}):
        crates[name] = {}
        for path in sorted(pathlib.Path(database, "crates", name).glob("*.md")):
            about = tomllib.loads(re.search(r"```toml\n(.*?)```", path.read_text(), re.DOTALL)[1])
            if "withdrawn" not in about["advisory"]:
                versions = about["versions"]
                crates[name][path.stem] = versions.get("patched", []) + versions.get("unaffected", [])
    return {"database of": date, "safe versions": crates}


def number(version):
    """Comparable: a version before a release counts as less than it."""
    release, _, before = version.partition("+")[0].partition("-")
    parts = [int(part) for part in release.split(".")]
    return tuple(parts + [0] * (3 - len(parts))), not before, before


def meets(version, requirement):
    """Whether a version meets every part of a requirement, as `>= 0.7.4, < 0.8.0` or `^0.10.4`."""
    compare = {
        ">=": lambda a, b: a >= b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b, "<": lambda a, b: a < b,
        "=": lambda a, b: a == b, "^": lambda a, b: a >= b and left(a) == left(b),
    }
    # What must stay the same in a compatible version: everything up to the first part that is not zero.
    left = lambda n: n[0][: next((i for i, part in enumerate(n[0]) if part), 2) + 1]
    for part in requirement.split(","):
        sign, wanted = re.fullmatch(r"\s*(>=|<=|>|<|=|\^|)\s*(\S+)\s*", part).groups()
        if not compare[sign or "^"](number(version), number(wanted)):
            return False
    return True


def faults():
    """What is wrong with the versions of Cargo.lock, in words."""
    kept = json.loads(KEPT.read_text())
    for name, version in locked():
        known = kept["safe versions"].get(name)
        if known is None:
            yield f"{name}: not looked up among known holes: see {__file__}"
            continue
        for advisory, safe in known.items():
            if advisory not in ACCEPTED and not any(meets(version, requirement) for requirement in safe):
                yield f"{name} {version}: {advisory}, see https://rustsec.org/advisories/{advisory}.html"


if __name__ == "__main__":
    KEPT.write_text(json.dumps(look_up(sys.argv[1]), indent=1) + "\n")
