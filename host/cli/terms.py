"""Writes a C header with the columns and words that results/README.md explains: terms.py OUT.h README.md"""

import json
import pathlib
import re
import sys


def plain(text):
    return re.sub(r"\*\*|`", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)).strip()


def rows(text, section):
    """Returns the rows of the first table below a heading, without the table's heading."""
    found = re.search(rf"^## {section}\n[^|]*((?:^\|.*\n)+)", text, re.M)
    if not found:
        sys.exit(f"terms.py: {section}: no table")
    return [[plain(cell) for cell in line.strip().strip("|").split(" | ")] for line in found[1].splitlines()[2:]]


def column(name, since, meaning, empty):
    return name, meaning + (f"; since schema {since}" if since != "1" else "") + \
        (f". Empty: {empty}" if empty != "never" else "")


def terms(name, pairs):
    return f"static const struct bl_term {name}[] = {{\n" + \
        "".join(f"    {{{json.dumps(term)},\n     {json.dumps(meaning)}}},\n" for term, meaning in pairs) + "    {0},\n};\n"


out, readme = map(pathlib.Path, sys.argv[1:])
page = readme.read_text(encoding="utf-8")
out.write_text(terms("bl_column_terms", [column(*row) for row in rows(page, "Columns of the CSV")]) +
               terms("bl_word_terms", rows(page, "Words")), encoding="utf-8")
