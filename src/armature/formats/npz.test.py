"""Compares a log in NPZ with the same log in CSV, number by number.

    python3 npz.test.py LOG.npz LOG.csv
"""
import csv
import json
import math
import sys
import zipfile

import numpy

npz_path, csv_path = sys.argv[1:]
assert zipfile.ZipFile(npz_path).testzip() is None, "a checksum is wrong"
log = numpy.load(npz_path, allow_pickle=False)
about = json.loads(log["_log"].item())

with open(csv_path, encoding="utf-8") as file:
    lines = [line for line in file if not line.startswith("#")]
header, *rows = csv.reader(lines)
headings = ["time [s]"] + [f"{c['name']} [{c['unit']}]" if c["unit"] else c["name"] for c in about["channels"]]
assert header == headings, (header, headings)
assert set(log.files) == {"time", "_log"} | {c["name"] for c in about["channels"]}, log.files
for i, name in enumerate(["time"] + [c["name"] for c in about["channels"]]):
    values = log[name]
    assert values.dtype == numpy.float64 and values.shape == (len(rows),), (name, values.dtype, values.shape)
    for value, row in zip(values, rows):
        expected = float(row[i])
        assert value == expected or (math.isnan(value) and math.isnan(expected)), (name, value, expected)
print(f"{len(rows)} rows of {len(headings)} channels agree; {json.dumps(about['facts'])}; {len(about['events'])} events")
