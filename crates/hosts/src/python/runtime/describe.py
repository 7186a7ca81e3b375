"""Imports one file and describes its `TOOLS`. A file that cannot be imported is a fault."""

import ast
import importlib.util
import inspect
import os
import traceback

from ghosthand_call import Stopped
from ghosthand_failure import NotStarted, below, words_of
from ghosthand_invoke import CONTEXT_NAMES, NOT_NAMED, signature_of
from ghosthand_to_json import NoJson, to_plain

# The fields of an item that are not settings.
PARTS = (
    "function", "schema", "auto_tool", "one_time", "condition", "report_status",
    "cleanup_function", "ui_feature", "ui_handlers",
)  # fmt: skip
USES = {
    "services.kv_store_service": "kv",
    "services.persona_service": "personas",
    "services.ai_service": "ai",
    "openai": "ai",
}
NO_SIGNATURE = {"parameters": [], "required": [], "var_keyword": False}
FILLED_IN = ("metadata", "conversation_id", *CONTEXT_NAMES)


def describe_file(library, file):
    report = {
        "file": file,
        "module": file[:-3].replace("/", "."),
        "items": [],
        "uses": [],
        "fault": None,
        "item_faults": [],
    }
    source = read(library, file)
    try:
        tree = ast.parse(source)
        report["uses"] = uses_of(tree)
        module = library.module(file)
    except Stopped:
        raise
    except BaseException as raised:
        error = raised.__cause__ if isinstance(raised, NotStarted) and raised.__cause__ else raised
        report["fault"] = fault_of(error, library.root, file)
        return report
    tools = getattr(module, "TOOLS", None)
    if tools is None:
        return report
    lines = lines_of(tree)
    if not isinstance(tools, (list, tuple)):
        found = type(tools).__name__
        report["fault"] = item_fault(f"TOOLS has the type `{found}`; it must be a list", lines.get("TOOLS"), source)
        return report
    for order, item in enumerate(tools):
        line = lines.get(order)
        try:
            report["items"].append(describe_item(order, line, item, module))
        except Stopped:
            raise
        except Exception as error:  # what one entry holds costs none of the others
            known = isinstance(error, (NoJson, ValueError))
            fault = item_fault(f"TOOLS[{order}]: {error if known else words_of(error)}", line, source)
            report["item_faults"].append({**fault, "order": order, "item": name_of(item)})
    if any(takes_context(item) for item in tools):
        report["uses"] = sorted({*report["uses"], "context"})
    return report


def takes_context(item):
    function = item.get("function") if isinstance(item, dict) else None
    return callable(function) and any(name in CONTEXT_NAMES for name in signature_of(function).parameters)


def read(library, file):
    try:
        with open(os.path.join(library.root, file), "rb") as opened:
            return importlib.util.decode_source(opened.read())
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ""  # importing it says why


def name_of(item):
    schema = item.get("schema") if isinstance(item, dict) else None
    name = schema.get("name") if isinstance(schema, dict) else None
    return name if isinstance(name, str) and name else None


def describe_item(order, line, item, module):
    if not isinstance(item, dict):
        raise ValueError(f"its type is `{type(item).__name__}`; it must be a dict")
    schema, name = item.get("schema"), name_of(item)
    if name is None:
        raise ValueError("it has no `schema` with a `name`")
    function = item.get("function")
    if function is not None and not callable(function):
        raise ValueError(f"`function` of `{name}` has the type `{type(function).__name__}`; it must be callable")
    handlers = item.get("ui_handlers") or {}
    is_callable = callable(function)
    declared = set(((schema.get("parameters") or {}).get("properties")) or {})
    return {
        "order": order,
        "line": line_of(function, line),
        "name": name,
        "schema": to_plain(schema, "the schema"),
        "callable": is_callable,
        "flags": {
            "metadata": is_callable and "metadata" in signature_of(function).parameters,
            "streaming": inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function),
            "auto": bool(item.get("auto_tool")),
            "one_time": bool(item.get("one_time")),
            "conditional": callable(item.get("condition")),
            "status": callable(item.get("report_status")),
            "cleanup": callable(item.get("cleanup_function")),
            "ui": isinstance(item.get("ui_feature"), dict),
        },
        "signature": describe_signature(function, declared) if is_callable else NO_SIGNATURE,
        "settings": settings_of(item),
        "doc": inspect.getdoc(function) if is_callable and hasattr(function, "__code__") else None,
        "ui_feature": to_plain(item.get("ui_feature"), "`ui_feature`"),
        "ui_handlers": [key for key, held in handlers.items() if callable(held)],
    }


