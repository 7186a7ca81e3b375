# Runs first in a template, by `python3 -c`. Imports nothing that could print before the channel
# is safe, and never anything of a tool.
import os
import sys

_channel = os.dup(3)
os.close(3)
os.set_inheritable(_channel, False)


def _read(count):
    data = b""
    while len(data) < count:
        piece = os.read(_channel, count - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return data


def _say_gap(gap):
    import json

    body = json.dumps({"ready": {"gap": gap}}).encode()
    os.write(_channel, len(body).to_bytes(4, "little") + body)


if sys.version_info < (3, 10):
    _say_gap("%s is Python %d.%d; 3.10 or newer is needed" % ((sys.executable,) + sys.version_info[:2]))
    os._exit(0)

import json
from importlib.machinery import ModuleSpec

_order = json.loads(_read(int.from_bytes(_read(4), "little")))["boot"]
# Installed packages come only from the folders that the host names.
sys.path.extend(_order["packages"])
sys.dont_write_bytecode = True
# Missing without `site`, but tools may use them.
import builtins

builtins.exit = builtins.quit = sys.exit


class _Ours:
    """Finds the modules of the runtime, which arrive over the channel."""

    def __init__(self, sources):
        self.sources = sources

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self) if name in self.sources else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        exec(compile(self.sources[name], "<" + name + ">", "exec", dont_inherit=True), module.__dict__)


sys.meta_path.insert(0, _Ours(_order["sources"]))
# There is no network, and importing it would take a sixth of the start-up time.
sys.modules["ssl"] = None
import asyncio

del sys.modules["ssl"]
from ghosthand_template import serve

serve(_channel, _order["sources"])
