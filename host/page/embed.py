"""Writes a C file that holds texts as strings, each the value of a function's file name: embed.py OUT.c FILE..."""

import json
import os
import sys

out_path, *paths = sys.argv[1:]
with open(out_path, "w", encoding="utf-8") as out:
    out.write('#include "page/texts.h"\n\n')
    out.write("const struct bl_page_text bl_page_texts[] = {\n")
    for path in paths:
        with open(path, encoding="utf-8") as source:
            lines = source.read().splitlines(keepends=True)
        out.write('    {"%s",\n' % os.path.basename(path))
        # A JSON string of ASCII is a C string too.
        out.writelines("     %s\n" % json.dumps(line) for line in lines)
        out.write("    },\n")
    out.write("    {0, 0},\n};\n")
