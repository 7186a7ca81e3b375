"""A form that can be spoken, and one that only the page can show."""

import json

from services.kv_store_service import kv_store


async def add(params, metadata):
    told = {name: value for name, value in params.items() if name != "conversation_id"}
    await kv_store.rpush(f"shop-told-{metadata['conversation_id']}", json.dumps(told, sort_keys=True))
    return {"success": True, "message": f"{params['item']} is on the list.", "close_modal": True}


def submit(target, **params):
    return [{"type": "tool_submit", "target": target, "params": params}]


LIST = [
    {"id": "what", "type": "text_input", "props": {"label": "What to buy", "max_length": 40}},
    {"id": "count", "type": "number_input", "props": {"label": "How many", "min": 1, "max": 20}},
    {"id": "add", "type": "button", "props": {"label": "Add"},
     "actions": submit("add", item="what", count="count", place="the corner shop")},
]
CAST = [
    {"id": "who", "type": "persona_selector", "props": {}},
    {"id": "add", "type": "button", "props": {"label": "Add"}, "actions": submit("add", item="who")},
]


def form(name, label, components):
    layout = {"type": "modal", "title": label, "components": components}
    return {"schema": {"name": name, "description": f"Shows {name}"}, "version": "1.0.0",
            "capabilities": {"kv": ["shop-"]}, "ui_handlers": {"add": add},
            "ui_feature": {"id": name, "type": "ui_v1", "label": label, "layout": layout}}


TOOLS = [form("list", "Shopping list", LIST), form("cast", "Cast", CAST)]
