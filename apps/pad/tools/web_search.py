"""Searches the pages of `_index/pages.json` and tells as it goes; nothing leaves the machine."""

import json
import re
from pathlib import Path
from typing import AsyncGenerator

from utils.tool_utils import assistant_chunk, context_chunk, system_chunk

INDEX = Path(__file__).parent / "_index" / "pages.json"
FOUND_MAX = 3
TITLE_POINTS = 3
TEXT_POINTS = 1


async def web_search(query: str) -> AsyncGenerator[ResponseChunk, None]:
    """Show each step to the person, and give what was found to the model alone."""
    yield assistant_chunk(f"Searching for: {query}...\n")

    pages = json.loads(INDEX.read_text(encoding="utf-8"))
    yield system_chunk(f"🔍 Looking through {len(pages)} pages\n")

    found = best(pages, query)
    for page in found:
        yield assistant_chunk(f"- {page['title']}\n")
    yield context_chunk(told(query, found))

    yield assistant_chunk("Search complete!\n" if found else "Nothing was found.\n")


def best(pages, query):
    wanted = words(query)
    scored = [(points(page, wanted), page) for page in pages]
    scored = [(score, page) for score, page in scored if score > 0]
    scored.sort(key=lambda pair: -pair[0])
    return [page for _, page in scored[:FOUND_MAX]]


def points(page, wanted):
    in_title = len(wanted & words(page["title"]))
    in_text = len(wanted & words(page["text"]))
    return TITLE_POINTS * in_title + TEXT_POINTS * in_text


def words(text):
    """The words that tell something, with a plural counted as its singular."""
    found = re.findall(r"\w+", text.lower())
    return {word.removesuffix("s") for word in found if len(word) > 2} - {"the", "and", "for", "how"}


def told(query, found):
    if not found:
        return f"Search results for '{query}': none. Say so; do not make anything up."
    lines = [f"{page['title']} ({page['address']}): {page['text']}" for page in found]
    return f"Search results for '{query}':\n" + "\n".join(lines)


TOOLS = [
    {
        "function": web_search,
        "category": "retrieval",
        "version": "1.0.0",
        "schema": {
            "name": "web_search",
            "description": "Perform web search with real-time progress updates",
            "parameters": {
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "Search query to process",
                        "minLength": 1,
                        "maxLength": 200,
                    }
                },
                "required": ["query"],
            },
        },
    }
]
