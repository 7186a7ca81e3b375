// Handler of kb_search: ranks the documents of the knowledge base for a query.

import { ToolError, ErrorType } from '../_core/error-types.js';
import { readAllDocuments, readImage } from '../_shared/knowledge-base.js';
import { rank, termsOf } from '../_shared/ranking.js';
import { refuse } from '../_shared/refusal.js';
import { snippetOf } from '../_shared/snippet.js';

const VOICE_RESULTS_MAX = 3; // nobody listens to a longer list
const SNIPPET_CHARACTERS_MAX = 200;

export async function execute({ args, context }) {
  let library;
  try {
    library = await readAllDocuments(context.files);
  } catch (cause) {
    if (cause.code === 'NOT_FOUND') {
      return refuse(ErrorType.PERMANENT, 'There is no knowledge base here; answer without it.');
    }
    throw new ToolError(ErrorType.TRANSIENT, 'The knowledge base could not be listed', {
      retryable: true,
      partialSideEffects: false,
    });
  }

  const { hits, rarity } = rank(library.documents, termsOf(args.query));
  const type = args.filters?.type;
  const found = hits.filter(({ document }) => type === undefined || document.type === type);
  const limit = limitFor(context.session.mode, args.top_k);
  const results = await Promise.all(
    found.slice(0, limit).map((hit) => resultOf(hit, rarity, args, context.files)),
  );

  const data = {
    results,
    total_found: found.length,
    filters_applied: type === undefined ? {} : { type },
    clamped: limit < args.top_k,
  };
  // A gap in the library is said, not hidden: the answer may be in what could not be read.
  if (library.skipped.length > 0) Object.assign(data, { degraded: true, skipped: library.skipped });
  return { ok: true, data };
}

function limitFor(mode, requested) {
  return mode === 'voice' ? Math.min(requested, VOICE_RESULTS_MAX) : requested;
}

async function resultOf({ document, score }, rarity, args, files) {
  const { id, type, title, body, metadata } = document;
  const result = { id, type, title };
  if (args.include_snippets) result.snippet = snippetOf(body, rarity, SNIPPET_CHARACTERS_MAX);
  Object.assign(result, { score: Math.round(score * 1000) / 1000, metadata });
  const image = args.include_image_data ? await readImage(files, document) : null;
  if (image) result.image = image;
  return result;
}
