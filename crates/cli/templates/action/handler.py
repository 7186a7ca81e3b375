"""Handler of {{tool_id}}: keeps a note in the key-value store, and loses none to a race."""

# The key begins with a prefix that `capabilities.kv` in schema.json names; others are refused.
# Replace it with f"{{tool_id}}/{context.client_id}", made inside `execute`, if each client should
# have its own notebook.
KEY = "{{tool_id}}/notes"
NOTES_MAX = 100


# Replace the note with what your tool keeps; the steps stay: read, check, write, log, answer.
async def execute(args, context):
    # Read: the revision says which state of the notebook we have seen.
    stored = await context.kv.get(KEY)
    notes = stored["value"]["notes"] if stored else []

    # Check: has this very call been here before, and is there room?
    call = context.call.idempotency_key
    for twin in notes:
        if twin["call"] == call and twin["text"] == args["text"]:
            return {"ok": True, "data": {"id": twin["id"], "count": len(notes)}}
    if len(notes) >= NOTES_MAX:
        message = f"The notebook is full ({NOTES_MAX} notes). Nothing was kept; tell the user."
        return refuse("PERMANENT", message, retryable=False)

    # Write: only if the notebook is still the one we read; None means that there was none.
    count = len(notes) + 1
    note = {"id": f"note-{count}", "call": call, "text": args["text"]}
    expected_revision = stored["revision"] if stored else None
    try:
        await context.kv.set(KEY, {"notes": [*notes, note]}, expected_revision=expected_revision)
    except Exception as cause:
        # Anything else is raised on: the host answers INTERNAL, because the effect is unknown.
        if getattr(cause, "code", None) != "CONFLICT":
            raise
        message = (
            "Another call changed the notebook at the same moment. "
            "Nothing was kept; the same call may be made again."
        )
        return refuse("CONFLICT", message, retryable=True)

    # Log: that it happened, not what the user wrote.
    context.audit.log("note_kept", {"id": note["id"], "count": count})
    return {"ok": True, "data": {"id": note["id"], "count": count}}


def refuse(error_type, message, *, retryable):
    """A failure that was foreseen is a result; its message tells the model what to do."""
    return {"ok": False, "error": {"type": error_type, "message": message, "retryable": retryable}}
