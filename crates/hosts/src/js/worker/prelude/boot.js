// Runs in every isolate; small, because every call pays for it. `boot` gets the native functions
// and returns those that the host calls; handlers can reach neither.

const { Error, Object, Promise, String, globalThis: global } = globalThis;

export function boot(host) {
  const handles = { host, ...makeCalls(host), run, fail, fire: null, abort: () => controller?.abort() };
  const { call, tell } = handles;
  // Only a handler that has used the signal needs the abort.
  let controller = null;

  async function run(module, args, data) {
    let value;
    try {
      const { execute } = await module;
      if (typeof execute !== 'function') {
        return host.refuse('the handler exports no function `execute`');
      }
      value = await execute({ args, context: makeContext(data ?? {}) });
    } catch (error) {
      return fail(error);
    }
    host.finish(value);
  }

  function fail(error) {
    let thrown;
    try {
      thrown = host.load('ghosthand:failure').describe(error);
    } catch {
      // The handler has broken the built-ins that describing the error needs.
      thrown = { message: 'the handler threw something that cannot be read' };
    }
    host.fail(thrown);
  }

  function makeContext({ capabilities = {}, voice, ...context }) {
    const isSpeaking = voice?.isActive ?? context.session?.mode === 'voice';
    const emit = (channel, text) => call('chunk', { channel, text: String(text) });
    freeze(context.session?.state);
    context.voice = { isActive: () => isSpeaking };
    context.messaging = { send: (message) => call('messaging.send', { message }) };
    context.audit = { log: (event, data = null) => tell('audit.log', { event, data }) };
    context.ask = (questions) => ({ ask: questions });
    context.progress = (fraction, note = null) => call('progress', { fraction, note });
    context.emit = emit;
    context.assistant = (text) => emit('assistant', text);
    context.system = (text) => emit('system', text);
    context.context = (text) => emit('context', text);
    if (capabilities.kv) context.kv = makeKv(call);
    if (capabilities.files) context.files = makeFiles(call);
    if (capabilities.attachments) context.attachments = makeAttachments(call);
    if (capabilities.secrets) context.secrets = { get: (name) => call('secrets.get', { name }) };
    if (capabilities.net) {
      const fetch = (url, init) => host.load('ghosthand:fetch').makeFetch(call)(url, init);
      context.fetch = fetch;
      global.fetch = fetch;
    }
    Object.defineProperty(context, 'signal', {
      enumerable: true,
      get: () => (controller ??= new global.AbortController()).signal,
    });
    return context;
  }

  return handles;
}

/** Whoever writes to a copy of the host's would change nothing, so that throws. */
function freeze(value) {
  if (typeof value !== 'object' || value === null) return;
  Object.values(value).forEach(freeze);
  Object.freeze(value);
}

/** Questions to the host, each with the promise that its answer settles. */
function makeCalls(host) {
  const open = { __proto__: null };
  let last = 0;

  function call(name, args) {
    // Created here, so that the stack contains the author's line.
    const error = new Error(name);
    return new Promise((resolve, reject) => {
      last += 1;
      host.send(last, name, args);
      open[last] = { resolve, reject, error };
    });
  }

  function settle(n, value) {
    const { resolve } = open[n];
    delete open[n];
    resolve(value);
  }

  function refuse(n, code, message) {
    const { reject, error } = open[n];
    delete open[n];
    error.message = message;
    error.code = code;
    reject(error);
  }

  const tell = (name, args) => host.send(0, name, args);
  return { call, tell, settle, refuse };
}

function makeKv(call) {
  return {
    get: (key) => call('kv.get', { key }),
    set: (key, value, options) => call('kv.set', { ...options, key, value }),
    delete: (key, options) => call('kv.delete', { ...options, key }),
    list: (prefix = '', options) => call('kv.list', { ...options, prefix }),
  };
}

function makeAttachments(call) {
  return {
    list: () => call('attachments.list', {}),
    text: async (id) => (await call('attachments.text', { id })).text,
    bytes: async (id) => {
      const binary = global.atob(await call('attachments.bytes', { id }));
      return global.Uint8Array.from(binary, (byte) => byte.charCodeAt(0));
    },
  };
}

function makeFiles(call) {
  return {
    list: (path) => call('files.list', { path }),
    read: (path) => call('files.read', { path }),
    stat: (path) => call('files.stat', { path }),
    write: (path, text, options) => call('files.write', { ...options, path, text }),
  };
}
