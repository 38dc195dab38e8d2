#!/usr/bin/env python3
"""Fails on settings that stand in two places: two structs that give the same default to three or more fields of the same name.

    python3 tools/check_settings.py [ROOT]

A setting is a field of the struct beside the thing that it sets; scenario files, options and documentation come from that struct's list
of fields (core/fields.hpp). A second struct with the same fields is a copy that somebody has to keep in step. Defaults that say
nothing (0, 1, true, false, an empty list) do not count.
"""
import itertools
import re
import sys
from pathlib import Path

STRUCT = re.compile(r"^struct (\w*Settings)\b[^;{]*\{\n(.*?)^\};", re.M | re.S)
FIELD = re.compile(r"^  [\w:<>, ]+?\s+(\w+)\s*=\s*([^;{}]+);", re.M)
SAYS_NOTHING = {"0", "1", "0.0", "1.0", "true", "false", "nullptr"}
SHARED = 3


def settings(root):
    """{name: (file, {field: default})} of all structs of settings."""
    found = {}
    for folder in ("src", "apps", "studies"):
        for path in sorted((root / folder).rglob("*.hpp")):
            for name, body in STRUCT.findall(path.read_text(encoding="utf-8")):
                fields = {field: " ".join(default.split()) for field, default in FIELD.findall(body)}
                found[name] = (path.relative_to(root), {f: d for f, d in fields.items() if d not in SAYS_NOTHING})
    return found


def main(root):
    found = settings(root)
    problems = 0
    for (one, (file, fields)), (other, (other_file, other_fields)) in itertools.combinations(found.items(), 2):
        shared = [f"{field} = {default}" for field, default in fields.items() if other_fields.get(field) == default]
        if len(shared) >= SHARED:
            problems += 1
            print(f"{one} ({file}) and {other} ({other_file}) both say {', '.join(shared)}: let one contain the other")
    if not problems:
        print(f"settings: {len(found)} structs, no default in two places")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
