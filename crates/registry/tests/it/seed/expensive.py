async def expensive_operation(query: str) -> str:
    return query


TOOLS = [
    {
        "function": expensive_operation,
        "one_time": True,                             # Required: prevents multiple calls
        "schema": {
            "name": "expensive_op",
            "description": "Can only be called once per response",
            "parameters": {
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "Query to process"
                    }
                },
                "required": ["query"]
            }
        }
    }
]
