"""Sends what a tool prints and logs to the log of the host.

The host knows four levels, in JavaScript and in Python: `debug`, `info`, `warn` and `error`.
Standard output is `info`, as `console.log` is; standard error is `error`.
"""

import io
import sys
import threading

from ghosthand_call import CURRENT

# A longer unfinished line is sent at once.
REST_MAX = 4096


class Output(io.TextIOBase):
    """Logs each line for the call that writes it."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, level, outside):
        self.level = level
        self.outside = outside
        self.buffer = Bytes(self)
        # The unfinished line of each call; None after a long one was sent. Threads may write
        # concurrently.
        self.rest = {}
        self.lock = threading.Lock()

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() takes text, not {type(text).__name__}")
        call = CURRENT.get()
        if call is None or call.has_ended:
            return self.outside.write(text)
        with self.lock:
            before = self.rest.pop(call.number, "")
            *lines, rest = ((before or "") + text).split("\n")
            # The line break of a long line that was already sent.
            if before is None and lines and not lines[0]:
                del lines[0]
            if len(rest) > REST_MAX:
                lines.append(rest)
                self.rest[call.number] = None
            elif rest or (before is None and not lines and "\n" not in text):
                self.rest[call.number] = rest or None
        for line in lines:
            call.log(self.level, line)
        return len(text)

    def end(self, call):
        """Logs the unfinished line of a call that ends."""
        with self.lock:
            rest = self.rest.pop(call.number, None)
        if rest:
            call.log(self.level, rest)

    def flush(self):
        if CURRENT.get() is None:
            self.outside.flush()

    def close(self):
        """Other calls still write here."""

    def writable(self):
        return True

    def fileno(self):
        return self.outside.fileno()


class Bytes(io.RawIOBase):
    """`sys.stdout.buffer`: the same for bytes."""

    def __init__(self, text):
        self.text = text

    def write(self, data):
        data = bytes(data)
        self.text.write(data.decode("utf-8", "replace"))
        return len(data)

    def flush(self):
        self.text.flush()

    def close(self):
        """Other calls still write here."""

    def writable(self):
        return True


def replace_output():
    sys.stdout = Output("info", sys.__stdout__)
    sys.stderr = Output("error", sys.__stderr__)
    return sys.stdout, sys.stderr


def level_of(number):
    """The host's level for one of `logging`."""
    if number >= 40:
        return "error"
    if number >= 30:
        return "warn"
    return "info" if number >= 20 else "debug"
