"""Dice as players write them: 2d6, d20, 3d8+2."""

import random
import re

from services.kv_store_service import kv_store

NOTATION = r"^([1-9][0-9]?)?d([2-9]|[1-9][0-9]{1,2}|1000)([+-][0-9]{1,3})?$"


async def roll_dice(dice: str = "2d6", conversation_id=None):
    """Roll, and leave the total in the widget."""
    count, sides, extra = re.match(NOTATION, dice).groups()
    rolls = [random.randint(1, int(sides)) for _ in range(int(count or 1))]
    total = sum(rolls) + int(extra or 0)
    await kv_store.set(f"dice-last-{conversation_id}", f"{dice}: {total}")
    return {"dice": dice, "rolls": rolls, "total": total}


TOOLS = [
    {
        "function": roll_dice,
        "allowed_modes": ["text", "voice"],
        "capabilities": {"kv": ["dice-"]},
        "version": "1.0.0",
        "ui_feature": {
            "id": "dice_last",
            "type": "widget",
            "label": "Dice",
            "icon": "Dices",
            "kv_key": "dice-last-{conversation_id}",
            "widget_config": {
                "type": "text",
                "format_options": {"text": {"max_length": 20, "truncate": True, "color": "blue"}},
            },
        },
        "schema": {
            "name": "roll_dice",
            "description": "Roll dice and add them up, such as 2d6, d20 or 3d8+2.",
            "parameters": {
                "type": "object",
                "properties": {
                    "dice": {
                        "type": "string",
                        "description": "How many dice of how many sides, and what to add, such as 2d6+1.",
                        "pattern": NOTATION,
                        "default": "2d6",
                    }
                },
            },
        },
    }
]
