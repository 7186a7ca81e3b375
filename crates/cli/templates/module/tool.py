"""{{title}}: counts the words of a text, and remembers how many there were.

A module holds any number of tools: each is an item of TOOLS. `ghosthand show tool
{{tool_id}}` shows how the host reads this one.
"""

from services.kv_store_service import kv_store


async def {{tool_id}}(text: str, remember: bool = False) -> str:
    """Count the words of a text.

    Replace this with your own work. What you return is what the model reads; the model
    sees an exception as one sentence, you see its traceback.
    """
    words = len(text.split())
    if remember:
        total = await kv_store.get("{{tool_id}}_total", 0)
        await kv_store.set("{{tool_id}}_total", total + words)
    return f"{words} words"


async def report_status() -> str:
    """One line for the dashboard. Delete it, with its key below, if there is nothing to say."""
    total = await kv_store.get("{{tool_id}}_total", 0)
    return f"{total} words so far"


TOOLS = [
    {
        "function": {{tool_id}},
        "report_status": report_status,
        # What the host may assume; everything else has a cautious default. It can be in
        # a file `tools.toml` beside this one instead.
        "category": "action",
        "version": "1.0.0",
        "schema": {
            "name": "{{tool_id}}",
            "description": "Count the words of a text. With remember, add them to the total.",
            "parameters": {
                "type": "object",
                "properties": {
                    "text": {
                        "type": "string",
                        "description": "The text to count.",
                        "maxLength": 10000,
                    },
                    "remember": {
                        "type": "boolean",
                        "description": "Whether to add the words to the total.",
                    },
                },
                "required": ["text"],
            },
        },
    }
]
