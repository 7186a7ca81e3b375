"""One timer per conversation. It rings in the status, which the model reads before each answer."""

from datetime import datetime, timedelta, timezone

from services.kv_store_service import kv_store

MINUTES_MAX = 24 * 60


def ends_key(conversation_id):
    return f"timer-ends-{conversation_id}"


def label_key(conversation_id):
    return f"timer-label-{conversation_id}"


def shown_key(conversation_id):
    return f"timer-shown-{conversation_id}"


async def is_set(conversation_id=None) -> bool:
    return await kv_store.exists(ends_key(conversation_id))


async def set_timer(minutes: float, label: str = "Timer", conversation_id=None):
    ends = datetime.now(timezone.utc) + timedelta(minutes=minutes)
    clock = ends.strftime("%H:%M:%S UTC")
    await kv_store.set(ends_key(conversation_id), ends.timestamp())
    await kv_store.set(label_key(conversation_id), label)
    await kv_store.set(shown_key(conversation_id), f"{label} until {clock}")
    return {"label": label, "minutes": minutes, "ends": clock}


async def check_timer(conversation_id=None) -> str:
    return await status(conversation_id)


async def stop_timer(conversation_id=None) -> str:
    for key in (ends_key, label_key, shown_key):
        await kv_store.delete(key(conversation_id))
    return "The timer is off."


async def status(conversation_id=None) -> str:
    ends = await kv_store.get(ends_key(conversation_id))
    if ends is None:
        return "no timer is set"
    label = await kv_store.get(label_key(conversation_id), "Timer")
    left = round(ends - datetime.now(timezone.utc).timestamp())
    if left > 0:
        return f"{label}: {left // 60} min {left % 60} s left"
    return f"{label}: time is up, since {-left // 60} min; tell the person"


TOOLS = [
    {
        "function": set_timer,
        "allowed_modes": ["text", "voice"],
        "report_status": status,
        "capabilities": {"kv": ["timer-"]},
        "version": "1.0.0",
        "ui_feature": {
            "id": "timer",
            "type": "widget",
            "label": "Timer",
            "icon": "Timer",
            "kv_key": "timer-shown-{conversation_id}",
            "widget_config": {
                "type": "text",
                "format_options": {"text": {"max_length": 40, "truncate": True, "color": "yellow"}},
            },
        },
        "schema": {
            "name": "set_timer",
            "description": "Set a timer for some minutes. A new timer takes the place of the old one.",
            "parameters": {
                "type": "object",
                "properties": {
                    "minutes": {
                        "type": "number",
                        "description": "How many minutes until it rings.",
                        "exclusiveMinimum": 0,
                        "maximum": MINUTES_MAX,
                    },
                    "label": {
                        "type": "string",
                        "description": "What the timer is for, such as tea.",
                        "maxLength": 30,
                    },
                },
                "required": ["minutes"],
            },
        },
    },
    {
        "function": check_timer,
        "allowed_modes": ["text", "voice"],
        "condition": is_set,
        "side_effects": "read_only",
        "capabilities": {"kv": ["timer-"]},
        "version": "1.0.0",
        "schema": {"name": "check_timer", "description": "Check how much time is left on the timer."},
    },
    {
        "function": stop_timer,
        "allowed_modes": ["text", "voice"],
        "condition": is_set,
        "idempotent": True,
        "capabilities": {"kv": ["timer-"]},
        "version": "1.0.0",
        "schema": {"name": "stop_timer", "description": "Stop or cancel the timer that is running."},
    },
]
