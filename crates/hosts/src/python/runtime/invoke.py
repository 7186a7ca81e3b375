"""Runs the function of a call and serializes its result.

The result of a streaming tool is the text of its `context` chunks if there are any, otherwise
that of its `assistant` chunks. It is marked with `streaming`.
"""

import asyncio
import functools
import inspect
from datetime import datetime, timezone

from ghosthand_call import Asked
from ghosthand_failure import BadArguments, NotStarted
from ghosthand_to_json import NoJson, to_json

# Parameters that we fill unless the tool's schema names them.
CONTEXT_NAMES = ("ctx", "context", "response_context", "tool_context")
CHANNELS = ("assistant", "system", "context")


async def perform(worker, call):
    """The result of a call as JSON text."""
    start = call.start
    part = start["part"]
    file, _, item = start["handler"].partition("#")
    if part == "describe":
        from ghosthand_describe import describe_file

        call.is_importing = True
        return to_json(describe_file(worker.library, file), "the description")
    if part == "check":
        from ghosthand_check import check_files

        call.is_importing = True
        return to_json(check_files(worker.library, start["args"]), "the report")
    context = start["context"] or {}
    call.conversation = conversation_of(context)
    call.is_importing = True
    module = worker.library.module(file)
    call.is_importing = False
    if part != "execute":
        value = await run_hook(worker, call, item_of(module, file, item), part, context)
        return checked(worker, value)
    if not item:
        return await run_handler(worker, call, module, context)
    return await run_item(worker, call, item_of(module, file, item), start["args"], context)


async def run_item(worker, call, item, args, context):
    function = item.get("function")
    if not callable(function):
        raise NotStarted(f"`{item['schema']['name']}` has no function; it only displays something")
    given = bind(function, item, args, call, context)
    value, is_stream = await invoke(worker, call, function, (), given)
    if isinstance(value, Asked):
        return questions(worker, value)
    if is_stream:
        texts = call.texts["context"] or call.texts["assistant"]
        data = to_json("".join(texts))
        envelope = '{"ok":true,"data":%s,"intents":[],"streaming":true}' % data
    elif has_artifacts(value):
        return checked(worker, value)
    else:
        envelope = '{"ok":true,"data":%s,"intents":[]}' % to_json(value)
    return limited(worker, envelope)


def has_artifacts(value):
    """Whether an item answers as `handler.py` does, with files for the person. Any other dict is data."""
    return (
        isinstance(value, dict)
        and value.get("ok") is True
        and isinstance(value.get("artifacts"), list)
        and "data" in value
        and value.keys() <= {"ok", "data", "intents", "artifacts"}
    )


async def run_handler(worker, call, module, context):
    execute = getattr(module, "execute", None)
    if not callable(execute):
        raise NotStarted("the handler has no function `execute`")
    from ghosthand_context import Context

    inputs = {"args": call.start["args"], "context": Context(call, context)}
    given = handler_inputs(execute, inputs)
    value, is_stream = await invoke(worker, call, execute, *given)
    if is_stream:
        value = "".join(call.texts["context"] or call.texts["assistant"])
        return limited(worker, '{"ok":true,"data":%s,"intents":[],"streaming":true}' % to_json(value))
    if isinstance(value, Asked):
        return questions(worker, value)
    if isinstance(value, dict) and isinstance(value.get("ok"), bool):
        return checked(worker, value)
    return limited(worker, '{"ok":true,"data":%s,"intents":[]}' % to_json(value))


def questions(worker, asked):
    return limited(worker, '{"ask":%s}' % to_json(asked.questions))


def handler_inputs(execute, inputs):
    """The arguments of `execute(args, context)`: positional, or by name for keyword-only parameters."""
    parameters = signature_of(execute).parameters.values()
    named = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    if named:
        return (), {name: value for name, value in inputs.items() if name in named}
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(places) == 1 and places[0].name == "context":
        return (inputs["context"],), {}
    many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    count = 2 if many else min(len(places), 2)
    return tuple(inputs.values())[:count], {}


async def run_hook(worker, call, item, part, context):
    """Runs a condition, status, cleanup or form handler."""
    if part == "condition":
        return shown(await plain_call(worker, call, item, "condition", True))
    if part == "status":
        value = await plain_call(worker, call, item, "report_status", None)
        return None if value is None else value if isinstance(value, str) else str(value)
    if part == "cleanup":
        await plain_call(worker, call, item, "cleanup_function", None)
        return None
    name = part["ui"]
    function = (item.get("ui_handlers") or {}).get(name)
    if not callable(function):
        known = ", ".join(item.get("ui_handlers") or {}) or "none"
        raise NotStarted(f"there is no form handler `{name}`; there are {known}")
    parameters = list(signature_of(function).parameters.items())
    given = filled_in(dict(parameters[1:]), {}, call, context)
    params = (call.start["args"],) if parameters else ()
    value, _ = await invoke(worker, call, function, params, given)
    return value


def shown(value):
    """Only `True` shows a tool, and None hides it. Other values, such as `"no"`, which is truthy, are
    errors, and an error hides the tool."""
    if value is None or isinstance(value, bool):
        return value is True
    raise TypeError(f"the condition returned {value!r:.60}; it must return True or False")


