"""The network gate: every request of a Python tool becomes a `fetch` of the host.

The host authorizes, counts and limits it, whichever library makes it.
"""

import base64
import socket

from ghosthand_call import ServiceError, current_call
from ghosthand_import_hooks import after_import

SENTENCE = (
    "network access of a Python tool goes through context.fetch, urllib, requests or httpx, to "
    "the hosts in `net` of its `capabilities`; other sockets are closed"
)
NO_PROXY = "a Python tool has no proxy of its own: leave it out, the host makes the connection"

# Headers of a single connection: set by the library for its own, and by the host for its own.
OF_THE_CONNECTION = {
    "accept-encoding", "connection", "content-length", "expect", "keep-alive", "transfer-encoding",
}  # fmt: skip


class Refused(ConnectionError):
    """The connection was refused; `code` says why, as in a `ServiceError`."""

    def __init__(self, message, code="NOT_ALLOWED"):
        super().__init__(message)
        self.code = code


class Exchange:
    """A request in progress, for synchronous libraries."""

    def __init__(self, request):
        try:
            self.call = current_call("the network")
            self.waiter = self.call.begin("fetch", request)
        except (RuntimeError, ServiceError) as error:
            raise refused(error) from None

    def answer(self, seconds=None):
        """The answer, or None after the timeout."""
        if not self.call.wait(self.waiter, seconds):
            return None
        if self.waiter.error is not None:
            raise refused(self.waiter.error)
        return Answer(self.waiter.value)


async def exchange(request):
    """The same for async libraries."""
    try:
        return Answer(await current_call("the network").ask("fetch", request))
    except (RuntimeError, ServiceError) as error:
        raise refused(error) from None


class Answer:
    def __init__(self, value):
        self.status = value.get("status", 200)
        self.reason = value.get("statusText", "")
        encoded = value.get("bodyBase64")
        self.body = base64.b64decode(encoded) if encoded else (value.get("body") or "").encode()
        self._headers = value.get("headers", [])

    def headers(self, method):
        """The headers without those of a single connection."""
        gone = ("connection", "keep-alive", "transfer-encoding")
        has_body = method != "HEAD" and self.status >= 200 and self.status not in (204, 304)
        if has_body:
            gone += ("content-length",)
        kept = [(name, value) for name, value in self._headers if name.lower() not in gone]
        return kept + [("content-length", str(len(self.body)))] if has_body else kept


def refused(error):
    """The host's error as a connection error."""
    code = getattr(error, "code", "NOT_ALLOWED")
    if code == "TIMED_OUT":
        return TimeoutError(str(error))
    return Refused(str(error), code)


def request_of(method, url, headers, body):
    """The request for the host. The library follows redirects itself."""
    authority = url.partition("://")[2].partition("/")[0].lower()
    kept = []
    for name, value in headers:
        lower = name.lower()
        # The host refuses a `Host` header that differs from the URL.
        if lower not in OF_THE_CONNECTION and (lower, value.lower()) != ("host", authority):
            kept.append([name, value])
    request = {"url": url, "method": method, "redirect": "manual", "headers": kept}
    if body:
        try:
            request["body"] = bytes(body).decode()
        except UnicodeDecodeError:
            request["bodyBase64"] = base64.b64encode(body).decode()
    return request


def address(scheme, host, port, path):
    """The normalized URL of a request."""
    if path.startswith(("http://", "https://")):
        return path
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}.get(scheme)
    authority = host if port in (None, usual) else f"{host}:{port}"
    return f"{scheme}://{authority}{path if path.startswith('/') else '/'}"


def open_the_gate():
    """Routes libraries through the gate and explains why other sockets fail."""
    close_sockets()
    after_import("http.client", lambda module: _http().through_http_client(module))
    after_import("urllib3.connection", lambda module: _http().through_urllib3(module))
    after_import("httpx", _through_httpx)


def _http():
    import ghosthand_http

    return ghosthand_http


def _through_httpx(module):
    import ghosthand_httpx

    ghosthand_httpx.through(module)


def close_sockets():
    """The sandbox blocks sockets; this adds an explanation."""
    init = socket.socket.__init__

    def with_words(self, *args, **options):
        try:
            init(self, *args, **options)
        except PermissionError:
            raise PermissionError(SENTENCE) from None

    socket.socket.__init__ = with_words
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr"):
        setattr(socket, name, _without_names(getattr(socket, name)))


def _without_names(resolve):
    def resolve_or_say(*args, **options):
        try:
            return resolve(*args, **options)
        except OSError as error:
            raise socket.gaierror(getattr(error, "errno", None), SENTENCE) from None

    return resolve_or_say
