"""Handler of {{tool_id}}: counts the words and characters of a text, and the time to read it."""

import math


# `args` has passed the schema, so nothing is checked again here; defaults are filled in.
# Replace the counting with your own work. The `data` must fit `returns`.
async def execute(args, context):
    words = count_words(args["text"])
    data = {
        "words": words,
        "characters": len(args["text"]),
        "reading_seconds": math.ceil(words * 60 / args["words_per_minute"]),
    }
    return {"ok": True, "data": data}


def count_words(text):
    """Runs between white space; one without a letter or digit, such as a dash, is not a word."""
    return sum(any(character.isalnum() for character in run) for run in text.split())
