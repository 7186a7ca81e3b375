"""Checks every body in `tests/bodies` against the types of the official clients.

Needs the packages `anthropic`, `openai` and `google-genai`. Unknown fields are faults.

    python3 crates/models/tests/sdk_types.py
"""

import collections.abc
import json
import sys
import types
from pathlib import Path
from typing import Any, Union

from typing_extensions import (
    Annotated,
    Literal,
    NotRequired,
    Required,
    TypeAliasType,
    get_args,
    get_origin,
    get_type_hints,
)

BODIES = Path(__file__).parent / "bodies"

# What compatible servers send and take back, and OpenAI itself does not know.
FOREIGN = {("ChatCompletionAssistantMessageParam", "reasoning_content")}


def faults(kind, value, place):
    """The ways in which a value is not of a type; of a union, those of the nearest branch."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind in (Any, object):
        return []
    if isinstance(kind, TypeAliasType):
        return faults(kind.__value__, value, place)
    if origin in (Required, NotRequired, Annotated):
        return faults(parts[0], value, place)
    if origin in (Union, types.UnionType):
        return min((faults(part, value, place) for part in parts), key=len)
    if origin is Literal:
        return [] if value in parts else [f"{place}: {value!r} is not one of {parts}"]
    if hasattr(kind, "__required_keys__"):
        return faults_of_object(kind, value, place)
    if origin in (dict, collections.abc.Mapping):
        return [] if isinstance(value, dict) else [f"{place}: no object"]
    if parts and isinstance(origin, type):
        if not isinstance(value, list):
            return [f"{place}: no list"]
        each = (faults(parts[0], item, f"{place}/{at}") for at, item in enumerate(value))
        return [fault for found in each for fault in found]
    plain = (int, float) if kind is float else kind
    is_odd_bool = isinstance(value, bool) and kind is not bool
    return [] if isinstance(value, plain) and not is_odd_bool else [f"{place}: no {kind}"]


def faults_of_object(kind, value, place):
    if not isinstance(value, dict):
        return [f"{place}: no {kind.__name__}"]
    fields = get_type_hints(kind, include_extras=True)
    said = {key for key, field in fields.items() if get_origin(field) is Required}
    lacking = sorted((kind.__required_keys__ | said) - value.keys())
    found = [f"{place}: {kind.__name__} lacks `{key}`" for key in lacking]
    for key, item in value.items():
        if key in fields:
            found += faults(fields[key], item, f"{place}/{key}")
        elif (kind.__name__, key) not in FOREIGN:
            found.append(f"{place}: {kind.__name__} has no `{key}`")
    return found


def faults_of_gemini(body):
    from google.genai import types as google

    kinds = {
        "generationConfig": google.GenerationConfig,
        "toolConfig": google.ToolConfig,
        "systemInstruction": google.Content,
        "tools": google.Tool,
        "contents": google.Content,
    }
    found = []
    for key, value in body.items():
        if key not in kinds:
            found.append(f"/{key}: unknown")
            continue
        for item in value if isinstance(value, list) else [value]:
            try:
                kinds[key].model_validate(item)
            except ValueError as error:
                found.append(f"/{key}: {error}")
    return found


def faults_of_body(wire, body):
    if wire == "gemini":
        return faults_of_gemini(body)
    if wire == "anthropic":
        from anthropic.types import message_create_params as params

        streaming, whole = params.MessageCreateParamsStreaming, params.MessageCreateParamsNonStreaming
    elif wire == "chat":
        from openai.types.chat import completion_create_params as params

        streaming, whole = params.CompletionCreateParamsStreaming, params.CompletionCreateParamsNonStreaming
    else:
        from openai.types.responses import response_create_params as params

        streaming, whole = params.ResponseCreateParamsStreaming, params.ResponseCreateParamsNonStreaming
    return faults(streaming if body.get("stream") else whole, body, "")


def main():
    paths = sorted(BODIES.glob("*.json"))
    found = 0
    for path in paths:
        wire = path.name.split(".")[-2]
        for fault in faults_of_body(wire, json.loads(path.read_text())):
            found += 1
            print(f"{path.name}: {fault}")
    print(f"{len(paths)} bodies, {found} faults")
    return 1 if found or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
