"""Compiles handlers and resolves their imports without running them.

Imports are resolved by the same finders that load the files later. Modules that may be missing
(inside `try`, or only for types) are not checked.
"""

import ast
import os
import sys
from importlib.machinery import PathFinder

from ghosthand_load import SOURCE_BYTES_MAX, Aliases, Files

FAULTS_MAX = 50


def check_files(library, files):
    seen = {}
    return {file: check_handler(library, file, seen) for file in files}


def check_handler(library, file, seen):
    """The faults of a handler and of the project files that it imports."""
    faults, waiting, done = [], [file], set()
    while waiting and len(faults) < FAULTS_MAX:
        name = waiting.pop()
        if name in done:
            continue
        done.add(name)
        if name not in seen:
            seen[name] = check_one(library, name)
        own, imported, _ = seen[name]
        faults += own
        waiting += imported
    if not faults and "execute" not in names_of(library, file, seen, set()):
        faults.append(fault("no_execute", file, 0, 0, "it defines no `execute`", "execute"))
    return faults[:FAULTS_MAX]


def check_one(library, file):
    """The faults of a file, the files it imports, and its syntax tree."""
    try:
        with open(os.path.join(library.root, file), "rb") as opened:
            source = opened.read(SOURCE_BYTES_MAX + 1)
        tree = compile(source, file, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        # Some errors appear only when bytecode is generated.
        compile(tree, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        line, column = error.lineno or 0, error.offset or 0
        return [fault("syntax", file, line, max(column, 1), error.msg, "")], [], None
    except (ValueError, RecursionError, MemoryError, OSError) as error:
        words = str(error) or type(error).__name__
        return [fault("syntax", file, 0, 0, words, "")], [], None
    lines = source.decode("utf-8", "replace").split("\n")
    finder = Finder(library, file, lines)
    finder.visit_all(tree.body)
    return finder.faults, finder.files, tree


class Finder:
    """Resolves the imports of one file."""

    def __init__(self, library, file, lines):
        self.library = library
        self.file = file
        self.lines = lines
        self.aliases = Aliases(library)
        self.finder = Files(library)
        self.faults = []
        self.files = []

    def visit_all(self, nodes):
        for node in nodes:
            self.visit(node)

    def visit(self, node):
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.module(node, alias.name)
        elif isinstance(node, ast.ImportFrom):
            self.names(node)
        elif isinstance(node, (ast.Try, getattr(ast, "TryStar", ast.Try))) and node.handlers:
            self.visit_all(node.orelse)
            self.visit_all(node.finalbody)
        elif isinstance(node, ast.If) and is_for_types(node.test):
            self.visit_all(node.orelse)
        else:
            for child in ast.iter_child_nodes(node):
                self.visit(child)

    def names(self, node):
        module = node.module or ""
        if node.level:
            steps = ["tools", *self.file.split("/")[:-1]]
            if node.level > len(steps):
                shown = "." * node.level + module
                return self.missing(node, shown, "it leaves the tools directory")
            base = steps[: len(steps) - node.level + 1]
            module = ".".join([*base, *filter(None, [node.module])])
        if not self.module(node, module, "." * node.level + (node.module or "")):
            return
        place = os.path.join(self.library.root, *steps_of(module))
        if os.path.isfile(place + ".py"):
            return
        package = os.path.join(place, "__init__.py")
        is_folder = os.path.isdir(place) and module.partition(".")[0] not in sys.stdlib_module_names
        for alias in node.names if is_folder else []:
            found = self.file_of(f"{module}.{alias.name}")
            if found:
                self.files.append(found)
            elif not os.path.isfile(package) and alias.name != "*":
                if self.find(f"{module}.{alias.name}") is None:
                    missing = "/".join([*steps_of(module), alias.name])
                    self.missing(node, alias.name, f"there is no file {missing}.py")

    def module(self, node, name, shown=None):
        """Resolves a module; a missing one is a fault."""
        shown = shown or name
        try:
            found = self.find(name)
        except ImportError as error:
            self.missing(node, shown, str(error))
            return False
        if found is not None:
            return True
        steps = steps_of(name)
        inside = name != steps[0] and (name == "tools" or name.startswith("tools."))
        if inside or os.path.isdir(os.path.join(self.library.root, steps[0])):
            self.missing(node, shown, f"there is no file {'/'.join(steps)}.py")
        else:
            words = "it is neither in the standard library nor installed"
            self.add("missing_package", node, steps[0], words)
        return False

    def find(self, name):
        """Not None if the module exists."""
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top == "ghosthand" or top in sys.builtin_module_names:
            return top
        found = self.aliases.find_spec(name)
        if found is not None:
            return found
        file = self.file_of(name)
        if file:
            self.files.append(file)
            return file
        if os.path.isdir(os.path.join(self.library.root, *steps_of(name))):
            return name
        return PathFinder.find_spec(top)

    def file_of(self, name):
        found = self.finder.find_spec(name)
        if found is None or not found.origin:
            return None
        return os.path.relpath(found.origin, self.library.root)

    def missing(self, node, name, message):
        self.add("missing_file", node, name, message)

    def add(self, kind, node, name, message):
        line = self.lines[node.lineno - 1].encode() if node.lineno <= len(self.lines) else b""
        column = len(line[: node.col_offset].decode("utf-8", "replace")) + 1
        self.faults.append(fault(kind, self.file, node.lineno, column, message, name))


def steps_of(name):
    return name.removeprefix("tools.").split(".")


def is_for_types(test):
    name = test.id if isinstance(test, ast.Name) else getattr(test, "attr", None)
    return name == "TYPE_CHECKING"


def names_of(library, file, seen, met):
    """The top-level names of a file. Includes `execute` where they cannot be determined."""
    if file not in seen:
        seen[file] = check_one(library, file)
    tree = seen[file][2]
    if tree is None or file in met:
        return set()
    met.add(file)
    names = set()
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if alias.name == "*":
                    for imported in seen[file][1]:
                        names |= names_of(library, imported, seen, met)
                    if not seen[file][1]:
                        names.add("execute")
                names.add((alias.asname or alias.name).partition(".")[0])
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        # `exec`, `globals()[…]` and the like may define anything.
        if isinstance(node, ast.Name) and node.id in ("globals", "exec", "setattr", "vars"):
            names.add("execute")
        waiting.extend(ast.iter_child_nodes(node))
    return names


def fault(kind, file, line, column, message, name):
    return {
        "kind": kind,
        "file": file,
        "line": line,
        "column": column,
        "message": message,
        "name": name,
    }
