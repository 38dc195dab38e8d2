#!/usr/bin/env python3
"""The outcome of `ctest --output-junit FILE`: what was skipped and why, what failed, and the count as the last line.

    python3 tools/count_tests.py FILE

Leaves with 1 if a test failed or none ran. A test that could not be started counts as failed. Cases that a test program skipped
by itself are named, but not counted: the count is of tests as ctest knows them.
"""
import re
import sys
import xml.etree.ElementTree as xml


def reason_of(output):
    """The line that says why a test skipped itself, else its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    said = [line.split("SKIP:", 1)[1].strip() for line in lines if "SKIP:" in line]
    return (said or lines[-1:] or ["it does not say why"])[0]


def skipped_inside(output):
    """Why cases of a test that passed were left out: a line with `skipped: REASON`, unittest's OK (skipped=N)."""
    reasons = re.findall(r"\bskipped: (.+)", output)
    return sorted(set(reasons)) + [f"{n} cases" for n in re.findall(r"^OK \(skipped=(\d+)\)", output, re.M)]


def main(file):
    passed, failed, skipped, partly = [], [], [], []
    for case in xml.parse(file).getroot().iter("testcase"):
        name, output = case.get("name"), case.findtext("system-out") or ""
        notice = case.find("skipped")
        if case.get("status") == "run":
            passed.append(name)
            partly += [f"{name}: {reason}" for reason in skipped_inside(output)]
        elif case.get("status") == "disabled" or (notice is not None and notice.get("message", "").startswith("SKIP_")):
            skipped.append(f"{name}: {reason_of(output)}")
        else:
            failed.append(name)
    for title, names in (("skipped", skipped), ("skipped in part", partly), ("failed", failed)):
        for name in names:
            print(f"{title}  {name}")
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
