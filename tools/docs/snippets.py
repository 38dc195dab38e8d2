#!/usr/bin/env python3
"""Compiles every ```cpp block of docs/cpp.md and README.md, with the flags of the program.

    python3 tools/docs/snippets.py BUILD_FOLDER

A block is the body of a function; its includes stand at the top of the file. What a block takes for granted (q, a driver, a
measured curve) is declared here, and nothing else.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_headers  # noqa: E402

GIVEN = """
#include <armature/armature.hpp>
#include <fstream>
#include <iostream>
struct Driver {
  armature::Measurement read();
  void write(const armature::VecX<double>& tau);
};
void log(const std::string& text);
"""
PARAMETERS = ("[[maybe_unused]] const armature::Arm& given_arm, [[maybe_unused]] armature::VecX<double> q, [[maybe_unused]] armature::VecX<double> qd, "
              "[[maybe_unused]] armature::VecX<double> qdd, [[maybe_unused]] armature::VecX<double> kp, [[maybe_unused]] armature::VecX<double> kd, "
              "[[maybe_unused]] armature::VecX<double> tau, [[maybe_unused]] Driver driver, [[maybe_unused]] armature::Reference reference, "
              "[[maybe_unused]] bool running, [[maybe_unused]] std::vector<double> times, [[maybe_unused]] std::vector<double> positions, "
              "[[maybe_unused]] std::vector<double> v, [[maybe_unused]] std::vector<double> f, [[maybe_unused]] std::vector<double> low, "
              "[[maybe_unused]] std::vector<double> high")


def main(build):
    flags = [word for word in check_headers.program_flags(build) if word not in ("-Werror", "-Wshadow=local")]
    failed = 0
    for page in ("docs/cpp.md", "README.md"):
        for k, block in enumerate(re.findall(r"^```cpp\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.S | re.M)):
            includes = "".join(f"{line}\n" for line in block.splitlines() if line.startswith("#include"))
            body = "\n".join(line for line in block.splitlines() if not line.startswith("#include"))
            if "int main" in body:
                text = includes + body
            else:
                own_arm = "" if re.search(r"\bArm arm\b", body) else "const armature::Arm& arm = given_arm; (void)arm;\n"
                own_tau = body if not re.search(r"> tau = ", body) else "{\n" + body + "\n}"
                text = f"{GIVEN}{includes}void block({PARAMETERS}) {{\n{own_arm}{own_tau}\n}}\n"
            with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
                source.write(text)
                source.flush()
                done = subprocess.run([*flags, "-fsyntax-only", source.name], cwd=build, text=True, capture_output=True)
            if done.returncode != 0:
                failed += 1
                print(f"{page}, block {k + 1} does not compile:\n{block}\n{done.stderr[:1500]}")
    print(f"snippets: {failed} that do not compile")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
