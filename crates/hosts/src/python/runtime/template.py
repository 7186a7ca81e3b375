"""The template: loads the runtime once and forks every worker.

No code of a tool runs in this process. Its memory is shared with the workers until they write
to it.
"""

import asyncio
import gc
import importlib
import os
import select
import socket
import struct
import sys

from ghosthand_sandbox import die_with, apply
from ghosthand_gate import open_the_gate
from ghosthand_threads import carry_calls_into_threads
from ghosthand_worker import read_frame, say_gap, work

# A kind, a process id, and an exit status or an errno.
RECORD = struct.Struct("<cIi")
# Loaded when a tool imports the library that they patch.
LATE = {"ghosthand_http", "ghosthand_httpx"}
# Imported by most tools and by our own modules.
USUAL = ("dataclasses", "datetime", "enum", "inspect", "random", "re", "tempfile", "typing")
OPEN_FILES_MAX = 1024


def serve(descriptor, sources):
    for name in [*(name for name in sources if name not in LATE), *USUAL]:
        importlib.import_module(name)
    carry_calls_into_threads()
    open_the_gate()
    control = socket.socket(fileno=descriptor)
    control.setblocking(True)
    ready = b'{"ready":{"gap":null}}'
    control.sendall(len(ready).to_bytes(4, "little") + ready)
    run_once()
    # Excluded from garbage collection, so that the memory stays shared.
    gc.collect()
    gc.freeze()
    Template(control).run()


def run_once():
    """Warms up code that modifies itself when it first runs, so that workers need not copy it."""
    loop = asyncio.new_event_loop()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


class Template:
    def __init__(self, control):
        self.control = control
        self.number = os.getpid()
        self.poll = select.poll()
        self.poll.register(control.fileno(), select.POLLIN)
        # Process ids by pidfd.
        self.workers = {}

    def run(self):
        while True:
            for descriptor, _ in self.poll.poll():
                if descriptor in self.workers:
                    self.reap(descriptor)
                else:
                    self.fork()

    def fork(self):
        word, passed, _, _ = socket.recv_fds(self.control, 1, 2)
        if not word:
            os._exit(0)
        try:
            number = os.fork()
        except OSError as error:
            self.close(passed)
            self.control.sendall(RECORD.pack(b"n", 0, error.errno or 0))
            return
        if number == 0:
            self.become_worker(passed)
        self.close(passed)
        handle = os.pidfd_open(number)
        socket.send_fds(self.control, [RECORD.pack(b"f", number, 0)], [handle])
        self.workers[handle] = number
        self.poll.register(handle, select.POLLIN)

    def reap(self, handle):
        number = self.workers.pop(handle)
        self.poll.unregister(handle)
        os.close(handle)
        _, status = os.waitpid(number, 0)
        self.control.sendall(RECORD.pack(b"e", number, status))

    def close(self, descriptors):
        for descriptor in descriptors:
            os.close(descriptor)

    def become_worker(self, passed):
        """Runs in the new process and does not return."""
        try:
            channel, errors = passed
            # Detach, so that it is not closed by accident.
            self.control.detach()
            os.dup2(errors, 1)
            os.dup2(errors, 2)
            keep_only(channel)
            die_with(self.number)
            become(channel)
        except BaseException:
            import traceback

            traceback.print_exc(file=sys.__stderr__)
            sys.__stderr__.flush()
        finally:
            os._exit(70)


def keep_only(descriptor):
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, OPEN_FILES_MAX)


def become(channel):
    # Whatever does not depend on the order is done ahead of it.
    sys.modules["random"].seed()
    loop = asyncio.new_event_loop()
    ruleset = wait_until_needed(channel)
    order = read_frame(channel)["boot"]
    os.chdir(order["scratch"])
    os.environ["HOME"] = os.environ["TMPDIR"] = order["scratch"]
    try:
        apply(order, ruleset)
    except OSError as error:
        say_gap(channel, f"the worker cannot apply its sandbox: {error}")
        return
    if ruleset is not None:
        os.close(ruleset)
    work(channel, order, loop)


def wait_until_needed(channel):
    """Returns the descriptor of the Landlock ruleset, or None if the kernel has no Landlock."""
    held = socket.socket(fileno=channel)
    word, passed, _, _ = socket.recv_fds(held, 1, 1)
    held.detach()
    if not word:
        os._exit(0)
    return passed[0] if passed else None