async def plain_call(worker, call, item, key, absent):
    function = item.get(key)
    if not callable(function):
        return absent
    context = call.start["context"] or {}
    given = filled_in(signature_of(function).parameters, {}, call, context)
    value, _ = await invoke(worker, call, function, (), given)
    return value


async def invoke(worker, call, function, args, given):
    """Calls a function of any kind; returns its value, and whether it was a stream."""
    if inspect.iscoroutinefunction(function):
        value = await function(*args, **given)
    elif inspect.isasyncgenfunction(function):
        value = function(*args, **given)
    elif inspect.isgeneratorfunction(function):
        await worker.threads.run(call, lambda: drain(worker, call, function(*args, **given)))
        return None, True
    else:
        value = await worker.threads.run(call, lambda: function(*args, **given))
    if inspect.isawaitable(value):
        value = await value
    if hasattr(value, "__aiter__") and hasattr(value, "__anext__"):
        await stream(call, value)
        return None, True
    if inspect.isgenerator(value):
        await worker.threads.run(call, lambda: drain(worker, call, value))
        return None, True
    return value, False


async def stream(call, chunks):
    try:
        async for chunk in chunks:
            channel, text = read_chunk(chunk)
            await call.emit(channel, text)
        await call.chunks_sent()
    finally:
        close = getattr(chunks, "aclose", None)
        if close is not None:
            await close()


def drain(worker, call, chunks):
    """The same for a synchronous generator, in a thread."""
    with_loop = functools.partial(asyncio.run_coroutine_threadsafe, loop=worker.loop)
    for chunk in chunks:
        with_loop(call.emit(*read_chunk(chunk))).result()
    with_loop(call.chunks_sent()).result()


def read_chunk(chunk):
    if isinstance(chunk, dict):
        channel, text = chunk.get("type"), chunk.get("content")
    else:
        channel, text = getattr(chunk, "type", None), getattr(chunk, "content", None)
    if channel not in CHANNELS or text is None:
        found = f"{type(chunk).__name__} with type {channel!r}" if channel else type(chunk).__name__
        raise TypeError(
            f"a tool that streams must yield chunks, and this one yielded {found}; use "
            "assistant_chunk, system_chunk or context_chunk"
        )
    return channel, text if isinstance(text, str) else str(text)


def bind(function, item, args, call, context):
    """The keyword arguments, including those that we fill. A wrong name is the model's mistake."""
    signature = signature_of(function)
    declared = (item["schema"].get("parameters") or {}).get("properties") or {}
    given = dict(args or {})
    given.update(filled_in(signature.parameters, {**declared, **given}, call, context))
    try:
        signature.bind(**given)
    except TypeError as error:
        raise BadArguments(f"{item['schema']['name']}: {error}") from None
    return given


def filled_in(parameters, taken, call, context):
    """The parameters that we fill."""
    given = {}
    for name, parameter in parameters.items():
        if name in taken or parameter.kind in NOT_NAMED:
            continue
        if name == "metadata":
            given[name] = metadata_of(call)
        elif name == "conversation_id":
            given[name] = call.conversation
        elif name in CONTEXT_NAMES:
            from ghosthand_context import Context

            given[name] = Context(call, context)
    return given


NOT_NAMED = (
    inspect.Parameter.VAR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.POSITIONAL_ONLY,
)


@functools.lru_cache(maxsize=1024)
def signature_of(function):
    try:
        return inspect.signature(function)
    except (ValueError, TypeError):
        return inspect.Signature([inspect.Parameter("given", inspect.Parameter.VAR_KEYWORD)])


def item_of(module, file, name):
    """The entry of `TOOLS` with that name."""
    tools = getattr(module, "TOOLS", None)
    if isinstance(tools, (list, tuple)):
        for item in tools:
            schema = item.get("schema") if isinstance(item, dict) else None
            if isinstance(schema, dict) and schema.get("name") == name:
                return item
    raise NotStarted(f"{file} has no tool `{name}` in TOOLS")


def conversation_of(context):
    for holder in (context.get("metadata"), context.get("session"), context.get("call"), context):
        if isinstance(holder, dict):
            found = holder.get("conversationId", holder.get("conversation_id"))
            if found is not None:
                return found
    return None


def metadata_of(call):
    context = call.start["context"] or {}
    given = context.get("metadata") or {}
    either = lambda snake, camel, other: given.get(snake, given.get(camel, other))  # noqa: E731
    now = datetime.now(timezone.utc).isoformat()
    return {
        "conversation_id": call.conversation,
        "timestamp": either("timestamp", "timestamp", now),
        "model_name": either("model_name", "modelName", None),
        "tool_call_count": either("tool_call_count", "toolCallCount", 0),
    }


def checked(worker, value):
    return limited(worker, to_json(value))


def limited(worker, text):
    if len(text) > worker.result_bytes_max:
        raise NoJson(f"the result is beyond the limit of {worker.result_bytes_max} bytes")
    return text