def settings_of(item):
    """The other fields of an item; the registry validates them. A function is null."""
    return {
        key: None if callable(value) else to_plain(value, f"`{key}`")
        for key, value in item.items()
        if isinstance(key, str) and key not in PARTS and value is not None
    }


def describe_signature(function, declared):
    """The parameters that the model may fill, without those that we fill."""
    parameters = [
        parameter
        for name, parameter in signature_of(function).parameters.items()
        if parameter.kind not in NOT_NAMED and (name in declared or name not in FILLED_IN)
    ]
    return {
        "parameters": [parameter.name for parameter in parameters],
        "required": [p.name for p in parameters if p.default is p.empty],
        "var_keyword": any(
            p.kind is p.VAR_KEYWORD for p in signature_of(function).parameters.values()
        ),
    }


def line_of(function, line):
    if line is not None:
        return line
    code = getattr(function, "__code__", None)
    return code.co_firstlineno if code is not None else None


def lines_of(tree):
    """The line of `TOOLS`, and of each entry by index if it is a list literal."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == "TOOLS" for target in targets):
            lines = {"TOOLS": node.lineno}
            if isinstance(getattr(node, "value", None), ast.List):
                lines.update({order: held.lineno for order, held in enumerate(node.value.elts)})
            return lines
    return {}


def uses_of(tree):
    from ghosthand_compat_modules import ALIASES

    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names, imported = [alias.name for alias in node.names], set()
        elif isinstance(node, ast.ImportFrom):
            names, imported = [node.module or ""], {alias.name for alias in node.names}
        else:
            continue
        found.update(USES[home] for name in names if (home := ALIASES.get(name, name)) in USES)
        if "create_system_message_in_conversation" in imported:
            found.add("messages")
    return sorted(found)


def fault_of(error, root, file):
    kinds = ((SyntaxError, "syntax"), (ImportError, "import"), (SystemExit, "exited"),
             (NotStarted, "unreadable"), (MemoryError, "memory"))  # fmt: skip
    kind = next((word for held, word in kinds if isinstance(error, held)), "raised")
    line, text = None, None
    if isinstance(error, SyntaxError) and error.filename:
        line, text = error.lineno, (error.text or "").rstrip()
    else:
        own = os.path.join(root, file)
        for frame, number in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename == own:
                line = number
    if text is None and line is not None:
        import linecache

        text = linecache.getline(os.path.join(root, file), line).rstrip()
    message = f"exit({error.code!r}) while it was imported" if kind == "exited" else words_of(error)
    return {
        "kind": kind,
        "message": message,
        "line": line,
        "source_line": text,
        "traceback": trimmed_traceback(error, root),
    }


def trimmed_traceback(error, root):
    """Only the author's frames, with paths relative to the tools folder."""
    frames = [
        f'  File "{name}", line {frame.lineno}, in {frame.name}\n    {frame.line}\n'
        for frame in traceback.extract_tb(error.__traceback__)
        if (name := below(frame.filename, root)) is not None
    ]
    last = "".join(traceback.format_exception_only(type(error), error)).replace(root + os.sep, "")
    return "Traceback (most recent call last):\n" + "".join(frames) + last


def item_fault(message, line, source):
    lines = source.splitlines()
    text = lines[line - 1] if line and line <= len(lines) else None
    return {"kind": "item", "message": message, "line": line, "source_line": text, "traceback": None}
