// The events that signals need, AbortController and AbortSignal.

export class Event {
  #type;
  constructor(type) {
    this.#type = String(type);
    this.target = null;
    this.defaultPrevented = false;
  }
  get type() {
    return this.#type;
  }
  preventDefault() {
    this.defaultPrevented = true;
  }
}

export class EventTarget {
  #listeners = [];

  addEventListener(type, listener, options = {}) {
    if (listener === null || listener === undefined) return;
    const isKnown = this.#listeners.some((one) => one.type === type && one.listener === listener);
    const once = typeof options === 'object' && options.once === true;
    if (!isKnown) this.#listeners.push({ type, listener, once });
  }

  removeEventListener(type, listener) {
    this.#listeners = this.#listeners.filter(
      (one) => one.type !== type || one.listener !== listener,
    );
  }

  dispatchEvent(event) {
    event.target = this;
    for (const { type, listener, once } of [...this.#listeners]) {
      if (type !== event.type) continue;
      if (once) this.removeEventListener(type, listener);
      if (typeof listener === 'function') listener.call(this, event);
      else listener.handleEvent(event);
    }
    return !event.defaultPrevented;
  }
}

const MAKE = Symbol('only a controller makes signals');

export class AbortSignal extends EventTarget {
  #reason;
  #isAborted = false;
  onabort = null;

  constructor(key) {
    super();
    if (key !== MAKE) throw new TypeError('use AbortController, AbortSignal.abort or .timeout');
  }

  get aborted() {
    return this.#isAborted;
  }
  get reason() {
    return this.#reason;
  }
  throwIfAborted() {
    if (this.#isAborted) throw this.#reason;
  }

  static abort(reason) {
    const signal = new AbortSignal(MAKE);
    signal.#fire(reason);
    return signal;
  }

  static timeout(delay) {
    const signal = new AbortSignal(MAKE);
    setTimeout(() => signal.#fire(named('TimeoutError', 'the time is up')), delay);
    return signal;
  }

  static any(signals) {
    const any = new AbortSignal(MAKE);
    for (const signal of signals) {
      if (signal.aborted) any.#fire(signal.reason);
      else signal.addEventListener('abort', () => any.#fire(signal.reason), { once: true });
    }
    return any;
  }

  static fire(signal, key, reason) {
    if (key === MAKE) signal.#fire(reason);
  }

  #fire(reason = named('AbortError', 'the call was cancelled')) {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    const event = new Event('abort');
    if (typeof this.onabort === 'function') this.onabort(event);
    this.dispatchEvent(event);
  }
}

const { fire } = AbortSignal;
delete AbortSignal.fire;

export class AbortController {
  #signal = new AbortSignal(MAKE);
  get signal() {
    return this.#signal;
  }
  abort(reason) {
    fire(this.#signal, MAKE, reason);
  }
}

function named(name, message) {
  return Object.assign(new Error(message), { name });
}
