"""Every public name of the Python package as a page, from its sources: signatures, docstrings, fields with what stands beside them."""
import ast
import html
import inspect
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "armature"


def signature(function, name):
    arguments = function.args
    if arguments.args and arguments.args[0].arg in ("self", "cls"):
        arguments.args = arguments.args[1:]
    shown = ast.unparse(arguments)
    result = f" -> {ast.unparse(function.returns)}" if function.returns is not None and name != "__init__" else ""
    return f"({shown}){result}".replace(": Any", "").replace(" -> Any", "")


def text_of(node):
    """The docstring as Markdown: indented lines are code, anything else is text."""
    lines = inspect.cleandoc(ast.get_docstring(node, clean=False) or "").splitlines()
    return "\n".join(line if line.startswith("    ") else html.escape(line, quote=False).replace("*", "\\*") for line in lines)


def is_property(function):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list)


def fields(node, source):
    """(name, what "#:" says beside it or in the line above it) of a class's own fields, and of those that __init__ sets."""
    made = [n for n in node.body if isinstance(n, ast.AnnAssign)]
    for function in node.body:
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            made += [n for n in ast.walk(function) if isinstance(n, (ast.AnnAssign, ast.Assign))]
    for n in made:
        target = n.target if isinstance(n, ast.AnnAssign) else n.targets[0]
        name = target.id if isinstance(target, ast.Name) else getattr(target, "attr", "_")
        beside, above = source[n.end_lineno - 1].partition("#:")[2], source[n.lineno - 2].lstrip()
        said = beside or (above[2:] if above.startswith("#:") else "")
        if not name.startswith("_") and (said or n in node.body):
            yield name, said.strip()


def part(node, source):
    if isinstance(node, ast.FunctionDef):
        return f"## {node.name}\n\n```python\n{node.name}{signature(node, node.name)}\n```\n\n{text_of(node)}\n"
    page = f"## {node.name}\n\n{text_of(node)}\n\n"
    page += "".join(f"- `{name}`{': ' if said else ''}{html.escape(said, quote=False)}\n" for name, said in fields(node, source)) + "\n"
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and (not method.name.startswith("_") or method.name in ("__init__", "__call__")):
            if method.name == "__init__" and any("NamedTuple" in ast.unparse(base) for base in node.bases):
                continue
            name = node.name if method.name == "__init__" else "." + method.name if method.name != "__call__" else "..."
            shown = name if is_property(method) else name + signature(method, method.name)
            if ast.get_docstring(method):
                page += f"### {node.name}.{method.name}\n\n```python\n{shown}\n```\n\n{text_of(method)}\n\n"
            elif method.name == "__init__":
                page += f"```python\n{shown}\n```\n\n"
    return page


def pages():
    found = {}
    for path in sorted(PACKAGE.glob("_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.setdefault(node.name, (node, text.splitlines()))
    start = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    public = next(ast.literal_eval(n.value) for n in start.body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
    functions = sorted(name for name in public if isinstance(found[name][0], ast.FunctionDef))
    classes = ["Arm", *sorted(name for name in public if name not in functions and name != "Arm")]
    page = "# Python, name by name\n\n" + text_of(start) + "\n\n"
    return {"python_api": page + "\n".join(part(*found[name]) for name in [*functions, *classes])}
