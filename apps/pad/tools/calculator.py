# tools/calculator.py
from typing import Union

async def calculate(operation: str, a: float, b: float) -> str:
    """Perform basic math calculations."""
    try:
        if operation == "add":
            result = a + b
        elif operation == "subtract":
            result = a - b
        elif operation == "multiply":
            result = a * b
        elif operation == "divide":
            if b == 0:
                return "Error: Division by zero"
            result = a / b
        else:
            return f"Error: Unknown operation '{operation}'"
        
        return f"{a} {operation} {b} = {result}"
        
    except Exception as e:
        return f"Error: {str(e)}"

TOOLS = [
    {
        "function": calculate,
        "schema": {
            "name": "calculator",
            "description": "Perform basic math calculations",
            "parameters": {
                "type": "object",
                "properties": {
                    "operation": {
                        "type": "string",
                        "description": "Math operation to perform",
                        "enum": ["add", "subtract", "multiply", "divide"]
                    },
                    "a": {
                        "type": "number",
                        "description": "First number"
                    },
                    "b": {
                        "type": "number", 
                        "description": "Second number"
                    }
                },
                "required": ["operation", "a", "b"]
            }
        }
    }
]
