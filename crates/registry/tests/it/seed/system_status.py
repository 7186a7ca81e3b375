from typing import Optional


async def status_reporter(conversation_id: Optional[str] = None) -> str:
    """
    Status reporting function for dashboard display.
    
    Args:
        conversation_id: Optional conversation context
    
    Returns:
        Status message for display
    """
    return "Status: Active"

TOOLS = [
    {
        "report_status": status_reporter,             # Required: status function
        "schema": {
            "name": "system_status",
            "description": "System status display"
        }
    }
]
