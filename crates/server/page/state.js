// What the parts of the page share: the session, the open conversation, and a small bus.

export const state = {
  session: { models: [], firstRun: false },
  /** The open conversation as the server told it, or null. */
  talk: null,
  running: false,
  /** Settled once the page or the conversation that the address names is shown. */
  started: null,
};

const listeners = new Map();

export function on(name, listener) {
  if (!listeners.has(name)) listeners.set(name, new Set());
  listeners.get(name).add(listener);
  return () => listeners.get(name).delete(listener);
}

export function emit(name, value) {
  for (const listener of [...(listeners.get(name) ?? [])]) listener(value);
}

/** `{conversation_id}` in every text of a value, however deep. */
export function withConversation(value, id = state.talk?.id ?? "") {
  if (typeof value === "string") return value.replaceAll("{conversation_id}", id);
  if (Array.isArray(value)) return value.map((item) => withConversation(item, id));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withConversation(item, id)]));
  }
  return value;
}

/** `light`, `dark`, or nothing: as the system has it. */
export function setTheme(theme) {
  const root = document.documentElement;
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    /* storage may be switched off */
  }
}
