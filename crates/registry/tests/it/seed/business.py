async def business_operation() -> str:
    return "done"


async def business_hours_check() -> bool:
    """Only available during business hours (9 AM - 5 PM)."""
    from datetime import datetime
    hour = datetime.now().hour
    return 9 <= hour <= 17

TOOLS = [
    {
        "function": business_operation,
        "condition": business_hours_check,            # Required: availability function
        "schema": {
            "name": "business_op",
            "description": "Only available during business hours",
            "parameters": {"type": "object", "properties": {}, "required": []}
        }
    }
]
