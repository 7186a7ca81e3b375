import ctypes, errno, fcntl, json, mmap, os, resource, shutil, signal, socket, stat, struct
import subprocess, sys, threading, time

class Held(Exception): pass

_libc = ctypes.CDLL(None, use_errno=True)

def raw(call, *args):
    number = call if isinstance(call, int) else NUMBERS[call]
    if number < 0: raise Held  # not on this machine
    given = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    return checked(_libc.syscall(ctypes.c_long(number), *given))

def prctl(option, *args):
    given = [ctypes.c_ulong(arg) for arg in (*args, 0, 0, 0, 0)[:4]]
    return checked(_libc.prctl(option, *given))

def checked(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result

# Who is in another namespace does not exist.
REFUSALS = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EXDEV, errno.EFBIG, errno.ESRCH}

def attempt(code, world):
    try:
        exec(code, {**globals(), **world})
    except (Held, MemoryError, PermissionError):
        return 'held'
    except OSError as fault:
        return 'held' if fault.errno in REFUSALS else f'reached the kernel: {fault!r}'
    return 'it worked'
