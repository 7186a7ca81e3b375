"""A terminal for tests: runs a program in a pty, waits for texts, types lines.

Standard input has JSON: {"program": [...], "steps": [[expect, type], ...]}, and "columns"
where the width counts. Everything that was shown goes to standard output. Ends with 1 if a
text never comes.
"""
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios

DEADLINE_SECONDS = 120

plan = json.load(sys.stdin)
pid, master = pty.fork()
if pid == 0:
    if "columns" in plan:
        size = struct.pack("HHHH", 24, plan["columns"], 0, 0)
        fcntl.ioctl(1, termios.TIOCSWINSZ, size)
    os.execv(plan["program"][0], plan["program"])

shown = b""
looked = 0


def read_more():
    global shown
    ready, _, _ = select.select([master], [], [], DEADLINE_SECONDS)
    if not ready:
        return False
    try:
        piece = os.read(master, 65536)
    except OSError:
        return False
    shown += piece
    return bool(piece)


code = 0
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
    # A control character is a key of its own; anything else is a line.
    os.write(master, typed.encode() + (b"" if typed and typed < " " else b"\r"))
while not code and read_more():
    pass
if code:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(shown)
sys.exit(code or os.waitstatus_to_exitcode(status))
