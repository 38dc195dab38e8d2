#!/usr/bin/env python3
"""Builds the site from docs/**/*.md: runs its examples, draws its pictures, checks its links.

    python3 tools/docs/build.py BUILD_FOLDER OUT_FOLDER [--quick]

In a block ```console a line `$ command` is run, in a folder of its own where `armature` is the built program and scenarios/ and arms/
lie at hand; the site shows what it printed. A block whose first line is `# file: NAME` is written to NAME there first. `# exit 1` behind a command says which answer is expected; anything else fails the build.
An image whose target is a page (out/step/index.html) becomes a picture of that page, as the browser shows it, and leads to it.
Formulas stand between dollars. --quick runs nothing and draws nothing: it checks links, headings and that every command names a verb.
"""
import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import api
import laws
import notebooks
import python_api

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# The order in which a reader meets them. A page that is not named here comes last.
ORDER = ["index", "getting_started", "your_robot", "urdf", "arm_files", "derive", "derivations/README", "identify", "identification", "estimators", "calibrate", "control", "loop_shaping", "scenarios", "campaign",
         "drives", "flexible_links", "compliant_base", "troubleshooting", "python", "python_api", "notebooks/README", "coming_from", "cpp", "performance", "command_line", "file_formats", "notation", "glossary", "laws/README", "coverage", "figures", "errata", "decisions/README"]
LINES_SHOWN = 60
problems = []


def complain(page, text):
    problems.append(f"docs/{page}.md: {text}")


class Examples:
    """Runs commands one after the other in one folder, as a reader would."""

    def __init__(self, build, folder):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in ("scenarios", "arms", "studies", "campaigns"):
            (folder / name).symlink_to(ROOT / name)
        tools = folder / ".bin"
        tools.mkdir()
        (tools / "armature").symlink_to((build / "armature").resolve())
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "NO_COLOR": "1"}
        self.count = 0
        self.bring_robot()

    def bring_robot(self):
        """robot.urdf, as a reader downloads it: a maker's file with its meshes where there is one, else a built-in arm."""
        robots = ROOT.parent / "shared" / "robots"
        maker = robots / "example-robot-data/robots/ur_description/urdf/ur3_robot.urdf"
        if maker.exists():
            shutil.copy(maker, self.folder / "robot.urdf")
            self.environment["ROS_PACKAGE_PATH"] = str(robots)
        else:
            self.run("your_robot", "armature export ur5e -o robot.urdf", 0)

    def run(self, page, command, expected):
        self.count += 1
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
        if done.returncode != expected:
            complain(page, f"`{command}` ends with {done.returncode}, not {expected}:\n{done.stdout[-2000:]}")
        lines = done.stdout.rstrip("\n").split("\n") if done.stdout.strip() else []
        if len(lines) > LINES_SHOWN:
            lines = lines[:LINES_SHOWN] + [f"... {len(lines) - LINES_SHOWN} more lines"]
        return lines


def printed(line):
    """A line of a command's answer; a long sentence wraps, a table does not."""
    escaped = html.escape(line)
    return f'<span class="said">{escaped}</span>' if len(line) > 90 and "  " not in line.strip() else escaped


def run_console(page, text, examples, verbs):
    """The text with every console block run."""
    def block(match):
        shown = []
        for line in match.group(1).splitlines():
            if not line.startswith("$ "):
                continue  # what it printed once; it is run again
            command, _, comment = line[2:].partition("  # ")
            expected = int(comment.removeprefix("exit ")) if comment.startswith("exit ") else 0
            words = command.split()
            if words[0] == "armature" and verbs and len(words) > 1 and words[1] not in verbs and not words[1].startswith("-"):
                complain(page, f"`{command}`: there is no verb {words[1]}")
            shown.append(f'<b class="prompt">$ {html.escape(line[2:])}</b>')
            if examples:
                shown += [printed(l) for l in examples.run(page, command, expected)]
        return "\n<pre class=\"console\">" + "\n".join(shown) + "</pre>\n"
    return re.sub(r"^```console\n(.*?)^```$", block, text, flags=re.S | re.M)


