"""What the sources say about control laws: their kinds, their keys, and a page for a law that has no page of its own."""
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def sources():
    """{kind: source file} of every line ARMATURE_LAW(kind, Settings, Class)."""
    return {kind: source for source in sorted((ROOT / "src/armature/control").glob("*.cpp"))
            for kind in re.findall(r"^ARMATURE_LAW\((\w+),", source.read_text(encoding="utf-8"), re.M)}


def comment_of(source):
    """The comment at the top of a source file, as paragraphs."""
    lines = re.match(r"(?://.*\n)*", source.read_text(encoding="utf-8"))[0].splitlines()
    return "\n".join(line[3:] for line in lines).strip()


def key_table(program, kind):
    """The keys of a kind of law as a Markdown table, as `armature simulate --help-keys KIND` lists them."""
    text = subprocess.run([str(program), "simulate", "--help-keys", kind], text=True, check=True, stdout=subprocess.PIPE).stdout
    rows = []
    for line in text.splitlines():
        start = re.match(r"  (\S+)\s*(.*)", line)
        if start:
            rows.append([start[1].removeprefix("controller."), start[2]])
        elif rows:
            rows[-1][1] = f"{rows[-1][1]} {line.strip()}".strip()
    if not rows:
        return ""
    cells = "".join(f"| `{key}` | {meaning.replace('|', chr(92) + '|')} |\n" for key, meaning in rows)
    return f"\n## Keys\n\n| key | meaning |\n|---|---|\n{cells}"


def with_keys(pages, program):
    """The pages of the site with the table of keys on every law's page, and with a page for each law that has none."""
    pages, written = dict(pages), []
    for kind, source in sources().items():
        name = f"laws/{kind}"
        if name not in pages:
            title, _, text = comment_of(source).partition("\n")
            pages[name] = f"# {title.rstrip('.')}\n{text}\n\nSource: `{source.relative_to(ROOT / 'src')}`.\n"
            written.append(f"- [{title.rstrip('.')}]({kind}.md)\n")
        if Path(program).exists():
            pages[name] += key_table(program, kind)
    if written:
        pages["laws/README"] += "\n## Further laws\n\n" + "".join(written)
    return pages
