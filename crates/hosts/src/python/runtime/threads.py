"""Threads for functions that are not async. A thread that had to be stopped is not reused.

Threads that a tool starts itself belong to its call: what they print and ask is its own.
"""

import _thread
import asyncio
import contextvars
import queue
import threading
import time
from collections import deque

from ghosthand_call import CURRENT, Stopped
from ghosthand_failure import NoThread
from ghosthand_import_hooks import after_import

STACK_BYTES = 1 << 20
# All running threads, however they were started.
LIVE = set()
# The thread that monitors the loop.
WATCHERS = 1
# How long all threads of `asyncio.to_thread` together may take to end.
GOING_S = 0.05


class Threads:
    def __init__(self, loop, threads_max):
        self.loop = loop
        self.threads_max = threads_max
        self.count = 0
        self.idle = []
        # Stopped threads that may still be running.
        self.leaving = []
        self.waiting = deque()
        threading.stack_size(STACK_BYTES)

    async def run(self, call, function):
        """Runs a function in a thread, in the context of the caller; only in the loop.

        It comes back when the thread does: a call whose thread does not stop is not gone.
        """
        future = self.start(call, function)
        while True:
            try:
                return await asyncio.shield(future)
            except asyncio.CancelledError:
                if future.done():
                    raise

    def start(self, call, function):
        future = self.loop.create_future()
        job = Job(call, contextvars.copy_context(), function, future)
        if self.idle:
            self.idle.pop().take(job)
        elif self.count < self.threads_max:
            thread = self.new()
            self.count += 1
            thread.take(job)
        else:
            self.waiting.append(job)
        return future

    def new(self):
        try:
            return Worker(self)
        except (RuntimeError, MemoryError) as error:
            raise NoThread(f"its worker cannot start another thread: {error}") from None

    def has_strangers(self, loop):
        """Whether threads outside this pool remain when no call is left."""
        if len(LIVE) <= WATCHERS + self.count:
            return False
        _end_executor(loop)
        self.leaving = [thread for thread in self.leaving if thread.thread.is_alive()]
        return len(LIVE) > WATCHERS + self.count + len(self.leaving)

    def done(self, thread, job, value, error):
        if job.is_done:
            return
        job.is_done = True
        job.call.thread = None
        if thread.is_spent:
            self.count -= 1
            self.leaving.append(thread)
            thread = None
        while self.waiting:
            following = self.waiting.popleft()
            if following.future.done():
                continue
            if thread is None:
                try:
                    thread = self.new()
                except NoThread as error:
                    following.future.set_exception(error)
                    continue
                self.count += 1
            thread.take(following)
            break
        else:
            if thread is not None:
                self.idle.append(thread)
        if job.future.done():
            return
        if error is None:
            job.future.set_result(value)
        else:
            job.future.set_exception(error)


class Job:
    def __init__(self, call, context, function, future):
        self.call = call
        self.context = context
        self.function = function
        self.future = future
        self.is_done = False


class Worker:
    def __init__(self, threads):
        self.threads = threads
        self.jobs = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.call = None
        self.is_spent = False
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def take(self, job):
        job.call.thread = self
        self.jobs.put(job)

    def work(self):
        while not self.is_spent:
            job = self.jobs.get()
            value, error = None, None
            with self.lock:
                self.call = job.call
            try:
                if job.call.must_stop:
                    raise Stopped
                value = job.context.run(job.function)
            except BaseException as raised:
                error = _settable(raised)
            while True:
                try:
                    with self.lock:
                        self.call = None
                    break
                except Stopped:
                    pass
            try:
                self.threads.loop.call_soon_threadsafe(self.threads.done, self, job, value, error)
            except Stopped:
                self.threads.loop.call_soon_threadsafe(self.threads.done, self, job, value, error)

    def stop(self, call):
        """Raises in the thread, if it still works for that call."""
        with self.lock:
            if self.call is not call or self.is_spent:
                return
            import ctypes

            self.is_spent = True
            number = ctypes.c_ulong(self.thread.ident)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(number, ctypes.py_object(Stopped))


def _end_executor(loop):
    """Ends the idle threads of `asyncio.to_thread`."""
    executor, loop._default_executor = loop._default_executor, None
    if executor is None:
        return
    executor.shutdown(wait=False, cancel_futures=True)
    until = time.monotonic() + GOING_S
    for thread in list(executor._threads):
        thread.join(max(0, until - time.monotonic()))


def _settable(error):
    """A future does not accept every exception."""
    if isinstance(error, StopIteration):
        raised = RuntimeError("it raised StopIteration")
        raised.__cause__ = error
        return raised
    return error


def carry_calls_into_threads():
    """Threads and pool jobs inherit the context of their caller."""
    start = threading.Thread.start

    def start_in_context(thread):
        if CURRENT.get() is not None:
            context, run = contextvars.copy_context(), thread.run
            thread.run = lambda: context.run(run)
        return start(thread)

    threading.Thread.start = start_in_context
    for name in ("start_new_thread", "start_joinable_thread"):
        start_raw = getattr(_thread, name, None)
        if start_raw is not None:
            counted = _counted(start_raw)
            setattr(_thread, name, counted)
            setattr(threading, "_" + name, counted)

    after_import("concurrent.futures.thread", _carry_into_pools)


def _counted(start):
    def start_counted(function, *args, **options):
        thread = object()

        def run(*args, **options):
            try:
                return function(*args, **options)
            finally:
                LIVE.discard(thread)

        LIVE.add(thread)
        try:
            return start(run, *args, **options)
        except BaseException:
            LIVE.discard(thread)
            raise

    return start_counted


def _carry_into_pools(module):
    submit = module.ThreadPoolExecutor.submit

    def submit_in_context(pool, function, /, *args, **options):
        if CURRENT.get() is None:
            return submit(pool, function, *args, **options)
        return submit(pool, contextvars.copy_context().run, function, *args, **options)

    module.ThreadPoolExecutor.submit = submit_in_context