def write_files(text, folder):
    """Blocks that say which file they are."""
    for content, name in ((m.group(0).split("\n", 2)[2].rsplit("\n", 1)[0], m.group(1)) for m in re.finditer(r"^```\w*\n(?:#|//) file: (\S+)\n.*?^```$", text, re.S | re.M)):
        (folder / name).write_text(content + "\n", encoding="utf-8")


def keep_formulas(text):
    """Formulas become elements that the page's script sets; Markdown does not see inside."""
    kept = []

    def keep(match):
        display = match.group(1) is not None
        formula = html.escape((match.group(1) or match.group(2)).strip())
        kept.append(f'<div class="math">{formula}</div>' if display else f'<span class="math">{formula}</span>')
        return f"\ue000{len(kept) - 1}\ue001"
    text = re.sub(r"^```math\n(.*?)^```$", r"$$\1$$", text, flags=re.S | re.M)
    parts = re.split(r"(```.*?```|`[^`\n]+`|<pre.*?</pre>)", text, flags=re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\$\$(.+?)\$\$|(?<![\w\\$])\$([^\s$][^$\n]*?)\$(?![\w$])", keep, parts[i], flags=re.S)
    return "".join(parts), kept


def put_formulas(text, kept):
    text = re.sub(r"<p>\ue000(\d+)\ue001</p>", lambda m: kept[int(m.group(1))], text)
    return re.sub(r"\ue000(\d+)\ue001", lambda m: kept[int(m.group(1))], text)


def slug(heading):
    return re.sub(r"[^\w-]+", "-", heading.lower()).strip("-")


TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} – Armature</title><link rel="stylesheet" href="{up}site.css"></head>
<body><nav>{nav}</nav><main>{body}<footer>{links}</footer></main><script src="{up}math.js"></script></body></html>
"""


def up(name):
    """From a page to the top of the site."""
    return "../" * name.count("/")


def pictures(body, page, work, site, quick):
    """Pictures of pages that the examples wrote."""
    def one(match):
        text, target = match.group(1), html.unescape(match.group(2))
        if not target.endswith(".html"):
            return match.group(0)
        if quick:
            return ""
        if not (work / target).exists():
            complain(page, f"the examples leave no {target}")
            return ""
        png = "pictures/" + target.removesuffix("/index.html").replace("/", "_") + ".png"
        (site / "pictures").mkdir(exist_ok=True)
        drawn = subprocess.run(["node", str(ROOT / "web/test/picture.mjs"), str(work / target), str(site / png)], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120) if shutil.which("node") else None
        if drawn is None or drawn.returncode == 77:
            print("docs: no browser here, the picture of", target, "is left out")
            return f'<a href="{html.escape(target)}">{text}</a>'
        if drawn.returncode != 0:
            complain(page, f"{target} cannot be pictured: {drawn.stdout}")
        return f'<a href="{html.escape(target)}" class="shot"><img src="{up(page)}{png}" alt="{text}"></a>'
    return re.sub(r'<img alt="([^"]*)" src="([^"]*)"\s*/?>', one, body)


def check_links(name, body, anchors, site, quick):
    here = (DOCS / name).parent

    def one(match):
        target = html.unescape(match.group(1))
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        path, _, anchor = target.partition("#")
        if path.startswith("out/"):
            if not quick and not (site / path).exists():
                complain(name, f"the link {target}: the examples leave no such file")
            return f'href="{up(name)}{html.escape(target)}"'
        found = (here / path).resolve() if path else DOCS / f"{name}.md"
        if found.parent == DOCS / "notebooks" and not found.exists() and found.relative_to(DOCS).with_suffix("").as_posix() in anchors:
            return f'href="{html.escape(found.stem)}.html"'  # a page from a notebook
        if found.is_dir() and (found / "README.md").exists():
            found = found / "README.md"
        if not found.exists() and name == "laws/README" and found.stem in laws.sources():
            return f'href="{html.escape(found.stem)}.html"'  # a page from the law's source
        if not found.exists():
            complain(name, f"the link {target} leads nowhere")
        elif found.suffix == ".md" and DOCS in found.parents:
            page = found.relative_to(DOCS).with_suffix("").as_posix()
            if anchor and anchor not in anchors[page]:
                complain(name, f"the link {target}: docs/{page}.md has no heading '{anchor}'")
            return f'href="{up(name)}{page}.html{"#" + anchor if anchor else ""}"'
        return f'href="{html.escape(os.path.relpath(found, (site / name).parent))}"'
    return re.sub(r'href="([^"]*)"', one, body)


def main(build, site, quick):
    import markdown  # Debian: python3-markdown
    site = site.resolve()
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    sources = {path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md"))}
    sources = laws.with_keys(sources, build / "armature")
    if not quick and notebooks.missing():
        print("docs: the notebooks are not run, there is no", " ".join(notebooks.missing()))
    sources.update(python_api.pages())
    sources.update(notebooks.pages(build, None if quick or notebooks.missing() else site, complain))
    rest = [n for n in sources if n not in ORDER]
    names = []
    for n in [n for n in ORDER if n in sources] + [n for n in rest if n.endswith("/README") or n.split("/")[0] + "/README" not in sources]:
        names += [n] + ([m for m in rest if m != n and m.split("/")[0] == n.split("/")[0]] if n.endswith("/README") else [])
    assert sorted(names) == sorted(sources), "every page is shown once"
    titles = {n: (re.search(r"^# (.+)$", sources[n], re.M) or [None, n])[1] for n in names}
    program = build / "armature"
    helped = subprocess.run([str(program), "--help"], text=True, stdout=subprocess.PIPE).stdout if program.exists() else ""
    verbs = set(re.findall(r"^  ([a-z-]+) ", helped, re.M))
    work = site / "work"
    examples = None if quick else Examples(build.resolve(), work)
    has_api = not quick and api.build(site)
    if not quick and not has_api:
        print("docs: no doxygen here, the C++ API reference is left out")
    bodies, anchors = {}, {}
    for name in names:
        if examples:
            write_files(sources[name], work)
        text, kept = keep_formulas(run_console(name, sources[name], examples, verbs))
        converter = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "attr_list", "sane_lists"],
                                      extension_configs={"toc": {"slugify": lambda value, _: slug(value)}})
        bodies[name] = put_formulas(converter.convert(text), kept)
        anchors[name] = set(re.findall(r'id="([^"]+)"', bodies[name]))
    if not quick and (work / "out").exists():
        shutil.copytree(work / "out", site / "out")
    for name in names:
        body = pictures(bodies[name], name, work, site, quick)
        body = check_links(name, body, anchors, site, quick)
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        for picture in re.findall(r'<img [^>]*src="([^"]+)"', body):
            source, goal = (DOCS / name).parent / picture, (site / name).parent / picture
            if source.exists():
                goal.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, goal)
            elif not goal.exists():
                complain(name, f"the picture {picture} is missing")
        top = up(name)
        shown = [n for n in names if n != "index" and ("/" not in n or n.endswith("/README") or n.split("/")[0] == name.split("/")[0])]
        nav = f'<a class="home" href="{top}index.html">Armature</a>' + "".join(
            f'<a href="{top}{n}.html" class="{"here" if n == name else ""}{" inner" if "/" in n and not n.endswith("/README") else ""}">{html.escape(titles[n])}</a>' for n in shown) + (
            f'<a href="{top}api/index.html">C++ API reference</a>' if has_api else "")
        at = names.index(name)
        links = "".join(f'<a href="{top}{names[k]}.html">{arrow.format(html.escape(titles[names[k]]))}</a>'
                        for k, arrow in ((at - 1, "← {}"), (at + 1, "{} →")) if 0 <= k < len(names))
        (site / f"{name}.html").write_text(TEMPLATE.format(title=html.escape(titles[name]), up=top, nav=nav, body=body, links=links), encoding="utf-8")
    shutil.copy(ROOT / "tools/docs/site.css", site)
    shutil.copy(ROOT / "web/dist/math.js", site)
    shutil.rmtree(work, ignore_errors=True)
    for problem in problems:
        print(problem)
    print(f"docs: {len(names)} pages, {examples.count if examples else 0} commands run, {len(problems)} problems")
    if not problems and not quick:
        print(f"docs: {site / 'index.html'}")
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        import markdown
    except ImportError:
        print("SKIP: no python3-markdown here (./dev docs installs it)")
        sys.exit(77)
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    sys.exit(main(Path(arguments[0]), Path(arguments[1]), "--quick" in sys.argv))
