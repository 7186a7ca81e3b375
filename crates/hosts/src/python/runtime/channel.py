"""Frames to and from the host: a length of four bytes, then that many bytes of JSON."""

import json
import select
import socket
import threading

HEAD = 4
READ_BYTES = 1 << 18


class Channel:
    def __init__(self, descriptor):
        self.socket = socket.socket(fileno=descriptor)
        self.socket.setblocking(True)
        self.received = bytearray()
        self.reading = threading.Lock()
        self.writing = threading.Lock()
        self.poll = select.poll()
        self.poll.register(descriptor, select.POLLIN)

    def send(self, text):
        """Sends one message that is already JSON. Thread-safe."""
        try:
            body = text.encode()
        except UnicodeEncodeError:
            body = without_surrogates(text).encode()
        with self.writing:
            self.socket.sendall(len(body).to_bytes(HEAD, "little") + body)

    def receive(self, wait_ms=0):
        """The available messages. Raises EOFError when the host has closed the channel."""
        with self.reading:
            if wait_ms and not self.poll.poll(wait_ms):
                return []
            try:
                piece = self.socket.recv(READ_BYTES, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return []
            if not piece:
                raise EOFError
            self.received += piece
            return self._frames()

    def _frames(self):
        messages, start, received = [], 0, self.received
        while len(received) - start >= HEAD:
            end = start + HEAD + int.from_bytes(received[start : start + HEAD], "little")
            if len(received) < end:
                break
            messages.append(json.loads(received[start + HEAD : end]))
            start = end
        del received[:start]
        return messages


def without_surrogates(text):
    """Joins surrogate pairs and replaces lone surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
