"""Embeds text files in the program. Usage: embed.py OUT.c ARRAY FILE...

Writes OUT.c, which defines ARRAY, an array of struct bl_embedded with the name and the text of each FILE."""

import json
import os
import sys

out_path, array, *paths = sys.argv[1:]
with open(out_path, "w", encoding="utf-8") as out:
    out.write('#include "base/text.h"\n\n')
    out.write("extern const struct bl_embedded %s[];\nconst struct bl_embedded %s[] = {\n" % (array, array))
    for path in paths:
        with open(path, encoding="utf-8") as source:
            lines = source.read().splitlines(keepends=True)
        out.write('    {"%s",\n' % os.path.basename(path))
        # json.dumps escapes everything but printable ASCII. C reads these escapes in the same way, except those of
        # characters above U+FFFF and of control characters other than tabs, line ends and the like.
        out.writelines("     %s\n" % json.dumps(line) for line in lines)
        out.write("    },\n")
    out.write("    {0, 0},\n};\n")
