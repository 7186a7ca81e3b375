"""The worker: one asyncio loop that runs many calls concurrently.

The loop reads the channel. A second thread watches: while a call holds up the loop, it reads
the channel in the loop's place, so that a call can be stopped even then.
"""

import asyncio
import faulthandler
import json
import os
import signal
import sys
import threading
import time

from ghosthand_call import CURRENT, Call, ServiceError, Stopped
from ghosthand_channel import Channel
from ghosthand_failure import end_of, place_of_frame
from ghosthand_load import Library
from ghosthand_output import replace_output
from ghosthand_invoke import perform
from ghosthand_threads import Threads

WATCH_S = 0.1
IDLE_S = 0.25
BEAT_S = 1.0
# How long a stopped call may keep blocking the loop.
LAST_CHANCE_S = 1.0


def work(descriptor, order, loop):
    Worker(descriptor, order, loop).run()


def read_frame(descriptor):
    """Reads the first message, before the channel is set up."""
    return json.loads(_read(descriptor, int.from_bytes(_read(descriptor, 4), "little")))


def _read(descriptor, count):
    data = b""
    while len(data) < count:
        piece = os.read(descriptor, count - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return data


def say_gap(descriptor, gap):
    Channel(descriptor).send(json.dumps({"ready": {"gap": gap}}))


class Worker:
    def __init__(self, descriptor, order, loop):
        limits = order["limits"]
        self.flood = limits["flood"]
        self.frame_bytes_max = limits["frameBytesMax"]
        self.result_bytes_max = limits["resultBytesMax"]
        self.memory_mib = limits["memoryMib"]
        self.block_s = limits["blockMsMax"] / 1000
        self.import_s = limits["importMsMax"] / 1000
        self.channel = Channel(descriptor)
        self.library = Library(order["root"])
        self.loop = loop
        self.threads = Threads(self.loop, limits["threadsMax"])
        self.calls = {}
        self.ticks = 0
        # The loop's thread waits for a service and reads the channel itself.
        self.is_waiting = False
        # The loop's thread runs our code, which must not be interrupted.
        self.is_ours = False
        self.is_spent = False
        self.main = threading.main_thread().ident

    def run(self):
        faulthandler.enable(file=2, all_threads=False)
        signal.signal(signal.SIGUSR2, self.interrupted)
        self.outputs = replace_output()
        asyncio.set_event_loop(self.loop)
        self.loop.set_task_factory(_make_task)
        self.loop.set_exception_handler(_say_unheard)
        self.loop.add_reader(self.channel.socket, self.receive)
        threading.Thread(target=self.watch, name="watch", daemon=True).start()
        self.channel.send('{"ready":{"gap":null}}')
        while True:
            try:
                self.loop.run_forever()
            except (SystemExit, KeyboardInterrupt, Stopped):
                pass  # of a task that a tool had started; its call has an end of its own

    def receive(self, wait_ms=0):
        in_loop = threading.get_ident() == self.main
        if in_loop:
            self.is_ours = True
        try:
            messages = self.channel.receive(wait_ms)
        except (EOFError, OSError):
            os._exit(0)
        for message in messages:
            ((kind, body),) = message.items()
            getattr(self, "on_" + kind)(body)
        if in_loop:
            self.is_ours = False

    def on_start(self, start):
        call = Call(self, start["call"], start)
        self.calls[call.number] = call
        if threading.get_ident() == self.main:
            self.open(call)
        else:
            self.loop.call_soon_threadsafe(self.open, call)

    def open(self, call):
        task = asyncio.Task(self.perform(call), loop=self.loop)
        call.tasks.add(task)

    def on_reply(self, reply):
        call = self.calls.get(reply["call"])
        if call is not None:
            call.answered(reply["n"], reply["value"], None)

    def on_refusal(self, refusal):
        call = self.calls.get(refusal["call"])
        if call is not None:
            call.answered(refusal["n"], None, ServiceError(refusal["code"], refusal["message"]))

    def on_cancel(self, cancel):
        call = self.calls.get(cancel["call"])
        if call is not None:
            call.is_cancelled = True
            self.stop(call)

    def stop_soon(self, call):
        self.loop.call_soon_threadsafe(self.stop, call)

    def stop(self, call):
        """Stops everything that runs for a call."""
        if call.has_ended:
            return
        if threading.get_ident() != self.main:
            self.interrupt(call)
            self.stop_soon(call)
            return
        for task in call.tasks:
            task.cancel()
        if call.thread is not None:
            call.thread.stop(call)
        call.drop_waiters()

    async def perform(self, call):
        CURRENT.set(call)
        try:
            if call.must_stop:
                raise Stopped
            value = await perform(self, call)
            call.is_ending = True
            end = '{"returned":%s}' % value
        except BaseException as error:
            call.is_ending = True
            end = end_of(error, self, call)
        self.finish(call, end)

    def finish(self, call, end):
        for output in self.outputs:
            output.end(call)
        call.has_ended = True
        del self.calls[call.number]
        if not self.calls and self.threads.has_strangers(self.loop):
            # Something of the call is still running, so this worker takes no other calls.
            self.spend()
        if call.is_cancelled:
            self.channel.send('{"gone":{"call":%d}}' % call.number)
        else:
            self.channel.send('{"done":{"call":%d,"end":%s}}' % (call.number, end))
        call.drop_waiters()
        if len(call.tasks) > 1:
            for task in call.tasks:
                if task is not asyncio.current_task():
                    task.cancel()

    def spend(self):
        """Retires this worker."""
        if not self.is_spent:
            self.is_spent = True
            self.channel.send('"spent"')

    def wait_for(self, call, waiter, seconds=None):
        """Waits synchronously; in the loop's thread it also reads the channel."""
        until = None if seconds is None else time.monotonic() + seconds
        is_main = threading.get_ident() == self.main
        is_waiting = self.is_waiting
        if is_main:
            self.is_waiting = True
        try:
            while not waiter.settled.is_set():
                left = WATCH_S if until is None else min(until - time.monotonic(), WATCH_S)
                if left <= 0:
                    return False
                if is_main:
                    self.receive(wait_ms=max(1, round(min(left, 0.05) * 1000)))
                else:
                    waiter.settled.wait(left)
                if call.must_stop:
                    raise Stopped
        finally:
            if is_main:
                self.is_waiting = is_waiting
        return True

    def interrupt(self, call):
        """Raises in the loop's thread, if it runs that call."""
        if self.running() is call:
            signal.pthread_kill(self.main, signal.SIGUSR2)

    def interrupted(self, _signal, _frame):
        # The loop's thread is between two bytecodes, so this is the call that it runs. If it is
        # not raised now, the monitoring thread requests it again.
        call = CURRENT.get()
        if call is None or not call.must_stop or call.is_ending:
            return
        if self.is_ours or self.channel.writing.locked():
            return
        raise Stopped

    def running(self):
        """The call that the loop's thread is running."""
        task = asyncio.current_task(self.loop)
        if task is None:
            return None
        return next((call for call in list(self.calls.values()) if task in call.tasks), None)

    def tick(self):
        self.ticks += 1

    def watch(self):
        last_beat = time.monotonic()
        holder, since = None, 0.0
        while True:
            if not self.calls:
                time.sleep(IDLE_S)
                continue
            now = time.monotonic()
            if now - last_beat >= BEAT_S:
                self.channel.send('"beat"')
                last_beat = now
            ticks = self.ticks
            self.loop.call_soon_threadsafe(self.tick)
            time.sleep(WATCH_S)
            if self.ticks != ticks or self.is_waiting:
                holder = None
                continue
            self.receive()
            call = self.running()
            if call is None:
                continue
            if call is not holder:
                holder, since = call, now
            self.judge(call, time.monotonic() - since)

    def judge(self, call, held_s):
        """Handles a call that blocks all others."""
        if call.must_stop:
            self.interrupt(call)
        max_s, what = self.block_s, "of the event loop without an `await`"
        if call.is_importing:
            max_s, what = self.import_s, "to be imported"
        if held_s > max_s and call.over is None:
            where = place_of_frame(sys._current_frames().get(self.main), self.library.root)
            limit = f"{round(max_s * 1000)} ms {what}"
            call.over = f"{limit}, at {where}" if where else limit
            self.interrupt(call)
        if held_s > max_s + LAST_CHANCE_S and not call.is_cancelled:
            call.is_cancelled = True
            self.channel.send(
                '{"stuck":{"call":%d,"limit":%s}}' % (call.number, json.dumps(call.over))
            )


def _make_task(loop, coroutine, **options):
    task = asyncio.Task(coroutine, loop=loop, **options)
    call = CURRENT.get()
    if call is not None:
        call.tasks.add(task)
    return task


def _say_unheard(_loop, context):
    call = CURRENT.get()
    if call is not None and not call.has_ended:
        call.log("error", str(context.get("exception") or context.get("message")))
