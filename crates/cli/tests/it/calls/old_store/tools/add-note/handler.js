// Handler of add_note: keeps a note in the key-value store, and loses none to a race.

// A module of Ghosthand's own: there is no such file, and none is needed.
import { ErrorType } from '../_core/error-types.js';

// The key begins with a prefix that `capabilities.kv` in schema.json names; others are refused.
// Replace it with `add_note/${context.clientId}`, made inside `execute`, if each client should
// have a notebook of its own.
const KEY = 'add_note/notes';
const NOTES_MAX = 100;

// Replace the note with what your tool keeps; the steps stay: read, check, write, log, answer.
/** @type {import('../ghosthand').Execute} */
export async function execute({ args, context }) {
  // Read: the revision says which state of the notebook we have seen.
  const stored = await context.kv.get(KEY);
  const notes = stored?.value.notes ?? [];

  // Check: has this very call been here before, and is there room?
  const call = context.call.idempotencyKey;
  const twin = notes.find((note) => note.call === call && note.text === args.text);
  if (twin) return { ok: true, data: { id: twin.id, count: notes.length } };
  if (notes.length >= NOTES_MAX) {
    const message = `The notebook is full (${NOTES_MAX} notes). Nothing was kept; tell the user.`;
    return refuse(ErrorType.PERMANENT, message, { retryable: false });
  }

  // Write: only if the notebook is still the one we read; null means that there was none.
  const count = notes.length + 1;
  const note = { id: `note-${count}`, call, text: args.text };
  try {
    const expectedRevision = stored?.revision ?? null;
    await context.kv.set(KEY, { notes: [...notes, note] }, { expectedRevision });
  } catch (cause) {
    // Anything else is thrown on: the host answers INTERNAL, because the effect is unknown.
    if (cause.code !== 'CONFLICT') throw cause;
    const message =
      'Another call changed the notebook at the same moment. ' +
      'Nothing was kept; the same call may be made again.';
    return refuse(ErrorType.CONFLICT, message, { retryable: true });
  }

  // Log: that it happened, not what the user wrote.
  context.audit.log('note_kept', { id: note.id, count });
  return { ok: true, data: { id: note.id, count } };
}

/**
 * A failure that was foreseen is a result; its message tells the model what to do.
 * @returns {import('../ghosthand').Failure}
 */
function refuse(type, message, { retryable }) {
  return { ok: false, error: { type, message, retryable } };
}
