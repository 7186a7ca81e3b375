"""Patches modules when they are imported, so that unused ones cost nothing."""

import sys

AFTER = {}


def after_import(name, change):
    """Calls `change` with the module once it is imported."""
    if name in sys.modules:
        change(sys.modules[name])
        return
    AFTER[name] = change
    if not any(isinstance(finder, Hooks) for finder in sys.meta_path):
        sys.meta_path.insert(0, Hooks())


class Hooks:
    """Finds a module through the other finders and wraps its loader."""

    def find_spec(self, name, path=None, target=None):
        if name not in AFTER:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None:
                # A namespace package has nothing to change.
                if spec.loader is not None:
                    spec.loader = Loader(spec.loader, AFTER[name])
                return spec
        return None


class Loader:
    def __init__(self, loader, change):
        self.loader = loader
        self.change = change

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.change(module)

    def __getattr__(self, name):
        return getattr(self.loader, name)
