"""Holds request bodies against the official SDKs' types, with unknown fields forbidden.

In: lines of {"wire": "anthropic" | "chat" | "responses" | "gemini", "body": {...}} on stdin.
Out: a table and what does not fit. Exit 0 if all bodies fit, 1 if one does not, 2 if a line
could not be read.

The SDKs describe requests as TypedDicts. pydantic checks those, but lets unknown fields pass
and leaves an Iterable unread, so both are tightened before the first check.
"""

import json
import sys
import typing
from collections import Counter
from typing import Any, List, Optional

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from typing_extensions import is_typeddict

ERRORS_SHOWN = 4


def import_sdks():
    """Imports the SDKs with every Iterable read as a list."""
    real = typing.Iterable
    typing.Iterable = typing.List
    try:
        import anthropic.types
        import anthropic.types.message_create_params  # noqa: F401
        import openai.types.chat.completion_create_params  # noqa: F401
        import openai.types.responses.response_create_params  # noqa: F401
    finally:
        typing.Iterable = real
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] not in ("anthropic", "openai") or ".types" not in name:
            continue
        for alias in ("Iterable", "SequenceNotStr"):
            if hasattr(module, alias):
                setattr(module, alias, typing.List)
        # What was answered may be sent back as an object of the SDK; here it never is one, and
        # those objects would let unknown fields pass.
        if hasattr(module, "MessageContentParam"):
            module.MessageContentParam = typing.Union[str, List[anthropic.types.ContentBlockParam]]
        for value in list(vars(module).values()):
            if is_typeddict(value) and not hasattr(value, "__pydantic_config__"):
                value.__pydantic_config__ = ConfigDict(extra="forbid")


def gemini_body():
    """The REST body; the SDK has its parts, but no type for the whole."""
    from google.genai import types

    class Body(BaseModel):
        model_config = ConfigDict(extra="forbid")
        contents: List[types.Content]
        systemInstruction: Optional[types.Content] = None
        tools: Optional[List[types.Tool]] = None
        toolConfig: Optional[types.ToolConfig] = None
        generationConfig: Optional[types.GenerationConfig] = None
        safetySettings: Optional[List[types.SafetySetting]] = None
        cachedContent: Optional[str] = None

    return Body


def checkers():
    """A function for each wire that raises ValidationError."""
    import_sdks()
    from anthropic.types import message_create_params as messages
    from openai.types.chat import completion_create_params as chat
    from openai.types.responses import response_create_params as responses

    def streamed_or_whole(streamed: Any, whole: Any):
        both = {True: TypeAdapter(streamed), False: TypeAdapter(whole)}
        return lambda body: both[body.get("stream") is True].validate_python(body)

    gemini = TypeAdapter(gemini_body())
    return {
        "anthropic": streamed_or_whole(
            messages.MessageCreateParamsStreaming, messages.MessageCreateParamsNonStreaming
        ),
        "chat": streamed_or_whole(
            chat.CompletionCreateParamsStreaming, chat.CompletionCreateParamsNonStreaming
        ),
        "responses": streamed_or_whole(
            responses.ResponseCreateParamsStreaming, responses.ResponseCreateParamsNonStreaming
        ),
        # The REST names, not the SDK's Python names.
        "gemini": lambda body: gemini.validate_python(body, by_alias=True, by_name=False),
    }


def explain(error: ValidationError) -> List[str]:
    """What is wrong, without the branches of a union that were never meant."""
    found = error.errors()
    never_meant = {
        item["loc"][:-1]
        for item in found
        if item["type"] == "literal_error" and item["loc"][-1] in ("type", "role")
    }

    def meant(item) -> bool:
        loc = item["loc"]
        return not any(loc[: len(branch)] == branch for branch in never_meant)

    found = [item for item in found if meant(item)] or found
    lines = []
    for item in sorted(found, key=lambda item: -len(item["loc"]))[:ERRORS_SHOWN]:
        steps = [str(step) for step in item["loc"] if not str(step).startswith(("list[", "union["))]
        lines.append(f"    {'.'.join(steps)}: {item['msg']}")
    if len(found) > ERRORS_SHOWN:
        lines.append(f"    … and {len(found) - ERRORS_SHOWN} more")
    return lines


def main() -> int:
    check = checkers()
    good, bad, complaints = Counter(), Counter(), []
    for number, line in enumerate(sys.stdin, start=1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
            wire, body = item["wire"], item["body"]
            checker = check[wire]
        except (ValueError, KeyError, TypeError) as error:
            print(f"line {number} is no {{wire, body}}: {error!r}")
            return 2
        try:
            checker(body)
            good[wire] += 1
        except ValidationError as error:
            bad[wire] += 1
            complaints.append(f"line {number}, {wire}:")
            complaints.extend(explain(error))
    print(f"{'wire':<12}{'fit':>6}{'do not':>8}")
    for wire in check:
        print(f"{wire:<12}{good[wire]:>6}{bad[wire]:>8}")
    print("\n".join(complaints))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
