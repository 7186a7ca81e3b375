"""Handler of {{tool_id}}: looks up a term in a small glossary."""

import re

# Replace the glossary with your own source. To read files, the network or the key-value store,
# name them under `capabilities` in schema.json, set `sideEffects` to "read_only", and reach them
# through `context`.
GLOSSARY = [
    {
        "id": "term:capability",
        "title": "Capability",
        "text": "Something a handler may reach beyond its arguments, such as a host or a folder.",
    },
    {
        "id": "term:contract",
        "title": "Contract",
        "text": "What a tool promises: its arguments, its effects and its limits.",
    },
    {
        "id": "term:handler",
        "title": "Handler",
        "text": "The code that runs when a tool is called.",
    },
    {
        "id": "term:latency-budget",
        "title": "Latency Budget",
        "text": "How long a call should take; a slower one is noted, not stopped.",
    },
    {
        "id": "term:registry",
        "title": "Registry",
        "text": "All the tools that have passed the checks.",
    },
    {
        "id": "term:tool",
        "title": "Tool",
        "text": "A directory with a contract, two documents and a handler.",
    },
]

TITLE_POINTS = 3
TEXT_POINTS = 1


# `args` has passed the schema: the query is there, and `limit` has its default if none was given.
async def execute(args, context):
    wanted = words_of(args["query"])
    scored = [{**entry, "score": score_of(entry, wanted)} for entry in GLOSSARY]
    matches = [match for match in scored if match["score"] > 0]
    matches.sort(key=lambda match: -match["score"])  # stable: equal scores keep their order
    return {"ok": True, "data": {"matches": matches[: args["limit"]]}}


def score_of(entry, wanted):
    in_title = wanted & words_of(entry["title"])
    only_in_text = (wanted & words_of(entry["text"])) - in_title
    return TITLE_POINTS * len(in_title) + TEXT_POINTS * len(only_in_text)


def words_of(text):
    """The different words of a text, in lower case and without punctuation."""
    return set(re.findall(r"[^\W_]+", text.lower()))
