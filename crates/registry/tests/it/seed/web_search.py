# tools/web_search.py
from utils.tool_utils import assistant_chunk, system_chunk, context_chunk
from typing import AsyncGenerator
import asyncio

async def web_search(query: str) -> AsyncGenerator[ResponseChunk, None]:
    """
    Perform web search with real-time progress and context updates.
    
    Args:
        query: Search query to process
    
    Yields:
        ResponseChunk: Progress updates and search results
    """
    yield assistant_chunk(f"Searching for: {query}...\n")

    # Simulate search steps
    yield system_chunk("🔍 Connecting to search API\n")
    await asyncio.sleep(0.5)
    
    yield assistant_chunk("Connected! Performing search...\n")
    await asyncio.sleep(1.0)  # Simulate API call
    
    # Provide context that the AI can reference in the same response
    search_results = f"Search results for '{query}': Found 3 relevant articles about web development best practices."
    yield context_chunk(search_results)
    
    yield assistant_chunk("Search complete! I now have the latest information to answer your question.\n")

TOOLS = [
    {
        "function": web_search,
        "schema": {
            "name": "web_search",
            "description": "Perform web search with real-time progress updates",
            "parameters": {
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "Search query to process"
                    }
                },
                "required": ["query"]
            }
        }
    }
]
