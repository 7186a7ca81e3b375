// TextEncoder and TextDecoder, for UTF-8 only.

export class TextEncoder {
  get encoding() {
    return 'utf-8';
  }

  encode(text = '') {
    const bytes = [];
    for (const character of String(text)) {
      const code = character.codePointAt(0);
      // A lone surrogate cannot be encoded.
      push(bytes, code >= 0xd800 && code <= 0xdfff ? 0xfffd : code);
    }
    return Uint8Array.from(bytes);
  }
}

function push(bytes, code) {
  if (code < 0x80) bytes.push(code);
  else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
  else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
  else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
}

export class TextDecoder {
  #isFatal;
  #keepsMark;
  #rest = [];

  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    if (!/^(utf-?8|unicode-1-1-utf-8)$/i.test(String(label).trim())) {
      throw new RangeError(`only utf-8 is supported, not ${label}`);
    }
    this.#isFatal = fatal === true;
    this.#keepsMark = ignoreBOM === true;
  }

  get encoding() {
    return 'utf-8';
  }
  get fatal() {
    return this.#isFatal;
  }
  get ignoreBOM() {
    return this.#keepsMark;
  }

  decode(input = new Uint8Array(), { stream = false } = {}) {
    const view = ArrayBuffer.isView(input)
      ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
      : new Uint8Array(input);
    const bytes = this.#rest.length > 0 ? [...this.#rest, ...view] : view;
    this.#rest = [];
    let text = '';
    let at = 0;
    while (at < bytes.length) {
      const { code, length, isCut } = next(bytes, at);
      if (isCut && stream) {
        this.#rest = Array.from(bytes.slice(at));
        break;
      }
      if (code < 0) {
        if (this.#isFatal) throw new TypeError('the bytes are not valid UTF-8');
        text += '\ufffd';
      } else {
        text += String.fromCodePoint(code);
      }
      at += length;
    }
    return this.#keepsMark ? text : text.replace(/^\ufeff/, '');
  }
}

/** The character at a place; a negative code means invalid bytes. */
function next(bytes, at) {
  const first = bytes[at];
  if (first < 0x80) return { code: first, length: 1 };
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return { code: -1, length: 1 };
  let code = first & (0x7f >> size);
  for (let step = 1; step < size; step += 1) {
    const byte = bytes[at + step];
    if (byte === undefined) return { code: -1, length: step, isCut: true };
    const [low, high] = step === 1 ? secondOf(first) : [0x80, 0xbf];
    if (byte < low || byte > high) return { code: -1, length: step };
    code = (code << 6) | (byte & 63);
  }
  return { code, length: size };
}

/** Which second bytes are allowed: no overlong forms, no surrogates, nothing above U+10FFFF. */
function secondOf(first) {
  if (first === 0xe0) return [0xa0, 0xbf];
  if (first === 0xed) return [0x80, 0x9f];
  if (first === 0xf0) return [0x90, 0xbf];
  if (first === 0xf4) return [0x80, 0x8f];
  return [0x80, 0xbf];
}
