"""Types for Python tools of Ghosthand, for editors and type checkers.

A `handler.py` has `async def execute(args, context: Context)`; a file in Ghostpad's style has a
list `TOOLS`. Both run in a worker that has no other processes and no files but a scratch folder,
and reaches the network through `context.fetch`, urllib, requests or httpx, as far as `net` allows.
A module keeps its state as long as its worker lives; store what must persist in `kv_store`.
"""

import logging
from typing import Any, Coroutine, Iterable, List, Literal, Mapping, TypedDict

Json = None | bool | int | float | str | List[Any] | dict[str, Any]

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
    """A service refused: `CONFLICT`, `NOT_FOUND`, `NOT_ALLOWED`, `UNAVAILABLE`, `TOO_LARGE`, …"""

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

class Fields(dict[str, Any]):
    """A dict whose keys are attributes too, as `client_id` and as `clientId`."""

    def __getattr__(self, name: str) -> Any: ...

class Tool(Fields):
    id: str
    version: str
    idempotent: bool

class Session(Fields):
    is_active: bool
    mode: Literal["text", "voice"]
    tools_version: str
    # Read-only: writing raises a TypeError.
    state: Mapping[str, Any]

class RunningCall(Fields):
    id: str
    # The same for every attempt of the same call.
    idempotency_key: str
    # This run may ask, but must not change anything.
    may_only_ask: bool

class Metadata(Fields):
    conversation_id: str
    model_name: str | None
    tool_call_count: int

class Messaging:
    def send(self, message: Json) -> Coroutine[Any, Any, None]: ...

class Voice:
    def is_active(self) -> bool: ...

class Audit:
    def log(self, event: str, data: Json = None) -> None:
        """Recorded in order, without waiting. Never include what the user wrote."""

class Secrets:
    def get(self, name: str) -> Coroutine[Any, Any, str]: ...

class Kv:
    """Values by key, as {"value": …, "revision": …}, or None if there is none.

    With `expected_revision` (None: must not exist), a lost race is a `CONFLICT`.
    """

    def get(self, key: str) -> Coroutine[Any, Any, dict[str, Any] | None]: ...
    def set(
        self, key: str, value: Json, *, expected_revision: int | None = ..., ttl_ms: float = ...
    ) -> Coroutine[Any, Any, dict[str, Any]]: ...
    def delete(self, key: str, *, expected_revision: int = ...) -> Coroutine[Any, Any, bool]: ...
    def list(self, prefix: str = "") -> Coroutine[Any, Any, List[dict[str, Any]]]:
        """[{"key": …, "value": …, "revision": …}], sorted by key."""

class Files:
    """Text files below the folders that `capabilities.files` names."""

    def list(self, path: str) -> Coroutine[Any, Any, List[dict[str, Any]]]: ...
    def read(self, path: str) -> Coroutine[Any, Any, str]: ...
    def stat(self, path: str) -> Coroutine[Any, Any, dict[str, Any] | None]: ...
    def write(
        self, path: str, text: str, *, expected_revision: str | None = ...
    ) -> Coroutine[Any, Any, dict[str, Any]]: ...

class Attachments:
    """The files that the person attached in this conversation."""

    def list(self) -> Coroutine[Any, Any, List[dict[str, Any]]]:
        """[{"id": …, "name": …, "mediaType": …, "bytes": …, "hasText": …}]"""
    async def text(self, id: str) -> str: ...
    async def bytes(self, id: str) -> bytes: ...

class Response:
    status: int
    status_text: str
    url: str
    redirected: bool
    # Names are lowercase.
    headers: dict[str, str]
    @property
    def ok(self) -> bool: ...
    async def text(self) -> str: ...
    async def json(self) -> Any: ...
    async def bytes(self) -> bytes: ...

class Context(Fields):
    """What `execute` gets besides its arguments; keys in both spellings, as attributes or items."""

    client_id: str
    tool: Tool
    session: Session
    call: RunningCall
    metadata: Metadata
    messaging: Messaging
    voice: Voice
    audit: Audit
    # Only if `capabilities` names them.
    kv: Kv
    files: Files
    attachments: Attachments
    secrets: Secrets
    # Earlier answers by name: {"action": "accept" | "decline" | "cancel", "content": …}.
    answers: Mapping[str, Any]
    # Whom this caller can ask: "person", "model", "folders".
    can_ask: list[str]
    def fetch(
        self,
        url: str,
        init: Mapping[str, Any] | None = None,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | Iterable[tuple[str, str]] = ...,
        body: str | bytes | None = None,
        json: Json = ...,
        redirect: Literal["follow", "manual", "error"] = "follow",
    ) -> Coroutine[Any, Any, Response]: ...
    def ask(self, questions: dict[str, dict[str, Any]]) -> Any:
        """Return this instead of data, before anything changes: the handler runs again with `answers`."""
    def progress(self, fraction: float, note: str | None = None) -> Coroutine[Any, Any, None]: ...
    def emit(self, channel: Literal["assistant", "system", "context"], text: str) -> Coroutine[Any, Any, None]: ...
    def chunk(self, channel: Literal["assistant", "system", "context"], text: str) -> Coroutine[Any, Any, None]: ...
    def assistant(self, text: str) -> Coroutine[Any, Any, None]: ...
    def system(self, text: str) -> Coroutine[Any, Any, None]: ...
    def context(self, text: str) -> Coroutine[Any, Any, None]: ...

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

# Writes to the log of the host, as `print` does.
logger: logging.Logger
