// Reads and writes iCalendar text (RFC 5545): lines, properties, components; no meaning yet.

const CONTENT_LINE =
  /^([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*):(.*)$/;
const LINE_OCTETS_MAX = 75;

/**
 * Parses a whole file into a tree of `{ name, properties, children }` below a nameless root.
 * A bad line never stops the reading: it is named in `problems` and passed over.
 */
export function parseICalendar(text) {
  const root = { name: '', properties: [], children: [] };
  const problems = [];
  const open = [root];
  let isSound = true;
  for (const line of unfoldedLines(text)) {
    const property = parseContentLine(line);
    if (!property) {
      problems.push(`unreadable line "${line.slice(0, 40)}"`);
    } else if (property.name === 'BEGIN') {
      const component = { name: property.value.trim().toUpperCase(), properties: [], children: [] };
      open.at(-1).children.push(component);
      open.push(component);
    } else if (property.name === 'END') {
      const name = property.value.trim().toUpperCase();
      if (open.at(-1).name === name) open.pop();
      else isSound = false;
    } else {
      open.at(-1).properties.push(property);
    }
  }
  isSound &&= open.length === 1;
  if (!isSound) problems.push('a BEGIN and an END line do not match');
  return { root, problems, isSound };
}

function unfoldedLines(text) {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
}

function parseContentLine(line) {
  const match = CONTENT_LINE.exec(line);
  if (!match) return null;
  const params = {};
  for (const [, name, value] of match[2].matchAll(/;([A-Za-z0-9-]+)=((?:"[^"]*"|[^";])*)/g)) {
    params[name.toUpperCase()] = value.replaceAll('"', '');
  }
  return { name: match[1].toUpperCase(), params, value: match[3] };
}

/** Every component of that name, at any depth. */
export function componentsNamed(component, name) {
  return component.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...componentsNamed(child, name),
  ]);
}

export function propertyOf(component, name) {
  return component.properties.find((property) => property.name === name);
}

export function propertiesOf(component, name) {
  return component.properties.filter((property) => property.name === name);
}

/** The text of a TEXT property with its escapes undone, or `undefined`. */
export function textOf(component, name) {
  const property = propertyOf(component, name);
  return property?.value.replace(/\\([\\;,nN])/g, (_, escaped) =>
    escaped.toLowerCase() === 'n' ? '\n' : escaped,
  );
}

/** Escapes a TEXT value, so that no title can smuggle in a line of its own. */
export function escapeText(text) {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/[\u0000-\u0009\u000B-\u001F\u007F]/g, ' ')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');
}

/** Joins content lines with CRLF, each folded at 75 octets and never inside a character. */
export function printLines(lines) {
  return lines.map((line) => `${foldLine(line)}\r\n`).join('');
}

function foldLine(line) {
  let folded = '';
  let octets = 0;
  for (const character of line) {
    const size = octetsOf(character);
    if (octets + size > LINE_OCTETS_MAX) {
      folded += '\r\n ';
      octets = 1; // the space that marks a continuation counts
    }
    folded += character;
    octets += size;
  }
  return folded;
}

function octetsOf(character) {
  const code = character.codePointAt(0);
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
