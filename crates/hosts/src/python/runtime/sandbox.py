"""Applies the sandbox of a worker before it reads any file of a tool.

The host has prepared it: the Landlock ruleset is a descriptor, and each system call filter is
its instructions in hexadecimal.
"""

import ctypes
import os
import resource
import signal

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
INSTRUCTION_BYTES = 8
# The same on every architecture.
LANDLOCK_RESTRICT_SELF = 446

_libc = ctypes.CDLL(None, use_errno=True)


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def die_with(parent):
    """The kernel kills this process when its parent ends."""
    check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    if os.getppid() != parent:
        os._exit(0)


def apply(order, ruleset):
    files = order["openFilesMax"]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    if order["hasRuleset"]:
        check(_libc.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0))
    for filter in order["filters"]:
        instructions = bytes.fromhex(filter)
        held = ctypes.create_string_buffer(instructions, len(instructions))
        given = Filter(len(instructions) // INSTRUCTION_BYTES, ctypes.addressof(held))
        check(_libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(given), 0, 0))


def check(result):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
