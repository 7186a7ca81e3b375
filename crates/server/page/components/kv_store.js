// The kv store of tools: read, write, and watch changes through the conversation's stream.

import { get, path, put, remove as requestDelete } from "../api.js";
import { guarded } from "../dom.js";
import { emit, on, state } from "../state.js";

const watchers = new Map(); // key → set of listeners

/** The values of `keys` as an object; a missing value is null. */
export async function read(...keys) {
  if (!keys.length) return {};
  const conversation = state.conversation ? path`&conversation=${state.conversation.id}` : "";
  const plain = keys.every((key) => !key.includes(","));
  const list = plain ? path`keys=${keys.join(",")}` : keys.map((key) => path`key=${key}`).join("&");
  return get(`/kv?${list}${conversation}`);
}

export const readOne = async (key) => (await read(key))?.[key] ?? null;
export async function write(key, value) {
  await put(path`/kv/${key}`, { value });
  emit("kv_changed", { key, value });
}
export const remove = (key) => requestDelete(path`/kv/${key}`);
export const removeItem = (key, index) => requestDelete(path`/kv/${key}/item/${index}`);

/** Items `start` to `stop` (from 0, both included) and the total number. */
export async function list(key, start, stop) {
  const conversation = state.conversation ? path`&conversation=${state.conversation.id}` : "";
  const answer = await get(path`/kv/${key}/list?start=${start}&stop=${stop}` + conversation);
  const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
  return { items, length: answer?.len ?? items.length };
}

/** Calls `listener({key, value, len})` at each change; returns a function that stops it. */
export function watch(key, listener) {
  if (!watchers.has(key)) watchers.set(key, new Set());
  watchers.get(key).add(listener);
  return () => watchers.get(key)?.delete(listener);
}

// Values may have changed while the stream was down.
on(
  "reconnected",
  guarded(async () => {
    const keys = [...watchers.keys()].filter((key) => watchers.get(key).size);
    for (const [key, value] of Object.entries(await read(...keys))) emit("kv_changed", { key, value });
  }),
);

on("kv_changed", (update) => {
  for (const listener of [...(watchers.get(update.key) ?? [])]) listener(update);
});
