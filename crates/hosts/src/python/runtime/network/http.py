"""`http.client` through the gate, and with it `urllib`, `urllib3` and `requests`.

A connection gets a [`Wire`] in place of a socket: it reads the request that the library
writes, has the host make it, and lets the library read the answer.
"""

import io
import socket
import time

from ghosthand_gate import NO_PROXY, Exchange, Refused, address, request_of

REQUEST_BYTES_MAX = 16 << 20


class Wire:
    """Imitates a connected socket for one request and its answer."""

    def __init__(self, scheme, host, port, timeout):
        self.scheme = scheme
        self.host = host
        self.port = port
        self.timeout = timeout
        self.sent = bytearray()
        self.method = None
        self.exchange = None
        self.since = 0.0
        self.patience = timeout
        self.received = None

    def sendall(self, data, flags=0):
        self.sent += memoryview(data).cast("B")
        if len(self.sent) > REQUEST_BYTES_MAX:
            raise Refused(f"the request has more than {REQUEST_BYTES_MAX} bytes", "TOO_LARGE")
        request = whole_request(self.sent)
        if request is not None:
            self.start(*request)

    def send(self, data, flags=0):
        self.sendall(data)
        return len(data)

    def start(self, method, path, headers, body):
        """Fails here if the host is unreachable, as a connecting socket would."""
        self.sent = bytearray()
        self.method = method
        url = address(self.scheme, self.host, self.port, path)
        self.exchange = Exchange(request_of(method, url, headers, body))
        self.since, self.patience = time.monotonic(), self.timeout
        try:
            self.received = self.exchange.answer(self.timeout)
        except TimeoutError:
            pass  # raised again when the answer is read

    def answer(self):
        """The answer as bytes of HTTP."""
        if self.exchange is None:
            return b""
        if self.received is None:
            if self.timeout is None or self.patience is None:
                left = None
            else:
                left = self.since + max(self.timeout, self.patience) - time.monotonic()
            self.received = self.exchange.answer(left)
        if self.received is None:
            raise TimeoutError("timed out")
        answer, self.exchange, self.received = self.received, None, None
        lines = [f"HTTP/1.1 {answer.status} {answer.reason}"]
        lines += [f"{name}: {value}" for name, value in answer.headers(self.method)]
        head = "\r\n".join([*lines, "connection: close", "", ""]).encode()
        return head if self.method == "HEAD" else head + answer.body

    def makefile(self, mode="r", *_args, **_options):
        if "w" in mode:
            raise Refused("only HTTP requests can be sent over this connection")
        return io.BufferedReader(Answered(self))

    def settimeout(self, timeout):
        self.timeout = timeout

    def gettimeout(self):
        return self.timeout

    def setsockopt(self, *_args):
        """There is no socket to configure."""

    def shutdown(self, _how):
        """Nothing to shut down."""

    def close(self):
        self.exchange = self.received = None

    def fileno(self):
        return -1

    def getpeername(self):
        return (self.host, self.port)


class Answered(io.RawIOBase):
    """Reads the answer on demand."""

    def __init__(self, wire):
        self.wire = wire
        self.rest = None

    def readable(self):
        return True

    def readinto(self, buffer):
        if self.rest is None:
            self.rest = memoryview(self.wire.answer())
        count = min(len(buffer), len(self.rest))
        buffer[:count] = self.rest[:count]
        self.rest = self.rest[count:]
        return count


def whole_request(sent):
    """Method, path, headers and body, once completely written."""
    end = sent.find(b"\r\n\r\n")
    if end < 0:
        return None
    first, *lines = bytes(sent[:end]).decode("latin-1").split("\r\n")
    method, _, rest = first.partition(" ")
    if method == "CONNECT":
        raise Refused(NO_PROXY)
    path = rest.rpartition(" ")[0]
    headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    fields = {name.lower(): value for name, value in headers}
    body = sent[end + 4 :]
    if fields.get("transfer-encoding", "").lower() == "chunked":
        body = unchunked(body)
    elif len(body) < int(fields.get("content-length") or 0):
        return None
    return None if body is None else (method, path, headers, body)


def unchunked(body):
    """A chunked body, or None while it is incomplete."""
    if not body.endswith(b"0\r\n\r\n"):
        return None
    whole, at = bytearray(), 0
    while True:
        line = body.find(b"\r\n", at)
        if line < 0:
            return None
        size = int(bytes(body[at:line]).partition(b";")[0], 16)
        if size == 0:
            return whole
        at = line + 2 + size
        if len(body) < at + 2:
            return None
        whole += body[line + 2 : at]
        at += 2


def wire_of(connection, scheme):
    if getattr(connection, "_tunnel_host", None) or getattr(connection, "proxy", None):
        raise Refused(NO_PROXY)
    timeout = connection.timeout
    if timeout is not None and not isinstance(timeout, (int, float)):
        timeout = socket.getdefaulttimeout()
    return Wire(scheme, connection.host, connection.port, timeout)


def through_http_client(module):
    if not hasattr(module, "HTTPConnection"):
        return  # another module of that name

    def connect(self):
        self.sock = wire_of(self, "http")

    def connect_safely(self):
        self.sock = wire_of(self, "https")

    module.HTTPConnection.connect = connect
    if hasattr(module, "HTTPSConnection"):
        module.HTTPSConnection.connect = connect_safely


def through_urllib3(module):
    if not hasattr(module, "HTTPConnection"):
        return

    def connect(self):
        self.sock = wire_of(self, "http")

    def connect_safely(self):
        self.sock = wire_of(self, "https")
        # The host has verified the certificate, or there would be no answer.
        self.is_verified = True

    module.HTTPConnection.connect = connect
    module.HTTPSConnection.connect = connect_safely
