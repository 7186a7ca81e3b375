"""What tools may import: `from ghosthand import …`, and the same under Ghostpad's names."""

import asyncio
import json
import logging
import typing
from dataclasses import dataclass, field
from typing import (  # noqa: F401
    Any, AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Dict, Generator, Iterable,
    Iterator, List, Literal, Mapping, Optional, Sequence, Set, Tuple, Type, TypedDict, Union, cast,
)  # fmt: skip

from ghosthand_call import CURRENT, ServiceError  # noqa: F401
from ghosthand_output import level_of


class ErrorType:
    VALIDATION = "VALIDATION"
    NOT_FOUND = "NOT_FOUND"
    INTERNAL = "INTERNAL"
    MODE_RESTRICTED = "MODE_RESTRICTED"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    CONFIRMATION_REQUIRED = "CONFIRMATION_REQUIRED"
    LOOP_DETECTED = "LOOP_DETECTED"
    SESSION_INACTIVE = "SESSION_INACTIVE"
    TRANSIENT = "TRANSIENT"
    PERMANENT = "PERMANENT"
    RATE_LIMIT = "RATE_LIMIT"
    AUTH = "AUTH"
    CONFLICT = "CONFLICT"


class IntentType:
    END_VOICE_SESSION = "END_VOICE_SESSION"
    SUPPRESS_AUDIO = "SUPPRESS_AUDIO"
    SUPPRESS_TRANSCRIPT = "SUPPRESS_TRANSCRIPT"
    SET_PENDING_MESSAGE = "SET_PENDING_MESSAGE"


class ToolError(Exception):
    """A failure with a type that the model and the policy understand."""

    is_ghosthand_tool_error = True

    def __init__(self, type, message="", *, retryable=False, partial_side_effects=False,
                 details=None, partialSideEffects=False):  # fmt: skip
        super().__init__(message)
        self.type = type
        self.message = message
        self.retryable = retryable
        self.partial_side_effects = partial_side_effects or partialSideEffects
        self.details = details


class ValidationError(ValueError):
    """Ghostpad's examples catch it, and tools may raise it."""


@dataclass
class ResponseChunk:
    type: Literal["assistant", "system", "context"]
    content: str


def assistant_chunk(content: str) -> ResponseChunk:
    return ResponseChunk("assistant", content)


def system_chunk(content: str) -> ResponseChunk:
    return ResponseChunk("system", content)


def context_chunk(content: str) -> ResponseChunk:
    return ResponseChunk("context", content)


class PropertySchema(TypedDict, total=False):
    type: str
    description: str
    enum: List[Any]
    minimum: float
    maximum: float
    minLength: int
    maxLength: int
    items: Any
    default: Any


class JSONSchema(TypedDict, total=False):
    type: str
    properties: Dict[str, PropertySchema]
    required: List[str]
    additionalProperties: bool


class ToolSchema(TypedDict, total=False):
    name: str
    description: str
    parameters: JSONSchema


class ToolMetadata(TypedDict, total=False):
    conversation_id: Optional[str]
    timestamp: str
    model_name: Optional[str]
    tool_call_count: int


class UIHandlerResponse(TypedDict, total=False):
    success: bool
    message: str
    error: str
    clear_inputs: List[str]
    refresh_components: List[str]
    close_modal: bool


UIFeatureConfig = Dict[str, Any]
UIHandlerFunction = Callable[..., Any]


class ToolDefinition(TypedDict, total=False):
    function: Optional[Callable[..., Any]]
    schema: ToolSchema
    auto_tool: Optional[bool]
    one_time: Optional[bool]
    condition: Optional[Callable[..., Any]]
    report_status: Optional[Callable[..., Any]]
    cleanup_function: Optional[Callable[..., Any]]
    ui_feature: Optional[UIFeatureConfig]
    ui_handlers: Optional[Dict[str, UIHandlerFunction]]


class _ToConsole(logging.Handler):
    def emit(self, record):
        call = CURRENT.get()
        if call is not None and not call.has_ended:
            call.log(level_of(record.levelno), self.format(record))


logging.basicConfig(handlers=[_ToConsole()], level=logging.INFO, format="%(name)s: %(message)s")
logger = logging.getLogger("tool")

TYPES = {
    name: globals()[name]
    for name in (
        "ErrorType", "IntentType", "ToolError", "ValidationError", "ServiceError", "ResponseChunk",
        "assistant_chunk", "system_chunk", "context_chunk", "PropertySchema", "JSONSchema",
        "ToolSchema", "ToolMetadata", "UIHandlerResponse", "UIFeatureConfig", "UIHandlerFunction",
        "ToolDefinition", "logger",
    )
}  # fmt: skip

PRESET = {
    **TYPES,
    "asyncio": asyncio,
    "json": json,
    "dataclass": dataclass,
    "field": field,
    **{
        name: getattr(typing, name)
        for name in (
            "Any", "AsyncGenerator", "AsyncIterator", "Awaitable", "Callable", "Coroutine", "Dict",
            "Generator", "Iterable", "Iterator", "List", "Literal", "Mapping", "Optional",
            "Sequence", "Set", "Tuple", "Type", "TypedDict", "Union", "cast",
        )
    },
}  # fmt: skip


# For annotations: `from ghosthand import Context`.
IN_CONTEXT = {
    "Context", "Fields", "Kv", "Files", "Attachments", "Response", "Tool", "Session", "RunningCall", "Metadata",
    "Messaging", "Voice", "Audit", "Secrets",
}  # fmt: skip
Json = Any


def __getattr__(name):
    """Services are loaded on first use."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in IN_CONTEXT:
        import ghosthand_context

        return getattr(ghosthand_context, name)
    import ghosthand_services

    return getattr(ghosthand_services, name)
