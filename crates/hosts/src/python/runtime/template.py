"""The template: everything of ours is loaded here once, and every worker is a fork of it.

No tool's code runs in this process. What is loaded is shared with the workers, as long as
nobody writes to it.
"""

import asyncio
import gc
import importlib
import os
import select
import socket
import struct
import sys

from ghosthand_fence import die_with, put_on
from ghosthand_network import open_the_gate
from ghosthand_threads import carry_calls_into_threads
from ghosthand_worker import read_frame, say_gap, work

# A letter, the number of a process, and how it ended or why there is none.
RECORD = struct.Struct("<cIi")
# Loaded when a tool imports what they are for.
LATE = {"ghosthand_http", "ghosthand_httpx"}
# What most tools and our own modules import.
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
    # What is there now is never looked at again, so that it stays shared.
    gc.collect()
    gc.freeze()
    Template(control).run()


def run_once():
    """What runs for the first time changes itself, and would do so in every worker."""
    loop = asyncio.new_event_loop()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


class Template:
    def __init__(self, control):
        self.control = control
        self.number = os.getpid()
        self.poll = select.poll()
        self.poll.register(control.fileno(), select.POLLIN)
        # The workers by their handles.
        self.workers = {}

    def run(self):
        while True:
            for descriptor, _ in self.poll.poll():
                if descriptor in self.workers:
                    self.reap(descriptor)
                else:
                    self.fork()

    def fork(self):
        word, passed, _, _ = socket.recv_fds(self.control, 1, 3)
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
        """In the new process. It does not come back."""
        try:
            channel, errors, *ruleset = passed
            # Nobody closes by accident what is not theirs any more.
            self.control.detach()
            os.dup2(errors, 1)
            os.dup2(errors, 2)
            keep_only(channel, *ruleset)
            die_with(self.number)
            become(channel, ruleset)
        except BaseException:
            import traceback

            traceback.print_exc(file=sys.__stderr__)
            sys.__stderr__.flush()
        finally:
            os._exit(70)


def keep_only(*descriptors):
    start = 3
    for descriptor in sorted(descriptors):
        os.closerange(start, descriptor)
        start = descriptor + 1
    os.closerange(start, OPEN_FILES_MAX)


def become(channel, ruleset):
    order = read_frame(channel)["boot"]
    os.chdir(order["scratch"])
    os.environ["HOME"] = os.environ["TMPDIR"] = order["scratch"]
    try:
        put_on(order, ruleset[0] if ruleset else None)
    except OSError as error:
        say_gap(channel, f"the worker cannot take on its fence: {error}")
        return
    for descriptor in ruleset:
        os.close(descriptor)
    sys.modules["random"].seed()
    work(channel, order)
