"""The mood of the one who answers: shown to people, and told to the model."""

from services.kv_store_service import kv_store

MOODS = ["calm", "cheerful", "curious", "grumpy", "sleepy", "excited", "sad"]


async def set_mood(mood: str, conversation_id=None) -> str:
    await kv_store.set(f"mood-{conversation_id}", mood)
    return f"The mood is now {mood}."


async def status(conversation_id=None) -> str:
    return await kv_store.get(f"mood-{conversation_id}", "calm")


TOOLS = [
    {
        "function": set_mood,
        "report_status": status,
        "idempotent": True,
        "capabilities": {"kv": ["mood-"]},
        "version": "1.0.0",
        "ui_feature": {
            "id": "mood",
            "type": "widget",
            "label": "Mood",
            "icon": "Smile",
            "kv_key": "mood-{conversation_id}",
            "widget_config": {
                "type": "text",
                "format_options": {"text": {"max_length": 20, "truncate": True, "color": "purple"}},
            },
        },
        "schema": {
            "name": "set_mood",
            "description": "Change your mood: you feel different, or are told to be cheerful, sad or calm.",
            "parameters": {
                "type": "object",
                "properties": {
                    "mood": {"type": "string", "description": "How you feel now.", "enum": MOODS}
                },
                "required": ["mood"],
            },
        },
    }
]
