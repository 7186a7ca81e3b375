// State shared by all modules: the session, the open conversation, and an event bus.

export const state = {
  session: { models: [], firstRun: false },
  /** The open conversation as the server sent it, or null. */
  conversation: null,
  running: false,
  /** Settles once the welcome screen or the conversation in the URL is shown. */
  started: null,
  /** The call whose question gets the focus when it is drawn. */
  wantedCall: null,
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

/** Replaces `{conversation_id}` in every string of a value, at any depth. */
export function withConversation(value, id = state.conversation?.id ?? "") {
  if (typeof value === "string") return value.replaceAll("{conversation_id}", id);
  if (Array.isArray(value)) return value.map((item) => withConversation(item, id));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withConversation(item, id)]));
  }
  return value;
}

/** `light`, `dark`, or empty for the system setting. */
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

export const isDark = () =>
  document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;

export const toggleTheme = () => setTheme(isDark() ? "light" : "dark");
