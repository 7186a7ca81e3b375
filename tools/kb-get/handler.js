// Handler of kb_get: gives one whole document that an earlier kb_search has found.

import { ToolError, ErrorType } from '../_core/error-types.js';
import { readDocument, readImage } from '../_shared/knowledge-base.js';
import { refuse } from '../_shared/refusal.js';

export async function execute({ args, context }) {
  const refusal = refusalForUnseen(args.id, context.session.state.seenIds);
  if (refusal) return refusal;

  let document;
  try {
    document = await readDocument(context.files, args.id);
  } catch (cause) {
    return refusalForUnreadable(args.id, cause);
  }
  const { id, type, title, body, metadata } = document;
  const data = { id, type, title, body, metadata };
  const image = args.include_image_data ? await readImage(context.files, document) : null;
  if (image) data.image = image;
  return { ok: true, data };
}

/**
 * An id must come from a search of this session: models invent ids that look right, and an
 * invented id that happens to exist would be cited as if it had been found.
 */
function refusalForUnseen(id, seenIds) {
  if (seenIds === undefined) {
    return refuse(
      ErrorType.PERMANENT,
      'This host does not record which ids kb_search returned, so no id can be trusted. ' +
        'Answer from the snippets of kb_search.',
    );
  }
  if (seenIds.kb_search?.includes(id)) return null;
  return refuse(
    ErrorType.PERMANENT,
    `"${id}" was not returned by kb_search in this session. ` +
      'Call kb_search first and use an id from its results.',
  );
}

function refusalForUnreadable(id, cause) {
  if (cause.code === 'NOT_FOUND') {
    return refuse(
      ErrorType.PERMANENT,
      `"${id}" is no longer in the knowledge base. Call kb_search again.`,
    );
  }
  if (cause.code === 'MALFORMED') {
    return refuse(
      ErrorType.PERMANENT,
      `"${id}" is damaged and cannot be shown. Use its snippet or another result.`,
    );
  }
  throw new ToolError(ErrorType.TRANSIENT, `"${id}" could not be read`, {
    retryable: true,
    partialSideEffects: false,
  });
}
