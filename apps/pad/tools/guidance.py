"""A word from the director: it steers the next answer and is then used up.

A model that could write its own guidance could talk itself out of its rules. So a call of
`set_guidance` waits for a person's yes, whoever makes it; a person uses the form and is not
asked again.
"""

from services.kv_store_service import kv_store
from utils.tool_utils import context_chunk

CHARS_MAX = 500


def waiting_key(conversation_id):
    return f"guidance-waiting-{conversation_id}"


def used_key(conversation_id):
    return f"guidance-used-{conversation_id}"


async def is_waiting(conversation_id=None) -> bool:
    return bool(await kv_store.get(waiting_key(conversation_id)))


async def set_guidance(text: str, conversation_id=None) -> str:
    await kv_store.set(waiting_key(conversation_id), text)
    return "The next answer will follow it."


async def set_from_form(params, metadata):
    text = (params.get("text") or "").strip()
    if not text:
        return {"success": False, "error": "Say how the next answer should be."}
    if len(text) > CHARS_MAX:
        return {"success": False, "error": f"At most {CHARS_MAX} characters, please."}
    await kv_store.set(waiting_key(metadata["conversation_id"]), text)
    return {"success": True, "message": "The next answer will follow it.", "close_modal": True}


async def follow_guidance(conversation_id=None):
    """Gives the guidance to this answer. It is gone only when the answer is complete."""
    await kv_store.set(used_key(conversation_id), True)
    text = await kv_store.get(waiting_key(conversation_id))
    yield context_chunk(f"A person asks for this in your next answer: {text}")


async def forget_what_was_used(conversation_id=None) -> None:
    if await kv_store.get(used_key(conversation_id)):
        await kv_store.delete(waiting_key(conversation_id))
        await kv_store.delete(used_key(conversation_id))


async def status(conversation_id=None) -> str:
    return "waits for the next answer" if await is_waiting(conversation_id) else "none"


TOOLS = [
    {
        "function": set_guidance,
        "requires_confirmation": True,
        "report_status": status,
        "capabilities": {"kv": ["guidance-"]},
        "version": "1.0.0",
        "ui_feature": {
            "id": "guidance",
            "type": "ui_v1",
            "label": "Guidance",
            "icon": "Compass",
            "layout": {
                "type": "modal",
                "size": "sm",
                "title": "Guide the next answer",
                "components": [
                    {
                        "id": "guidance_text",
                        "type": "textarea_input",
                        "data_source": {"type": "kv_store", "key": "guidance-waiting-{conversation_id}"},
                        "props": {
                            "placeholder": "In the voice of an old sailor",
                            "rows": 3,
                            "max_length": CHARS_MAX,
                            "submit_target": "guide",
                        },
                    },
                    {
                        "id": "guide",
                        "type": "button",
                        "props": {"label": "Guide", "variant": "primary", "size": "md"},
                        "actions": [
                            {
                                "type": "tool_submit",
                                "trigger": "click",
                                "target": "set_from_form",
                                "params": {"text": "guidance_text"},
                            }
                        ],
                    },
                ],
            },
        },
        "ui_handlers": {"set_from_form": set_from_form},
        "schema": {
            "name": "set_guidance",
            "description": "Set guidance for how the next answer should be. A person must agree first.",
            "parameters": {
                "type": "object",
                "properties": {
                    "text": {
                        "type": "string",
                        "description": "How the next answer should be.",
                        "minLength": 1,
                        "maxLength": CHARS_MAX,
                    }
                },
                "required": ["text"],
            },
        },
    },
    {
        "function": follow_guidance,
        "auto_tool": True,
        "condition": is_waiting,
        "cleanup_function": forget_what_was_used,
        "capabilities": {"kv": ["guidance-"]},
        "version": "1.0.0",
        "schema": {
            "name": "follow_guidance",
            "description": "Gives you a person's guidance for this answer.",
        },
    },
]
