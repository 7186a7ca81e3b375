"""Exceptions of tools as plain fields, with the author's line."""

import errno
import json
import linecache
import os
import traceback

from ghosthand_call import Stopped
from ghosthand_to_json import NoJson, to_plain

FRAMES_MAX = 8
MESSAGE_MAX = 2_000
REFUSED = (errno.EPERM, errno.EACCES)


class NotStarted(Exception):
    """The tool cannot be loaded, so nothing has run."""


class NoThread(NotStarted):
    """The worker cannot start another thread."""


class BadArguments(Exception):
    """The model's arguments do not fit the function."""


def end_of(error, worker, call):
    """The end of a call, as JSON text."""
    if call.over is not None:
        return json.dumps({"overLimit": call.over})
    if isinstance(error, MemoryError):
        worker.spend()
        return json.dumps({"overLimit": f"{worker.memory_mib} MiB of memory"})
    if isinstance(error, NoThread):
        worker.spend()
    if isinstance(error, NotStarted):
        return json.dumps({"notStarted": str(error)})
    try:
        throw = describe(error, worker.library.root)
    except Exception:
        throw = plain("the tool raised something that cannot be read")
    return json.dumps({"threw": throw})


def describe(error, root):
    place = place_of_error(error, root)
    if is_tool_error(error):
        return {
            "kind": str(getattr(error.type, "value", error.type)),
            "message": cut(str(error.message)),
            "retryable": error.retryable is True,
            "partialSideEffects": error.partial_side_effects is True,
            "details": None if error.details is None else to_plain(error.details, "the details"),
            "place": place,
        }
    if isinstance(error, BadArguments):
        return {**plain(str(error)), "kind": "VALIDATION", "place": place}
    if isinstance(error, SystemExit):
        return {**plain(f"the tool called exit({error.code!r})"), "place": place}
    if isinstance(error, Stopped):
        return plain("the tool was stopped")
    return {**plain(words_of(error)), "place": place}


def words_of(error):
    """`ValueError: no such thing`; without the type where it adds nothing."""
    name, message = type(error).__name__, str(error)
    if isinstance(error, NoJson) or (type(error) is Exception and message):
        return message
    if type(error).__name__ == "ServiceError" and message:
        return message
    if isinstance(error, PermissionError) and error.errno in REFUSED:
        message += ": the sandbox has no network, no other processes, and no files but its own"
    return f"{name}: {message}" if message else name


def plain(message):
    return {
        "kind": None,
        "message": cut(message),
        "retryable": False,
        "partialSideEffects": False,
        "details": None,
        "place": None,
    }


def cut(text):
    return text if len(text) <= MESSAGE_MAX else text[:MESSAGE_MAX] + " …"


def is_tool_error(error):
    return getattr(error, "is_ghosthand_tool_error", False) is True


def place_of_error(error, root):
    """The author's lines that led to an exception, innermost first."""
    if isinstance(error, SyntaxError) and error.filename:
        name = below(error.filename, root)
        if name is not None:
            return f"{name}:{error.lineno}\n    {(error.text or '').strip()}"
    frames = [
        (name, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if (name := below(frame.f_code.co_filename, root)) is not None
    ]
    return _place(frames[::-1], root)


def place_of_frame(frame, root):
    """The author's innermost line in a running thread."""
    while frame is not None:
        name = below(frame.f_code.co_filename, root)
        if name is not None:
            source = source_line(root, name, frame.f_lineno)
            return f"{name}:{frame.f_lineno} `{source}`"
        frame = frame.f_back
    return None


def _place(frames, root):
    if not frames:
        return None
    (name, line), *callers = frames
    place = f"{name}:{line}\n    {source_line(root, name, line)}"
    for name, line in callers[:FRAMES_MAX]:
        place += f"\n  from {name}:{line}\n    {source_line(root, name, line)}"
    return place


def source_line(root, name, line):
    return linecache.getline(os.path.join(root, name), line).strip()


def below(path, root):
    """The path below the tools folder, or None if it is elsewhere."""
    start = root + os.sep
    return path[len(start) :] if path.startswith(start) else None
