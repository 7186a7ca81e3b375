"""The `context` of a `handler.py`: the same as in JavaScript, in both spellings."""

import base64
import json
import re

from ghosthand_call import Asked


def snake(name):
    return re.sub("[A-Z]", lambda found: "_" + found.group().lower(), name)


def camel(name):
    return re.sub("_([a-z])", lambda found: found.group(1).upper(), name)


class Fields(dict):
    """A dict whose keys are attributes too, as `client_id` and as `clientId`."""

    def __missing__(self, key):
        for other in (camel(key), snake(key)):
            if other in self.keys():
                return self[other]
        raise KeyError(key)

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"`context` has no `{name}` here") from None

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default


def read_only(self, *_args, **_options):
    raise TypeError("`context` is read-only: make a copy with dict(…) or list(…)")


class ReadOnlyFields(Fields):
    """Data from the host. Read-only, because writing to it would change nothing."""

    __setitem__ = __delitem__ = __setattr__ = __delattr__ = __ior__ = read_only
    clear = pop = popitem = setdefault = update = read_only

    def __copy__(self):
        return dict(self)

    def __deepcopy__(self, memo):
        return plain(self)


class ReadOnlyList(list):
    __setitem__ = __delitem__ = __iadd__ = __imul__ = read_only
    append = clear = extend = insert = pop = remove = reverse = sort = read_only

    def __copy__(self):
        return list(self)

    def __deepcopy__(self, memo):
        return plain(self)


def fields(value):
    if isinstance(value, dict):
        return ReadOnlyFields({key: fields(held) for key, held in value.items()})
    if isinstance(value, list):
        return ReadOnlyList(fields(held) for held in value)
    return value


def plain(value):
    """A mutable copy of plain dicts and lists."""
    if isinstance(value, dict):
        return {key: plain(held) for key, held in value.items()}
    if isinstance(value, list):
        return [plain(held) for held in value]
    return value


# The types of `context.tool`, `context.session` and so on, for annotations.
Tool = Session = RunningCall = Metadata = ReadOnlyFields


class Functions:
    """A group of functions, in both spellings."""

    def __init__(self, **functions):
        for name, function in functions.items():
            setattr(self, name, function)
            setattr(self, snake(name), function)

    def __getitem__(self, name):
        return getattr(self, name)


Messaging = Voice = Audit = Secrets = Functions


async def asked(call, name, args):
    # A coroutine, so that a function without a loop can pass it to `asyncio.run`.
    return await call.ask(name, args)


class Context(Fields):
    def __init__(self, call, plain):
        data = dict(plain)
        capabilities = data.pop("capabilities", None) or {}
        voice = data.pop("voice", None) or {}
        super().__init__({key: fields(value) for key, value in data.items()})
        session = data.get("session") or {}
        is_speaking = voice.get("isActive", session.get("mode") == "voice")
        self["voice"] = Functions(isActive=lambda: is_speaking)
        self["messaging"] = Functions(send=lambda message: asked(call, "messaging.send", {"message": message}))
        self["audit"] = Functions(
            log=lambda event, data=None: call.tell("audit.log", {"event": event, "data": data})
        )
        self["progress"] = lambda fraction, note=None: asked(
            call, "progress", {"fraction": fraction, "note": note}
        )
        self["ask"] = Asked
        self["emit"] = self["chunk"] = lambda channel, text: call.emit(channel, str(text))
        for channel in ("assistant", "system", "context"):
            self[channel] = lambda text, channel=channel: call.emit(channel, str(text))
        if capabilities.get("kv"):
            self["kv"] = Kv(call)
        if capabilities.get("files"):
            self["files"] = Files(call)
        if capabilities.get("attachments"):
            self["attachments"] = Attachments(call)
        if capabilities.get("secrets"):
            self["secrets"] = Functions(get=lambda name: asked(call, "secrets.get", {"name": name}))
        if capabilities.get("net"):
            self["fetch"] = lambda url, init=None, **options: fetch(call, url, init, options)


def options_of(options):
    return {camel(name): value for name, value in options.items()}


class Kv:
    def __init__(self, call):
        self._call = call

    def get(self, key):
        return asked(self._call, "kv.get", {"key": key})

    def set(self, key, value, **options):
        return asked(self._call, "kv.set", {**options_of(options), "key": key, "value": value})

    def delete(self, key, **options):
        return asked(self._call, "kv.delete", {**options_of(options), "key": key})

    def list(self, prefix="", **options):
        return asked(self._call, "kv.list", {**options_of(options), "prefix": prefix})


class Files:
    def __init__(self, call):
        self._call = call

    def list(self, path):
        return asked(self._call, "files.list", {"path": path})

    def read(self, path):
        return asked(self._call, "files.read", {"path": path})

    def stat(self, path):
        return asked(self._call, "files.stat", {"path": path})

    def write(self, path, text, **options):
        return asked(self._call, "files.write", {**options_of(options), "path": path, "text": text})


class Attachments:
    def __init__(self, call):
        self._call = call

    def list(self):
        return asked(self._call, "attachments.list", {})

    async def text(self, id):
        return (await self._call.ask("attachments.text", {"id": id}))["text"]

    async def bytes(self, id):
        return base64.b64decode(await self._call.ask("attachments.bytes", {"id": id}))


async def fetch(call, url, init, options):
    """The host makes the request, if the tool's capabilities allow it."""
    wish = {**(init or {}), **options}
    headers = wish.get("headers") or {}
    pairs = headers.items() if isinstance(headers, dict) else headers
    request = {
        "url": str(url),
        "method": str(wish.get("method", "GET")).upper(),
        "redirect": wish.get("redirect", "follow"),
        "headers": [[str(name), str(value)] for name, value in pairs],
    }
    body = wish.get("body")
    if body is None and "json" in wish:
        body = json.dumps(wish["json"])
        if not any(name.lower() == "content-type" for name, _ in request["headers"]):
            request["headers"].append(["content-type", "application/json"])
    if isinstance(body, (bytes, bytearray)):
        request["bodyBase64"] = base64.b64encode(body).decode()
    elif body is not None:
        request["body"] = str(body)
    return Response(await call.ask("fetch", request))


class Response:
    def __init__(self, answer):
        self.status = answer.get("status", 200)
        self.status_text = self.statusText = answer.get("statusText", "")
        self.url = answer.get("url", "")
        self.redirected = answer.get("redirected", False)
        self.headers = {name.lower(): value for name, value in answer.get("headers", [])}
        encoded = answer.get("bodyBase64")
        self._body = base64.b64decode(encoded) if encoded else (answer.get("body") or "").encode()

    @property
    def ok(self):
        return 200 <= self.status <= 299

    async def bytes(self):
        return self._body

    async def text(self):
        return self._body.decode("utf-8", "replace")

    async def json(self):
        return json.loads(self._body)
