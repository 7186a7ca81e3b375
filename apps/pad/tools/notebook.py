"""A notebook that the person and the personas of a conversation share."""

from services.kv_store_service import kv_store
from services.persona_service import persona_service

NOTES_MAX = 200
NOTE_CHARS_MAX = 500


def notes_key(conversation_id):
    return f"notebook-notes-{conversation_id}"


def count_key(conversation_id, author):
    return f"notebook-count-{conversation_id}-{author.lower().replace(' ', '-')}"


async def write(conversation_id, author, shown, text):
    """Adds a note, and counts it for its author; says what is wrong otherwise."""
    text = text.strip()
    if not text:
        return "A note needs a text."
    if len(text) > NOTE_CHARS_MAX:
        return f"A note has at most {NOTE_CHARS_MAX} characters."
    if await kv_store.llen(notes_key(conversation_id)) >= NOTES_MAX:
        return f"The notebook is full: {NOTES_MAX} notes. Delete some first."
    await kv_store.rpush(notes_key(conversation_id), f"{text} ({shown})")
    key = count_key(conversation_id, author)
    await kv_store.set(key, await kv_store.get(key, 0) + 1)
    return None


async def add_note(text: str, conversation_id=None):
    names = await persona_service.get_persona_names_for_conversation(conversation_id)
    author = names[0] if names else "Assistant"
    fault = await write(conversation_id, author, author, text)
    if fault:
        return {"added": False, "why": fault}
    return {"added": text.strip(), "notes": await kv_store.llen(notes_key(conversation_id))}


async def read_notes(conversation_id=None):
    return {"notes": await kv_store.lrange(notes_key(conversation_id), 0, -1)}


async def add_from_form(params, metadata):
    fault = await write(metadata["conversation_id"], "user", "You", params.get("text") or "")
    if fault:
        return {"success": False, "error": fault}
    return {
        "success": True,
        "message": "Noted.",
        "clear_inputs": ["note_text"],
        "refresh_components": ["notes", "authors"],
    }


async def status(conversation_id=None) -> str:
    return f"{await kv_store.llen(notes_key(conversation_id))} notes"


FORM = {
    "id": "notebook",
    "type": "ui_v1",
    "label": "Notebook",
    "icon": "NotebookPen",
    "layout": {
        "type": "modal",
        "size": "lg",
        "title": "Shared notebook",
        "components": [
            {
                "id": "notes",
                "type": "list_display",
                "data_source": {"type": "kv_store", "key": "notebook-notes-{conversation_id}"},
                "props": {
                    "height": "240px",
                    "show_clear": True,
                    "show_delete_per_item": True,
                    "placeholder": "No notes yet",
                },
            },
            {
                "id": "note_text",
                "type": "textarea_input",
                "props": {
                    "placeholder": "A new note",
                    "rows": 2,
                    "max_length": NOTE_CHARS_MAX,
                    "submit_target": "add",
                },
            },
            {
                "id": "add",
                "type": "button",
                "props": {"label": "Add", "variant": "primary", "size": "md"},
                "actions": [
                    {
                        "type": "tool_submit",
                        "trigger": "click",
                        "target": "add_from_form",
                        "params": {"text": "note_text"},
                    }
                ],
            },
            {
                "id": "authors",
                "type": "table_display",
                "data_source": {
                    "type": "persona_properties",
                    "key": "notebook-count-{conversation_id}",
                    "include_user": True,
                },
                "props": {
                    "height": "120px",
                    "show_refresh": True,
                    "placeholder": "Nobody has written yet",
                    "columns": [
                        {"key": "name", "label": "Who", "format": "text"},
                        {"key": "value", "label": "Notes written", "format": "number"},
                    ],
                },
            },
        ],
    },
}

TOOLS = [
    {
        "function": add_note,
        "report_status": status,
        "capabilities": {"kv": ["notebook-"]},
        "version": "1.0.0",
        "ui_feature": FORM,
        "ui_handlers": {"add_from_form": add_from_form},
        "schema": {
            "name": "add_note",
            "description": "Add a note to the shared notebook: note or write down what everybody may see.",
            "parameters": {
                "type": "object",
                "properties": {
                    "text": {
                        "type": "string",
                        "description": "The text of the note.",
                        "minLength": 1,
                        "maxLength": NOTE_CHARS_MAX,
                    }
                },
                "required": ["text"],
            },
        },
    },
    {
        "function": read_notes,
        "category": "retrieval",
        "capabilities": {"kv": ["notebook-"]},
        "version": "1.0.0",
        "schema": {
            "name": "read_notes",
            "description": "Read or list all notes of the shared notebook.",
        },
    },
]
