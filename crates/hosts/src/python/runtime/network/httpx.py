"""`httpx` through the gate, with and without `await`."""

import asyncio
import logging

from ghosthand_gate import NO_PROXY, Exchange, Refused, exchange, request_of


def through(httpx):
    if not hasattr(httpx, "HTTPTransport"):
        return  # another module of that name
    # It logs every request, which the host does on demand.
    logging.getLogger("httpx").setLevel(logging.WARNING)

    def init(self, *_args, proxy=None, uds=None, **_options):
        if proxy is not None or uds is not None:
            raise Refused(NO_PROXY)

    def handle(self, request):
        body = request.read()
        return answered(httpx, request, lambda: wait(request, body))

    async def handle_later(self, request):
        body = await request.aread()
        try:
            answer = await asyncio.wait_for(exchange(asked(request, body)), patience(request))
        except (OSError, asyncio.TimeoutError) as error:
            raise mapped(httpx, request, error) from error
        return response(httpx, request, answer)

    def close(self):
        """Nothing is open."""

    async def close_later(self):
        """Nothing is open."""

    plain, later = httpx.HTTPTransport, httpx.AsyncHTTPTransport
    plain.__init__ = later.__init__ = init
    plain.handle_request, later.handle_async_request = handle, handle_later
    plain.close, later.aclose = close, close_later
    for transport, base, names in (
        (plain, httpx.BaseTransport, ("__enter__", "__exit__")),
        (later, httpx.AsyncBaseTransport, ("__aenter__", "__aexit__")),
    ):
        for name in names:
            setattr(transport, name, getattr(base, name))


def asked(request, body):
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw]
    return request_of(request.method, str(request.url), headers, body)


def wait(request, body):
    answer = Exchange(asked(request, body)).answer(patience(request))
    if answer is None:
        raise TimeoutError("timed out")
    return answer


def answered(httpx, request, ask):
    try:
        answer = ask()
    except (OSError, asyncio.TimeoutError) as error:
        raise mapped(httpx, request, error) from error
    return response(httpx, request, answer)


def patience(request):
    """The timeout of the whole exchange; httpx limits connecting and reading separately."""
    limits = request.extensions.get("timeout") or {}
    each = [limits.get("connect"), limits.get("read")]
    return None if None in each else max(each)


def mapped(httpx, request, error):
    if isinstance(error, (TimeoutError, asyncio.TimeoutError)):
        return httpx.ReadTimeout(str(error) or "timed out", request=request)
    kinds = {"TOO_LARGE": httpx.ReadError, "BAD_REQUEST": httpx.LocalProtocolError}
    kind = kinds.get(getattr(error, "code", None), httpx.ConnectError)
    return kind(str(error), request=request)


def response(httpx, request, answer):
    return httpx.Response(
        answer.status,
        headers=answer.headers(request.method),
        stream=httpx.ByteStream(b"" if request.method == "HEAD" else answer.body),
        extensions={"http_version": b"HTTP/1.1", "reason_phrase": answer.reason.encode("latin-1", "replace")},
    )
