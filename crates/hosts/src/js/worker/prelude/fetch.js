// fetch, Headers and Response. The host makes, checks and limits the request; this only encodes
// it and decodes the answer.

export class Headers {
  #entries = new Map();

  constructor(init = []) {
    const pairs = init instanceof Headers || Array.isArray(init) ? [...init] : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }

  append(name, value) {
    const key = keyOf(name);
    const before = this.#entries.get(key);
    this.#entries.set(key, before === undefined ? valueOf(value) : `${before}, ${valueOf(value)}`);
  }
  set(name, value) {
    this.#entries.set(keyOf(name), valueOf(value));
  }
  get(name) {
    return this.#entries.get(keyOf(name)) ?? null;
  }
  has(name) {
    return this.#entries.has(keyOf(name));
  }
  delete(name) {
    this.#entries.delete(keyOf(name));
  }
  forEach(visit, self) {
    for (const [name, value] of this) visit.call(self, value, name, this);
  }
  *entries() {
    yield* [...this.#entries].sort(([left], [right]) => (left < right ? -1 : 1));
  }
  *keys() {
    for (const [name] of this) yield name;
  }
  *values() {
    for (const [, value] of this) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
}

function keyOf(name) {
  const key = String(name).toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) throw new TypeError(`"${name}" is not a valid header name`);
  return key;
}

function valueOf(value) {
  const text = String(value).trim();
  if (/[\0\r\n]/.test(text)) throw new TypeError('a header value is one line');
  return text;
}

export class Response {
  #bytes;
  #isUsed = false;

  constructor(body = null, { status = 200, statusText = '', headers = [], url = '', redirected = false } = {}) {
    this.#bytes = bytesOf(body);
    Object.assign(this, { status, statusText, url, redirected, headers: new Headers(headers) });
  }

  get ok() {
    return this.status >= 200 && this.status <= 299;
  }
  get bodyUsed() {
    return this.#isUsed;
  }
  async arrayBuffer() {
    if (this.#isUsed) throw new TypeError('the body has been read already');
    this.#isUsed = true;
    return this.#bytes.buffer;
  }
  async bytes() {
    return new Uint8Array(await this.arrayBuffer());
  }
  async text() {
    return new TextDecoder().decode(await this.arrayBuffer());
  }
  async json() {
    return JSON.parse(await this.text());
  }
}

function bytesOf(body) {
  if (body === null || body === undefined) return new Uint8Array();
  if (body instanceof ArrayBuffer) return new Uint8Array(body.slice(0));
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer.slice(body.byteOffset, body.byteOffset + body.byteLength));
  }
  return new TextEncoder().encode(String(body));
}

export function makeFetch(call) {
  return async function fetch(resource, init = {}) {
    const { signal } = init;
    signal?.throwIfAborted();
    const answer = call('fetch', requestOf(resource, init));
    return responseOf(await (signal ? raced(answer, signal) : answer));
  };
}

function requestOf(resource, { method = 'GET', headers = {}, body = null, redirect = 'follow' }) {
  const named = new Headers(headers);
  const request = { url: String(resource), method: String(method).toUpperCase(), redirect };
  if (body !== null && body !== undefined) {
    if (body instanceof URLSearchParams && !named.has('content-type')) {
      named.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
    }
    const isBinary = body instanceof ArrayBuffer || ArrayBuffer.isView(body);
    if (isBinary) request.bodyBase64 = toBase64(bytesOf(body));
    else request.body = String(body);
  }
  return { ...request, headers: [...named] };
}

/** The host answers with `body` as text, or with `bodyBase64` where it is none. */
function responseOf({ body, bodyBase64, ...rest }) {
  return new Response(bodyBase64 === undefined ? (body ?? null) : fromBase64(bodyBase64), rest);
}

function raced(answer, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    answer.then(resolve, reject);
  });
}

function toBase64(bytes) {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
