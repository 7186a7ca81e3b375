"""Types for Python tools of Ghosthand, for editors and type checkers.

A `handler.py` has `async def execute(args, context)`; a file of Ghostpad's kind has a list
`TOOLS`. Both run in a worker without network, other processes, or files but a scratch folder.
A module keeps its state as long as its worker lives; what must stay belongs into `kv_store`.
"""

from typing import Any, Awaitable, Callable, Literal, TypedDict

Json = None | bool | int | float | str | list[Any] | dict[str, Any]

class ErrorType:
    VALIDATION: str
    NOT_FOUND: str
    INTERNAL: str
    MODE_RESTRICTED: str
    BUDGET_EXCEEDED: str
    CONFIRMATION_REQUIRED: str
    LOOP_DETECTED: str
    SESSION_INACTIVE: str
    TRANSIENT: str
    PERMANENT: str
    RATE_LIMIT: str
    AUTH: str
    CONFLICT: str

class IntentType:
    END_VOICE_SESSION: str
    SUPPRESS_AUDIO: str
    SUPPRESS_TRANSCRIPT: str
    SET_PENDING_MESSAGE: str

class ToolError(Exception):
    """A failure with a type that the model and the policy understand."""

    type: str
    message: str
    retryable: bool
    partial_side_effects: bool
    details: Json
    def __init__(
        self,
        type: str,
        message: str = "",
        *,
        retryable: bool = False,
        partial_side_effects: bool = False,
        details: Json = None,
    ) -> None: ...

class ServiceError(Exception):
    """A service said no: `CONFLICT`, `NOT_FOUND`, `NOT_ALLOWED`, `UNAVAILABLE`, `TOO_LARGE`, …"""

    code: str
    message: str

class ResponseChunk:
    type: Literal["assistant", "system", "context"]
    content: str
    def __init__(self, type: Literal["assistant", "system", "context"], content: str) -> None: ...

def assistant_chunk(content: str) -> ResponseChunk: ...
def system_chunk(content: str) -> ResponseChunk: ...
def context_chunk(content: str) -> ResponseChunk: ...

class ToolMetadata(TypedDict, total=False):
    conversation_id: str | None
    timestamp: str
    model_name: str | None
    tool_call_count: int

class UIHandlerResponse(TypedDict, total=False):
    success: bool
    message: str
    error: str
    clear_inputs: list[str]
    refresh_components: list[str]
    close_modal: bool

ToolSchema = dict[str, Any]
ToolDefinition = dict[str, Any]

class Context:
    """What `execute` gets beside its arguments; keys in both spellings, as attributes or items."""

    client_id: str
    tool: Any
    session: Any
    call: Any
    messaging: Any
    voice: Any
    audit: Any
    # There only if `capabilities` names them.
    kv: Any
    files: Any
    secrets: Any
    fetch: Callable[..., Awaitable[Any]]
    # What was asked before, by name: {"action": "accept" | "decline" | "cancel", "content": …}.
    answers: dict[str, Any]
    # Whom this caller can ask right now: "person", "model", "folders".
    can_ask: list[str]
    def ask(self, questions: dict[str, dict[str, Any]]) -> Json:
        """Return this instead of data, before anything changes: the handler runs again with `answers`."""
    def progress(self, fraction: float, note: str | None = None) -> Awaitable[None]: ...
    def emit(self, channel: Literal["assistant", "system", "context"], text: str) -> Awaitable[None]: ...
    def chunk(self, channel: Literal["assistant", "system", "context"], text: str) -> Awaitable[None]: ...
    def assistant(self, text: str) -> Awaitable[None]: ...
    def system(self, text: str) -> Awaitable[None]: ...
    def context(self, text: str) -> Awaitable[None]: ...

class KVStoreService:
    async def get(self, key: str, default: Any = None) -> Any: ...
    async def set(self, key: str, value: Json) -> None: ...
    async def delete(self, key: str) -> bool: ...
    async def exists(self, key: str) -> bool: ...
    async def lpush(self, key: str, *values: Json) -> int: ...
    async def rpush(self, key: str, *values: Json) -> int: ...
    async def lpop(self, key: str) -> Any: ...
    async def rpop(self, key: str) -> Any: ...
    async def llen(self, key: str) -> int: ...
    async def lrange(self, key: str, start: int = 0, end: int = -1) -> list[Any]: ...
    async def lremove_at(self, key: str, index: int) -> bool: ...
    async def keys(self, prefix: str | None = None) -> list[str]: ...

class PersonaService:
    async def get_persona_names_for_conversation(self, conversation_id: str | None = None) -> list[str]: ...
    async def list_personas(self) -> list[dict[str, Any]]: ...

class AIService:
    async def complete(self, prompt: str, system: str | None = None) -> str: ...
    async def complete_json(self, prompt: str, schema: dict[str, Any] | None = None, system: str | None = None) -> Any: ...

kv_store: KVStoreService
persona_service: PersonaService
ai_service: AIService

async def create_system_message_in_conversation(message_content: str, conversation_id: str | None = None) -> str: ...
