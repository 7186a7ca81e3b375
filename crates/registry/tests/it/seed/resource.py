async def resource_intensive_tool() -> str:
    return "done"


async def cleanup_handler() -> None:
    """
    Cleanup function called after response completion.
    
    Returns:
        None
    """
    # Perform cleanup operations
    print("Cleaning up resources...")
    # Close connections, clear temporary data, etc.

TOOLS = [
    {
        "function": resource_intensive_tool,
        "cleanup_function": cleanup_handler,          # Required: cleanup function
        "schema": {
            "name": "resource_tool",
            "description": "Tool that requires cleanup"
        }
    }
]
