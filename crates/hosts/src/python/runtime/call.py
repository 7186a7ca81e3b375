"""One call in the worker: its requests to the host, and how it is stopped."""

import asyncio
import contextvars
import itertools
import threading

from ghosthand_to_json import to_json

CURRENT = contextvars.ContextVar("ghosthand_call", default=None)
# How many chunks may be unacknowledged before the sender waits.
CHUNKS_OPEN_MAX = 16
CONSOLE_LINES_MAX = 500
CONSOLE_BYTES_MAX = 1 << 16
CONSOLE_LINE_MAX = 8_000


class Stopped(BaseException):
    """Raised in a call that must end. `except Exception` does not catch it."""


class ServiceError(Exception):
    """A service refused; `code` says why."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
        self.message = message


class Asked:
    """Questions instead of a result; the handler runs again with the answers."""

    def __init__(self, questions):
        self.questions = questions


class Call:
    def __init__(self, worker, number, start):
        self.worker = worker
        self.number = number
        self.start = start
        self.conversation = None
        self.tasks = set()
        self.thread = None
        self.waiters = {}
        self.numbers = itertools.count(1)
        self.meter = Meter(worker.flood)
        # The host has abandoned it.
        self.is_cancelled = False
        # The limit it exceeded.
        self.over = None
        # Its file is being imported, which has a longer limit than a step of a function.
        self.is_importing = False
        self.is_ending = False
        self.has_ended = False
        self.chunks_open = []
        self.console_lines = 0
        self.console_bytes = 0
        self.texts = {"assistant": [], "system": [], "context": []}

    @property
    def must_stop(self):
        return self.is_cancelled or self.over is not None

    def ask(self, name, args):
        """A future in the running loop for the host's answer."""
        future = asyncio.get_running_loop().create_future()
        self._send(name, args, future)
        return future

    def ask_and_wait(self, name, args):
        """The host's answer, for code that cannot await."""
        waiter = self.begin(name, args)
        self.wait(waiter)
        if waiter.error is not None:
            raise waiter.error
        return waiter.value

    def begin(self, name, args):
        """Sends a request; call `wait` for the answer."""
        waiter = Waiter()
        self._send(name, args, waiter)
        return waiter

    def wait(self, waiter, seconds=None):
        """Waits; returns whether there is an answer."""
        return self.worker.wait_for(self, waiter, seconds)

    def tell(self, name, args):
        """Sends a message that needs no answer."""
        self._send(name, args, None)

    def _send(self, name, args, waiter):
        if self.must_stop:
            raise Stopped
        if self.has_ended:
            raise RuntimeError(f"`{name}` was called after the end of the call")
        text = to_json(args, f"what `{name}` was given")
        if len(text) > self.worker.frame_bytes_max:
            raise ServiceError("TOO_LARGE", f"`{name}` was given {len(text)} bytes")
        over = self.meter.ask(name, waiter is not None, len(text))
        if over is not None:
            self.over = over
            self.worker.stop_soon(self)
            raise Stopped
        number = 0
        if waiter is not None:
            number = next(self.numbers)
            self.waiters[number] = waiter
        self.worker.channel.send(
            '{"call":{"call":%d,"n":%d,"name":"%s","args":%s}}' % (self.number, number, name, text)
        )

    def answered(self, number, value, error):
        self.meter.open -= 1
        waiter = self.waiters.pop(number, None)
        if waiter is not None:
            settle(waiter, value, error)

    async def emit(self, channel, text):
        """Sends a chunk, with backpressure."""
        self.chunks_open.append(self.ask("chunk", {"channel": channel, "text": text}))
        self.texts[channel].append(text)
        if len(self.chunks_open) >= CHUNKS_OPEN_MAX:
            await self.chunks_sent()

    async def chunks_sent(self):
        waiting, self.chunks_open = self.chunks_open, []
        for future in waiting:
            await future

    def log(self, level, text):
        """Logs a line at the host. Long lines are cut, and too many are dropped."""
        if len(text) > CONSOLE_LINE_MAX:
            text = f"{text[:CONSOLE_LINE_MAX]} … ({len(text)} characters)"
        if self.console_lines > CONSOLE_LINES_MAX or self.console_bytes > CONSOLE_BYTES_MAX:
            return
        self.console_lines += 1
        self.console_bytes += len(text)
        if self.console_lines > CONSOLE_LINES_MAX or self.console_bytes > CONSOLE_BYTES_MAX:
            level, text = "warn", "more output of this call is dropped"
        try:
            self.tell("console", {"level": level, "text": text})
        except (RuntimeError, Stopped):
            pass

    def drop_waiters(self):
        waiters, self.waiters = self.waiters, {}
        for waiter in waiters.values():
            settle(waiter, None, asyncio.CancelledError())


class Waiter:
    """The pending answer of a synchronous request."""

    def __init__(self):
        self.settled = threading.Event()
        self.value = None
        self.error = None


def settle(waiter, value, error):
    """Delivers an answer, from any thread."""
    if isinstance(waiter, Waiter):
        waiter.value, waiter.error = value, error
        waiter.settled.set()
        return
    loop = waiter.get_loop()
    if asyncio._get_running_loop() is loop:
        _settle_future(waiter, value, error)
        return
    try:
        loop.call_soon_threadsafe(_settle_future, waiter, value, error)
    except RuntimeError:
        pass  # its loop is closed, so nothing waits


def _settle_future(future, value, error):
    if future.done():
        return
    if error is None:
        future.set_result(value)
    elif isinstance(error, asyncio.CancelledError):
        future.cancel()
    else:
        future.set_exception(error)


class Meter:
    """Counts the requests of a call. The host counts them too, because it does not trust the worker."""

    def __init__(self, flood):
        self.flood = flood
        self.calls = self.open = self.bytes = self.chunks = self.chunk_bytes = 0

    def ask(self, name, is_answered, size):
        """The limit that this request exceeds, or None."""
        flood = self.flood
        self.calls += 1
        self.open += is_answered
        self.bytes += size
        if name == "chunk":
            self.chunks += 1
            self.chunk_bytes += size
        if self.calls > flood["calls_max"]:
            return f"{flood['calls_max']} service calls"
        if self.open > flood["calls_open_max"]:
            return f"{flood['calls_open_max']} service calls at once"
        if self.bytes > flood["bytes_max"]:
            return f"{flood['bytes_max']} bytes sent to services"
        if self.chunks > flood["chunks_max"]:
            return f"{flood['chunks_max']} chunks"
        if self.chunk_bytes > flood["chunk_bytes_max"]:
            return f"{flood['chunk_bytes_max']} bytes of chunks"
        return None


def current_call(what):
    """The current call."""
    call = CURRENT.get()
    if call is None:
        raise RuntimeError(
            f"{what} can be used only while a tool is called, not while its file is imported"
        )
    return call
