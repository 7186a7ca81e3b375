// Values that tools keep: read, written, and watched by way of the conversation's stream.

import { get, path, put, remove } from "../api.js";
import { guarded } from "../dom.js";
import { emit, on, state } from "../state.js";

const watchers = new Map(); // key → set of listeners

/** The values of `keys` as an object; a key without a value is null. */
export async function read(...keys) {
  if (!keys.length) return {};
  const here = state.talk ? path`&conversation=${state.talk.id}` : "";
  const plain = keys.every((key) => !key.includes(","));
  const list = plain ? path`keys=${keys.join(",")}` : keys.map((key) => path`key=${key}`).join("&");
  return get(`/kv?${list}${here}`);
}

export const readOne = async (key) => (await read(key))?.[key] ?? null;
export async function write(key, value) {
  await put(path`/kv/${key}`, { value });
  emit("kv", { key, value });
}
export const drop = (key) => remove(path`/kv/${key}`);
export const dropItem = (key, index) => remove(path`/kv/${key}/item/${index}`);

/** Items `start` to `stop`, both counted from 0 and both included, and how many there are. */
export async function list(key, start, stop) {
  const here = state.talk ? path`&conversation=${state.talk.id}` : "";
  const answer = await get(path`/kv/${key}/list?start=${start}&stop=${stop}` + here);
  const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
  return { items, length: answer?.len ?? items.length };
}

/** Calls `listener({key, value, len})` at each change, until the answer is called. */
export function watch(key, listener) {
  if (!watchers.has(key)) watchers.set(key, new Set());
  watchers.get(key).add(listener);
  return () => watchers.get(key)?.delete(listener);
}

// What changed while nobody listened is read again.
on(
  "back",
  guarded(async () => {
    const keys = [...watchers.keys()].filter((key) => watchers.get(key).size);
    for (const [key, value] of Object.entries(await read(...keys))) emit("kv", { key, value });
  }),
);

on("kv", (update) => {
  for (const listener of [...(watchers.get(update.key) ?? [])]) listener(update);
});
