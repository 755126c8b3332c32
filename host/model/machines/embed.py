"""Embeds machines in the program. Usage: embed.py OUT.c FOLDER

Writes OUT.c, which defines an array of the machines that the files FOLDER/*.machine describe. Keys are fields of
struct bl_machine (model/machine.h). OUT.c is written only when its content changes, so that every build may run this
script. A test also reads each file as a user's machine, and compares this machine with the embedded one."""

import json
import pathlib
import sys

TEXTS = ("name", "formerly", "title", "names", "rests_on", "why_no_rule", "why_no_global_rule", "cache_name")
LEVELS = ("l2", "llc", "memory")
WORDS = {"yes": "true", "no": "false", "none": "{0}", "any": "BL_FOR_ANY", "cpu": "BL_FOR_CPU", "gpu": "BL_FOR_GPU"}
OF_ITS_OWN = ("name", "title", "formerly", "rests_on") # fields that 'like' does not take from another machine
LISTS = ("tag_masks", "vendors")
PAIRS = {"ip_versions": "-", "device_ids": "-", "banks_alternatives": "x"} # lists of pairs; separator in a pair


def number(text):
    """A number in a list. A text with a dot, such as 12.55, is a version, and is encoded like BL_IP_VERSION."""
    architecture, dot, release = text.partition(".")
    return 256 * int(architecture) + int(release) if dot else int(text, 0)


def field(key, value):
    level, _, member = key.partition("_")
    if level in LEVELS:
        key = f"levels[{LEVELS.index(level)}].{member}"
    if key in TEXTS or key.endswith("].name"):
        return f".{key} = {json.dumps(value)}" # a JSON string of ASCII is a C string too
    if key == "device_type" and value == "none":
        return f".{key} = BL_FOR_NONE"
    if value in WORDS:
        return f".{key} = {WORDS[value]}"
    if key in LISTS:
        return f".{key} = {{{', '.join(value.split())}}}"
    if key in PAIRS:
        pairs = [[number(text) for text in pair.split(PAIRS[key])] for pair in value.split()]
        return f".{key} = {{{', '.join(f'{{{pair[0]}, {pair[-1]}}}' for pair in pairs)}}}"
    return f".{key} = {float(value)!r}" if "." in value else f".{key} = {int(value, 0)}"


def fields(path):
    """The keys and values of a file. They override those of the machine that the key 'like' names, if there is one."""
    lines = [line.split("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
    own = dict([part.strip() for part in line.split("=", 1)] for line in lines if line)
    other = fields(path.with_stem(own.pop("like"))) if "like" in own else {}
    return {key: value for key, value in other.items() if key not in OF_ITS_OWN} | own


def machine(path):
    return "    {" + ",\n     ".join(field(key, value) for key, value in fields(path).items()) + "},\n"


out, folder = map(pathlib.Path, sys.argv[1:])
text = '#include "model/machine.h"\n\nconst struct bl_machine bl_built_in_machines[] = {\n'
text += "".join(machine(path) for path in sorted(folder.glob("*.machine"), key=lambda path: path.stem))
text += "};\n\nconst size_t bl_built_in_machine_count = sizeof bl_built_in_machines / sizeof bl_built_in_machines[0];\n"
if not out.exists() or out.read_text(encoding="utf-8") != text:
    out.write_text(text, encoding="utf-8")
