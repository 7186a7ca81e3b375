"""Imports the files named on standard input and says what their TOOLS lists hold, as JSON."""

import ast
import builtins
import importlib.util
import inspect
import json
import os
import sys
import traceback
import types

SERVICES = {
    "services.kv_store_service": ("kv", ["kv_store"]),
    "services.persona_service": ("personas", ["persona_service"]),
    "utils.tool_utils": ("messages", ["create_system_message_in_conversation"]),
}
CHUNKS = ["assistant_chunk", "system_chunk", "context_chunk", "ResponseChunk"]
OURS = {"function", "schema", "auto_tool", "one_time", "condition", "report_status",
        "cleanup_function", "ui_feature", "ui_handlers"}


def provide():
    for path, (_, names) in SERVICES.items():
        parent = path.split(".")[0]
        sys.modules.setdefault(parent, types.ModuleType(parent))
        module = sys.modules.setdefault(path, types.ModuleType(path))
        for name in names + (CHUNKS if parent == "utils" else []):
            setattr(module, name, object())
    for name in ["ResponseChunk", "ToolMetadata", "UIHandlerResponse", "ToolDefinition"]:
        setattr(builtins, name, object)


def uses(source):
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module in SERVICES:
            service, names = SERVICES[node.module]
            if any(alias.name in names for alias in node.names):
                found.add(service)
    return sorted(found)


def signature(function):
    parameters = inspect.signature(function).parameters.values()
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    named = [p for p in named if p.name != "metadata"]
    return {
        "parameters": [p.name for p in named],
        "required": [p.name for p in named if p.default is p.empty],
        "var_keyword": any(p.kind is p.VAR_KEYWORD for p in parameters),
    }


def item(order, tool):
    function = tool.get("function")
    schema = tool.get("schema") or {}
    takes = inspect.signature(function).parameters if function else {}
    return {
        "order": order,
        "line": function.__code__.co_firstlineno if function else 0,
        "name": schema.get("name", ""),
        "schema": schema,
        "callable": callable(function),
        "flags": {
            "metadata": "metadata" in takes,
            "streaming": inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function),
            "auto": bool(tool.get("auto_tool")),
            "one_time": bool(tool.get("one_time")),
            "conditional": "condition" in tool,
            "status": "report_status" in tool,
            "cleanup": "cleanup_function" in tool,
            "ui": "ui_feature" in tool,
        },
        "signature": signature(function) if function else None,
        "settings": {key: value for key, value in tool.items() if key not in OURS},
        "doc": inspect.getdoc(function) if function else None,
        "ui_feature": tool.get("ui_feature"),
        "ui_handlers": list(tool.get("ui_handlers") or {}),
    }


def report(root, file):
    module = file[:-3].replace("/", ".")
    out = {"file": file, "module": module, "items": [], "uses": [], "fault": None}
    path = os.path.abspath(f"{root}/{file}")
    try:
        with open(path, encoding="utf-8") as source:
            out["uses"] = uses(source.read())
        spec = importlib.util.spec_from_file_location(module, path)
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        tools = getattr(loaded, "TOOLS", [])
        out["items"] = [item(order, tool) for order, tool in enumerate(tools)]
    except BaseException as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
        line = getattr(error, "lineno", None) or (frames[-1].lineno if frames else None)
        out["fault"] = {
            "kind": type(error).__name__,
            "message": getattr(error, "msg", None) or str(error),
            "line": line,
            "source_line": None,
            "traceback": traceback.format_exc(),
        }
    return out


sys.dont_write_bytecode = True
provide()
asked = json.load(sys.stdin)
print(json.dumps([report(asked["root"], file) for file in asked["files"]]))
