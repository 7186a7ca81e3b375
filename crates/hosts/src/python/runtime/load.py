"""Loads the author's files and their imports.

An import is resolved in this order: one of our own modules by any of its names, the standard
library, a file below the tools folder, an installed package. A file that has changed is
reloaded. Compiled files on disk are never used.
"""

import importlib.util
import linecache
import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from ghosthand_failure import NotStarted, place_of_error, words_of

SOURCE_BYTES_MAX = 1 << 20
HELPERS_MAX = 200


class Library:
    def __init__(self, root):
        self.root = root
        self.modules = {}
        # All other imported files, with their stamps.
        self.helpers = {}
        # After the finder of the runtime, which must not be overridden.
        ours = [hasattr(finder, "sources") for finder in sys.meta_path].index(True)
        sys.meta_path[ours + 1 : ours + 1] = [Aliases(self), Files(self)]

    def module(self, file):
        """The module of a file, reloaded if it has changed."""
        if self.helpers and any(stamp_of(path) != stamp for path, stamp in self.helpers.items()):
            self.forget()
        path = os.path.join(self.root, file)
        stamp = stamp_of(path)
        if stamp is None:
            raise NotStarted(f"there is no file {file}")
        held = self.modules.get(file)
        if held is not None and held[1] == stamp:
            return held[0]
        name = "tools." + file[:-3].replace("/", ".")
        sys.modules.pop(name, None)
        linecache.checkcache(path)
        try:
            module = importlib.import_module(name)
        except (SyntaxError, ImportError) as error:
            place = place_of_error(error, self.root)
            raise NotStarted(words_of(error) + (f", at {place}" if place else "")) from error
        self.helpers.pop(path, None)
        self.modules[file] = (module, stamp)
        return module

    def forget(self):
        """Unloads everything, because a shared file has changed."""
        for name, module in list(sys.modules.items()):
            if isinstance(getattr(module, "__loader__", None), File):
                del sys.modules[name]
        self.modules.clear()
        self.helpers.clear()
        linecache.clearcache()


class Aliases:
    """Our own modules by Ghostpad's names."""

    def __init__(self, library):
        self.library = library

    def find_spec(self, name, path=None, target=None):
        plain = name.removeprefix("tools.")
        if plain.partition(".")[0] not in ROOTS:
            return None
        if "." not in plain and os.path.isdir(os.path.join(self.library.root, plain)):
            return None
        import ghosthand_compat_modules

        return ghosthand_compat_modules.find(plain, name, self.library.root)


# Checked first, so that other imports cost nothing here.
ROOTS = {"services", "utils", "core", "models", "schemas", "type_definitions", "tool_types",
         "types", "_core", "openai", "ghostpad"}  # fmt: skip


class Files:
    """Files below the tools folder: `tools.core.dice`, `core.dice`, and relative imports."""

    def __init__(self, library):
        self.library = library

    def find_spec(self, name, path=None, target=None):
        steps = name.removeprefix("tools.").split(".") if name != "tools" else []
        if "." not in name and name in sys.stdlib_module_names:
            return None
        if any(step in ("", "..") or "/" in step for step in steps):
            return None
        place = os.path.join(self.library.root, *steps)
        for file in (place + ".py", os.path.join(place, "__init__.py")):
            if steps and os.path.isfile(file):
                spec = ModuleSpec(name, File(self.library, file), origin=file)
                spec.has_location = True
                if file.endswith("__init__.py"):
                    spec.submodule_search_locations = [place]
                return spec
        if os.path.isdir(place):
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [place]
            return spec
        return None


class File:
    """Loads one file of the author."""

    def __init__(self, library, path):
        self.library = library
        self.path = path

    def create_module(self, spec):
        return ModuleType(spec.name)

    def exec_module(self, module):
        import ghosthand

        helpers = self.library.helpers
        if len(helpers) >= HELPERS_MAX:
            raise ImportError(f"more than {HELPERS_MAX} files are imported")
        helpers[self.path] = stamp_of(self.path)
        with open(self.path, "rb") as opened:
            source = opened.read(SOURCE_BYTES_MAX + 1)
        if len(source) > SOURCE_BYTES_MAX:
            raise ImportError(f"it has more than {SOURCE_BYTES_MAX} bytes")
        code = compile(source, self.path, "exec", dont_inherit=True)
        # Names that Ghostpad's examples use without importing them; the file's own take precedence.
        for name, value in ghosthand.PRESET.items():
            module.__dict__.setdefault(name, value)
        exec(code, module.__dict__)

    def get_source(self, name):
        return importlib.util.decode_source(open(self.path, "rb").read())


def stamp_of(path):
    """Changes whenever the file does; None if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns
