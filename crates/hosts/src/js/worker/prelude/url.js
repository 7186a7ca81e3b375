// URL and URLSearchParams: http, https, ws, wss, ftp and file as the URL standard specifies, other
// schemes as opaque text. Host names are lowercased but not converted: non-ASCII hosts are
// refused and must be written in xn-- form.

const PORTS = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };

export class URL {
  #parts;
  #params;

  constructor(input, base) {
    const text = String(input).replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
    const parts = parse(text, base === undefined ? null : new URL(base).#parts);
    if (parts === null) throw new TypeError(`"${input}" is not a URL`);
    this.#parts = parts;
  }

  static canParse(input, base) {
    try {
      new URL(input, base);
      return true;
    } catch {
      return false;
    }
  }

  static parse(input, base) {
    return URL.canParse(input, base) ? new URL(input, base) : null;
  }

  get href() {
    const { protocol, username, password, host, path, query, hash } = this.#parts;
    const login = username || password ? `${username}${password ? `:${password}` : ''}@` : '';
    return `${protocol}${host === null ? '' : `//${login}${this.host}`}${path}${query}${hash}`;
  }
  get origin() {
    const { protocol } = this.#parts;
    return PORTS[protocol] ? `${protocol}//${this.host}` : 'null';
  }
  get protocol() {
    return this.#parts.protocol;
  }
  get username() {
    return this.#parts.username;
  }
  get password() {
    return this.#parts.password;
  }
  get host() {
    const { host, port } = this.#parts;
    return port ? `${host}:${port}` : (host ?? '');
  }
  get hostname() {
    return this.#parts.host ?? '';
  }
  get port() {
    return this.#parts.port;
  }
  get pathname() {
    return this.#parts.path;
  }
  get search() {
    return this.#parts.query.length > 1 ? this.#parts.query : '';
  }
  get hash() {
    return this.#parts.hash.length > 1 ? this.#parts.hash : '';
  }
  get searchParams() {
    this.#params ??= linked(new URLSearchParams(this.search), (text) => {
      this.#parts.query = text ? `?${text}` : '';
    });
    return this.#params;
  }

  set href(value) {
    this.#parts = new URL(value).#parts;
    this.#params = undefined;
  }
  set hash(value) {
    const text = String(value).replace(/^#/, '');
    this.#parts.hash = text ? `#${escape(text, FRAGMENT)}` : '';
  }
  set search(value) {
    const text = String(value).replace(/^\?/, '');
    this.#parts.query = text ? `?${escape(text, QUERY)}` : '';
    this.#params = undefined;
  }
  set pathname(value) {
    if (this.#parts.host !== null) this.#parts.path = pathOf(String(value), this.#parts.protocol);
  }
  set port(value) {
    const port = portOf(String(value), this.#parts.protocol);
    if (port !== null && this.#parts.host) this.#parts.port = port;
  }
  set hostname(value) {
    const host = hostOf(String(value), this.#parts.protocol);
    if (host !== null && this.#parts.host !== null) this.#parts.host = host;
  }
  set host(value) {
    const [, name, port] = /^(.*?)(?::(\d*))?$/.exec(String(value));
    this.hostname = name;
    if (port !== undefined) this.port = port;
  }
  set protocol(value) {
    const protocol = `${String(value).replace(/:.*$/, '').toLowerCase()}:`;
    const isSpecial = (name) => PORTS[name] !== undefined;
    if (isSpecial(protocol) === isSpecial(this.#parts.protocol)) this.#parts.protocol = protocol;
  }
  set username(value) {
    if (this.#parts.host) this.#parts.username = escape(String(value), LOGIN);
  }
  set password(value) {
    if (this.#parts.host) this.#parts.password = escape(String(value), LOGIN);
  }

  toString() {
    return this.href;
  }
  toJSON() {
    return this.href;
  }
}

function parse(text, base) {
  const [, rest, hash = ''] = /^([^#]*)(#.*)?$/s.exec(text);
  const [, front, query = ''] = /^([^?]*)(\?.*)?$/s.exec(rest);
  const tail = { query: query && `?${escape(query.slice(1), QUERY)}`, hash: hash && `#${escape(hash.slice(1), FRAGMENT)}` };
  const scheme = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(front);
  if (scheme) return withScheme(`${scheme[1].toLowerCase()}:`, scheme[2], tail);
  if (base === null || (base.host === null && front !== '')) return null;
  const slashed = PORTS[base.protocol] === undefined ? front : front.replaceAll('\\', '/');
  if (slashed.startsWith('//')) return withScheme(base.protocol, slashed, tail);
  if (slashed === '') return { ...base, query: query ? tail.query : base.query, hash: tail.hash };
  const folder = base.path.replace(/[^/]*$/, '');
  const path = slashed.startsWith('/') ? slashed : `${folder}${slashed}`;
  return { ...base, path: pathOf(path, base.protocol), ...tail };
}

function withScheme(protocol, rest, tail) {
  const empty = { protocol, username: '', password: '', host: null, port: '' };
  const isSpecial = PORTS[protocol] !== undefined;
  const body = isSpecial ? rest.replaceAll('\\', '/') : rest;
  if (!isSpecial && !body.startsWith('//')) return { ...empty, path: escape(body, FRAGMENT), ...tail };
  const [, authority, path] = /^\/*([^/]*)(.*)$/s.exec(protocol === 'file:' ? body.replace(/^\/\/(?!\/)/, '') : body);
  if (protocol === 'file:') {
    const whole = body.startsWith('//') ? body.slice(2).replace(/^[^/]*/, '') : body;
    return { ...empty, host: '', path: pathOf(whole, protocol), ...tail };
  }
  const [, login, address] = /^(?:(.*)@)?([^@]*)$/s.exec(authority);
  const [, name, port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(address) ?? [];
  const host = name === undefined ? null : hostOf(name, protocol);
  const number = portOf(port, protocol);
  if (host === null || number === null || (isSpecial && host === '')) return null;
  const [, username = '', password = ''] = /^([^:]*):?(.*)$/s.exec(login ?? '');
  return {
    ...empty,
    username: escape(username, LOGIN),
    password: escape(password, LOGIN),
    host,
    port: number,
    path: pathOf(path, protocol),
    ...tail,
  };
}

function hostOf(name, protocol) {
  if (PORTS[protocol] === undefined) return /[\s<>^|\\]/.test(name) ? null : name;
  if (name.startsWith('[')) return /^\[[0-9a-f:.]+\]$/i.test(name) ? name.toLowerCase() : null;
  let host;
  try {
    host = decodeURIComponent(name).toLowerCase();
  } catch {
    return null;
  }
  if (/[^a-z0-9._~!$&'()*+,;=-]/.test(host)) return null;
  return /(^|\.)(0x[0-9a-f]*|[0-9]+)\.?$/.test(host) ? ipv4Of(host) : host;
}

/** Numbers of an address in the many forms in which they may be written, as four bytes. */
function ipv4Of(host) {
  const labels = host.replace(/\.$/, '').split('.');
  const numbers = labels.map((label) => {
    if (/^0x[0-9a-f]*$/.test(label)) return parseInt(label.slice(2) || '0', 16);
    if (/^0[0-7]+$/.test(label)) return parseInt(label, 8);
    return /^(0|[1-9][0-9]*)$/.test(label) ? Number(label) : NaN;
  });
  const last = numbers.pop();
  if (labels.length > 4 || numbers.some((number) => !(number <= 255))) return null;
  if (!(last < 256 ** (4 - numbers.length))) return null;
  let value = last;
  numbers.forEach((number, index) => {
    value += number * 256 ** (3 - index);
  });
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

function portOf(text, protocol) {
  if (!/^[0-9]*$/.test(text) || Number(text) > 65_535) return null;
  const port = text && String(Number(text));
  return port === PORTS[protocol] ? '' : port;
}

function pathOf(text, protocol) {
  const isSpecial = PORTS[protocol] !== undefined;
  const steps = (isSpecial ? text.replaceAll('\\', '/') : text).split('/');
  if (steps[0] === '') steps.shift();
  const kept = [];
  steps.forEach((step, index) => {
    const isLast = index === steps.length - 1;
    const plain = step.replace(/%2e/gi, '.');
    if (plain === '..') kept.pop();
    else if (plain !== '.') kept.push(escape(step, PATH));
    if (isLast && (plain === '.' || plain === '..')) kept.push('');
  });
  return text === '' && !isSpecial ? '' : `/${kept.join('/')}`;
}

const FRAGMENT = /[\0-\x20"<>`\x7f-\u{10ffff}]/gu;
const QUERY = /[\0-\x20"#<>'\x7f-\u{10ffff}]/gu;
const PATH = /[\0-\x20"#<>?`{}^\x7f-\u{10ffff}]/gu;
const LOGIN = /[\0-\x20"#<>?`{}/:;=@[\\\]^|\x7f-\u{10ffff}]/gu;

function escape(text, unsafe) {
  return text.toWellFormed().replace(unsafe, (character) => {
    const code = character.codePointAt(0);
    if (code > 0x7f) return encodeURIComponent(character);
    return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

/** Parameters that tell the address they belong to when they change. */
function linked(params, changed) {
  ON_CHANGE.set(params, changed);
  return params;
}

const ON_CHANGE = new WeakMap();

export class URLSearchParams {
  #pairs = [];

  constructor(init = '') {
    if (typeof init === 'object' && init !== null) {
      const pairs = init[Symbol.iterator] ? [...init] : Object.entries(init);
      this.#pairs = pairs.map(([name, value]) => [String(name), String(value)]);
      return;
    }
    for (const part of String(init).replace(/^\?/, '').split('&')) {
      if (part === '') continue;
      const [, name, value = ''] = /^([^=]*)(?:=(.*))?$/s.exec(part);
      this.#pairs.push([fromForm(name), fromForm(value)]);
    }
  }

  get size() {
    return this.#pairs.length;
  }
  append(name, value) {
    this.#pairs.push([String(name), String(value)]);
    this.#changed();
  }
  delete(name, value) {
    this.#pairs = this.#pairs.filter(
      ([key, held]) => key !== String(name) || (value !== undefined && held !== String(value)),
    );
    this.#changed();
  }
  get(name) {
    return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null;
  }
  getAll(name) {
    return this.#pairs.filter(([key]) => key === String(name)).map(([, value]) => value);
  }
  has(name, value) {
    return this.#pairs.some(
      ([key, held]) => key === String(name) && (value === undefined || held === String(value)),
    );
  }
  set(name, value) {
    const at = this.#pairs.findIndex(([key]) => key === String(name));
    if (at === -1) return this.append(name, value);
    this.#pairs = this.#pairs.filter(([key], index) => key !== String(name) || index === at);
    this.#pairs[at] = [String(name), String(value)];
    return this.#changed();
  }
  sort() {
    this.#pairs.sort(([left], [right]) => (left < right ? -1 : Number(left > right)));
    this.#changed();
  }
  forEach(visit, self) {
    for (const [name, value] of this) visit.call(self, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#pairs) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#pairs) yield name;
  }
  *values() {
    for (const [, value] of this.#pairs) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return this.#pairs.map(([name, value]) => `${toForm(name)}=${toForm(value)}`).join('&');
  }
  #changed() {
    ON_CHANGE.get(this)?.(this.toString());
  }
}

function fromForm(text) {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    // A stray percent sign is kept, as on the web.
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
      const bytes = run.slice(1).split('%').map((hex) => parseInt(hex, 16));
      return new TextDecoder().decode(Uint8Array.from(bytes));
    });
  }
}

function toForm(text) {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}
