"""A terminal for tests: runs a program in a pty, waits for texts, types lines.

Standard input has JSON: {"program": [...], "steps": [[expect, type], ...]}, and "columns"
where the width counts. Everything that was shown goes to standard output. Ends with 1 if a
text never comes, or the program does not end.
"""
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

DEADLINE_SECONDS = 120
END_OF_INPUT = "\x04"

plan = json.load(sys.stdin)
pid, master = pty.fork()
if pid == 0:
    if "columns" in plan:
        size = struct.pack("HHHH", 24, plan["columns"], 0, 0)
        fcntl.ioctl(1, termios.TIOCSWINSZ, size)
    os.execv(plan["program"][0], plan["program"])

shown = b""
looked = 0

code = 0
has_ended = False


def read_more(seconds=DEADLINE_SECONDS):
    global shown, has_ended
    ready, _, _ = select.select([master], [], [], seconds)
    if not ready:
        return False
    try:
        piece = os.read(master, 65536)
    except OSError:
        piece = b""
    shown += piece
    has_ended = not piece
    return bool(piece)


def wait_for_prompt():
    """The line editor reads keys, so it gets the next one. Typed earlier, Ctrl-D would be lost:
    the terminal makes a zero byte of it when the editor takes over."""
    until = time.monotonic() + DEADLINE_SECONDS
    while termios.tcgetattr(master)[3] & termios.ICANON:
        if has_ended or time.monotonic() > until:
            return
        read_more(0.01)


for expected, typed in plan["steps"]:
    wanted = expected.encode()
    while shown.find(wanted, looked) < 0:
        if not read_more():
            print(f"never came: {expected}", file=sys.stderr)
            code = 1
            break
    if code:
        break
    looked = shown.find(wanted, looked) + len(wanted)
    if typed == "\0":  # Only looks.
        continue
    if typed == END_OF_INPUT:
        wait_for_prompt()
    # A control character is a key of its own; anything else is a line.
    os.write(master, typed.encode() + (b"" if typed and typed < " " else b"\r"))
while not code and read_more():
    pass
if not code and not has_ended:
    print("never came: the end of the program", file=sys.stderr)
    code = 1
if code:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(shown)
sys.exit(code or os.waitstatus_to_exitcode(status))
