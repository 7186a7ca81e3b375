// Reads the Markdown knowledge base: one document per file, `kb/<type>/<slug>.md`.

const ROOT = 'kb';
const DOCUMENT_PATH = /^kb\/([a-z_]+)\/([^/]+)\.md$/;
const SLUG = /^[a-z0-9-]+$/;
const FRONT_MATTER = /^---\n([\s\S]*?)\n---(?:\n|$)/;

/**
 * Reads every document. A file that cannot be read or does not follow the form is left out and
 * its path goes to `skipped`: one bad file must not hide the other documents.
 */
export async function readAllDocuments(files) {
  const paths = (await files.list(ROOT)).map((file) => file.path).filter(isDocumentPath).sort();
  const skipped = [];
  const documents = await Promise.all(
    paths.map(async (path) => {
      try {
        return parseDocument(path, await files.read(path));
      } catch {
        skipped.push(path);
        return null;
      }
    }),
  );
  return { documents: documents.filter(Boolean), skipped: skipped.sort() };
}

/** Reads the document with that id; throws what `files.read` throws, or a `MalformedDocument`. */
export async function readDocument(files, id) {
  const [type, slug] = id.split(':');
  const path = `${ROOT}/${type}/${slug}.md`;
  return parseDocument(path, await files.read(path));
}

/** Thrown for a file that is there but is not a document. */
export class MalformedDocument extends Error {
  constructor(path, reason) {
    super(`${path}: ${reason}`);
    this.code = 'MALFORMED';
  }
}

/** Loose notes directly under `kb/` are for people and are no documents. */
function isDocumentPath(path) {
  return DOCUMENT_PATH.test(path);
}

function parseDocument(path, text) {
  const [, type, slug] = DOCUMENT_PATH.exec(path);
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const match = FRONT_MATTER.exec(lines);
  if (!match) throw new MalformedDocument(path, 'there is no front matter between `---` lines');
  const fields = parseFields(match[1]);
  const body = lines.slice(match[0].length).trim();
  const id = `${type}:${slug}`;
  // The id is how a document is cited, so it must lead back to exactly this file.
  if (fields.id !== id || !SLUG.test(slug)) {
    throw new MalformedDocument(path, `the id must be \`${id}\`, in lower case`);
  }
  if (!fields.title) throw new MalformedDocument(path, 'there is no title');
  if (!body) throw new MalformedDocument(path, 'there is no text');
  const imagePath = imagePathOf(type, fields);
  const metadata = { tags: listOf(fields.tags) };
  if (/^\d{4}-\d\d-\d\d$/.test(fields.updated ?? '')) metadata.updated = fields.updated;
  metadata.has_image = imagePath !== null;
  return { id, type, title: fields.title, body, metadata, imagePath };
}

/** Front matter is a list of `key: value` lines; we need no more of YAML than that. */
function parseFields(text) {
  const fields = {};
  for (const line of text.split('\n')) {
    const match = /^([a-z_]+):\s*(.*?)\s*$/.exec(line);
    if (match && match[2] !== '') fields[match[1]] = match[2].replace(/^(["'])(.*)\1$/, '$2');
  }
  return fields;
}

/** `[tide, harbour]` becomes two tags. */
function listOf(value = '') {
  return value
    .replace(/^\[(.*)\]$/, '$1')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Only a plain file name is taken: an image lies beside its document and nowhere else. */
function imagePathOf(type, { image }) {
  return image !== undefined && /^[a-z0-9-]+\.svg$/.test(image) ? `${ROOT}/${type}/${image}` : null;
}

/**
 * The drawing of a document as `{ media_type, data }`, or `null` when it has none or it cannot be
 * read. Drawings are SVG, which is text, because files are handed to handlers as text.
 */
export async function readImage(files, document) {
  if (!document.imagePath) return null;
  try {
    return { media_type: 'image/svg+xml', data: await files.read(document.imagePath) };
  } catch {
    return null;
  }
}
