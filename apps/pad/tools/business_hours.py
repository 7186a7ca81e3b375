"""A desk that answers in business hours, and whose line is hung up after each answer."""

from services.kv_store_service import kv_store


async def business_operation(question: str, conversation_id=None) -> str:
    """Put a question to the desk. The line stays open until the answer is complete."""
    await kv_store.set(f"desk-line-{conversation_id}", "open")
    asked = await kv_store.get(f"desk-asked-{conversation_id}", 0) + 1
    await kv_store.set(f"desk-asked-{conversation_id}", asked)
    return f"The desk has written down question {asked}: {question}"


async def business_hours_check() -> bool:
    """Only available during business hours (9 AM - 5 PM)."""
    from datetime import datetime
    hour = datetime.now().hour
    return 9 <= hour <= 17


async def hang_up(conversation_id=None) -> None:
    """Runs once after every answer, whether or not the desk was asked."""
    await kv_store.delete(f"desk-line-{conversation_id}")


TOOLS = [
    {
        "function": business_operation,
        "condition": business_hours_check,            # Required: availability function
        "cleanup_function": hang_up,
        "capabilities": {"kv": ["desk-"]},
        "version": "1.0.0",
        "schema": {
            "name": "business_op",
            "description": "Ask the office desk a question. Only available during business hours",
            "parameters": {
                "type": "object",
                "properties": {
                    "question": {
                        "type": "string",
                        "description": "What the desk should know or do",
                        "minLength": 1,
                        "maxLength": 500,
                    }
                },
                "required": ["question"],
            },
        },
    }
]
