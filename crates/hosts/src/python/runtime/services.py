"""Ghostpad's services, implemented as requests to the host."""

import json

from ghosthand import logger  # noqa: F401
from ghosthand_call import CURRENT, current_call


async def _ask(what, name, args):
    return await current_call(what).ask(name, args)


def _conversation():
    call = CURRENT.get()
    return call.conversation if call is not None else None


async def _kv(operation, **args):
    call = current_call("kv_store")
    if call.conversation is not None:
        args["conversationId"] = call.conversation
    return await call.ask("kv." + operation, args)


class KVStoreService:
    """Persistent values by key. Lists grow and shrink at both ends."""

    def __init__(self, *_args, **_options):
        """The host decides where values are stored."""

    async def get(self, key, default=None):
        found = await _kv("get", key=key)
        return default if found is None else found["value"]

    async def set(self, key, value):
        await _kv("set", key=key, value=value)

    async def delete(self, key):
        return await _kv("delete", key=key)

    async def exists(self, key):
        return await _kv("exists", key=key)

    async def lpush(self, key, *values):
        length = 0
        for value in reversed(values):
            length = await _kv("lpush", key=key, value=value)
        return length

    async def rpush(self, key, *values):
        length = 0
        for value in values:
            length = await _kv("rpush", key=key, value=value)
        return length

    async def lpop(self, key):
        return await _kv("lpop", key=key)

    async def rpop(self, key):
        return await _kv("rpop", key=key)

    async def llen(self, key):
        return await _kv("llen", key=key)

    async def lrange(self, key, start=0, end=-1, *, stop=None):
        return await _kv("lrange", key=key, start=start, stop=end if stop is None else stop)

    async def lremove_at(self, key, index):
        return await _kv("lremove_at", key=key, index=index)

    async def keys(self, prefix=None):
        return await _kv("keys") if prefix is None else await _kv("keys", prefix=prefix)

    async def delete_keys_containing(self, pattern):
        found = [key for key in await self.keys() if pattern in key]
        for key in found:
            await self.delete(key)
        return len(found)


class PersonaService:
    """The personas of a conversation. Tools cannot change them."""

    async def get_persona_names_for_conversation(self, conversation_id=None):
        if conversation_id is None:
            return []
        return await _ask("persona_service", "personas.names", {"conversationId": conversation_id})

    async def list_personas(self):
        return await _ask("persona_service", "personas.list", {})

    async def get_persona(self, persona_id):
        for persona in await self.list_personas():
            if persona.get("id") == persona_id:
                return persona
        raise ValueError("Persona not found")

    async def search_personas(self, query):
        query = query.lower()
        return [
            persona
            for persona in await self.list_personas()
            if query in str(persona.get("name", "")).lower()
            or query in str(persona.get("description", "")).lower()
        ]

    async def get_personas_for_conversation(self, conversation_id=None):
        names = await self.get_persona_names_for_conversation(conversation_id)
        return [persona for persona in await self.list_personas() if persona.get("name") in names]


class AIService:
    """Calls the host's model. There is no API key: the host pays, counts and limits."""

    async def complete(self, prompt, system=None, **options):
        """The model's text."""
        return text_of(await _ask("ai_service", "ai.complete", _request(prompt, system)))

    async def complete_json(self, prompt, schema=None, system=None):
        """The model's answer as a value that fits `schema`, if given."""
        request = _request(prompt, system)
        request["schema"] = schema if schema is not None else {"type": "object"}
        answer = await _ask("ai_service", "ai.complete", request)
        if isinstance(answer, dict) and "value" in answer:
            return answer["value"]
        text = answer if isinstance(answer, str) else answer.get("text") if "text" in answer else None
        return answer if text is None else json.loads(text)

    generate = complete
    generate_text = complete
    generate_json = complete_json

    async def edit_prompt(self, draft, instructions):
        prompt = f"Edit the text as instructed. Answer with only the new text.\n\nHow: {instructions}\n\nText:\n{draft}"
        return (await self.complete(prompt)).strip()

    async def get_openai_settings(self):
        return {"base_url": "", "api_key": "held-by-the-host", "model_name": "default", "streaming_enabled": True}

    async def get_sampling_settings(self):
        return {"temperature": 1.0, "top_p": 1.0, "max_tokens": 1000, "frequency_penalty": 0.0, "presence_penalty": 0.0}

    async def create_client(self):
        return OpenAI()


def _request(prompt, system):
    request = {"prompt": prompt}
    if system is not None:
        request["system"] = system
    return request


def text_of(answer):
    """The text of an answer of `ai.complete`: itself, or its field `text`."""
    if isinstance(answer, dict):
        return str(answer.get("text", answer))
    return str(answer)


async def create_system_message_in_conversation(message_content, conversation_id=None):
    """Adds a system message to a conversation; returns its id."""
    conversation_id = conversation_id if conversation_id is not None else _conversation()
    args = {"content": message_content, "conversationId": conversation_id}
    return await _ask("create_system_message_in_conversation", "messages.system", args)


async def replace_message_placeholders(content, conversation_id=None):
    """Returns the text unchanged: the host fills placeholders when it shows text."""
    return content


class OpenAIError(Exception):
    pass


class _Bag:
    def __init__(self, **fields):
        self.__dict__.update(fields)

    def model_dump(self):
        return dict(self.__dict__)


def _split(messages):
    """Combines messages into a prompt and a system text."""
    system = [m["content"] for m in messages if m.get("role") in ("system", "developer")]
    others = [m for m in messages if m.get("role") not in ("system", "developer")]
    if len(others) == 1:
        prompt = others[0]["content"]
    else:
        prompt = "\n\n".join(f"{m.get('role')}: {m.get('content')}" for m in others)
    return _request(prompt, "\n\n".join(system) or None)


def _completion(answer, model):
    message = _Bag(role="assistant", content=text_of(answer), tool_calls=None)
    choice = _Bag(index=0, message=message, finish_reason="stop")
    return _Bag(id="chatcmpl", model=model, choices=[choice], usage=None)


class _Completions:
    def create(self, *, messages, model="default", stream=False, **options):
        if stream:
            raise OpenAIError("`stream=True` is not available here; leave it out")
        answer = current_call("openai").ask_and_wait("ai.complete", _split(messages))
        return _completion(answer, model)


class _AsyncCompletions:
    async def create(self, *, messages, model="default", stream=False, **options):
        if stream:
            raise OpenAIError("`stream=True` is not available here; leave it out")
        return _completion(await current_call("openai").ask("ai.complete", _split(messages)), model)


class OpenAI:
    """The part of the `openai` package that tools use, on top of the host's model."""

    def __init__(self, **options):
        self.chat = _Bag(completions=_Completions())


class AsyncOpenAI:
    def __init__(self, **options):
        self.chat = _Bag(completions=_AsyncCompletions())


chat = _Bag(completions=_Completions())
kv_store = KVStoreService()
persona_service = PersonaService()
ai_service = AIService()
