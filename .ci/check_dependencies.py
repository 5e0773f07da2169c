"""Every crate that toile is built from comes from crates.io, is locked by its checksum, was not taken back there, has no known
hole, and has a licence that lets anyone use, change and pass on what is built from it."""
import concurrent.futures
import json
import re
import subprocess
import sys
import tomllib
import urllib.request

import advisories

ALLOWED = {
    "MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "ISC", "Zlib", "0BSD",
    "Unlicense", "CC0-1.0", "Unicode-3.0",
    # Fonts that previews are lettered with.
    "OFL-1.1", "Ubuntu-font-1.0",
    # Changes to these files themselves are passed on under the same licence; nothing else is.
    "MPL-2.0",
}
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


def allowed(expression):
    """Whether an SPDX expression can be met with allowed licences alone."""
    words = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))
    python = []
    for word in words:
        if word in "()" or word in ("AND", "OR"):
            python.append(word.lower())
        elif word == "WITH":
            python.append(word)
        elif python and python[-1] == "WITH":
            licence = f"{python[-2]} WITH {word}"
            python[-2:] = [licence]
        else:
            python.append(word)
    value = lambda word: word if word in ("(", ")", "and", "or") else str(word in ALLOWED)
    return eval(" ".join(map(value, python)), {"__builtins__": {}})


def faults():
    metadata = json.loads(subprocess.check_output(["cargo", "metadata", "--locked", "--format-version", "1"]))
    for package in metadata["packages"]:
        name = f"{package['name']} {package['version']}"
        if package["source"] is None:
            continue
        if package["source"] != CRATES_IO:
            yield f"{name}: comes from {package['source']}"
        if not package["license"]:
            yield f"{name}: names no licence"
        elif not allowed(package["license"]):
            yield f"{name}: {package['license']} is not among the allowed licences"
    with open("Cargo.lock", "rb") as lock:
        for package in tomllib.load(lock)["package"]:
            if "source" in package and "checksum" not in package:
                yield f"{package['name']} {package['version']}: no checksum in Cargo.lock"


def index_of(name):
    """What crates.io has of a crate: a line a version."""
    short = {1: "1", 2: "2", 3: f"3/{name[:1]}"}
    folder = short.get(len(name), f"{name[:2]}/{name[2:4]}")
    with urllib.request.urlopen(f"https://index.crates.io/{folder}/{name}".lower(), timeout=20) as answer:
        return [json.loads(line) for line in answer.read().decode().splitlines()]


def taken_back():
    """Versions that their authors have taken back ("yanked")."""
    crates = advisories.locked()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for (name, version), known in zip(crates, pool.map(index_of, [name for name, _ in crates])):
            if any(entry["vers"] == version and entry["yanked"] for entry in known):
                yield f"{name} {version}: was taken back by its authors"


found = list(faults()) + list(advisories.faults())
try:
    found += taken_back()
except OSError as error:
    print(f"crates.io was not asked which versions were taken back: {error}")
print("\n".join(found) or "all dependencies come from crates.io under allowed licences, with no known holes")
sys.exit(bool(found))
