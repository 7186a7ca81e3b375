async def auto_background_task() -> str:
    return "done"


TOOLS = [
    {
        "function": auto_background_task,
        "auto_tool": True,                            # Required: marks as auto-executing
        "schema": {
            "name": "background_task",
            "description": "Runs automatically on every response",
            "parameters": {"type": "object", "properties": {}, "required": []}
        }
    }
]
