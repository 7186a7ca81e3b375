// The cards of the last reviews, kept in this browser for the next ones without a connection.

import { readStored, writeStored } from "./stored.js";

const STORE = "cards-queues";
/** The runs whose cards are kept; the newest stay. */
const KEPT_MAX = 5;

/** Keeps the files of the page, so that it opens without a connection. Only safe origins can. */
export function keepPage() {
  const worker = new URL("../offline.js", import.meta.url);
  navigator.serviceWorker?.register(worker, { scope: "/cards" }).catch(() => {
    /* private windows have none */
  });
}

/** `kept` is { owner, day, run, cards, state }; an empty `id` is for all texts together. */
export function keepQueue(id, kept) {
  const others = read().filter((one) => one.id !== id && one.owner === kept.owner);
  write([{ ...kept, id, at: Date.now() }, ...others].slice(0, KEPT_MAX));
}

export const keptQueue = (id) => read().find((one) => one.id === id);

/** Whoever is signed out leaves nothing to read. */
export const forgetQueues = () => write([]);

const read = () => readStored(STORE, []);
const write = (queues) => writeStored(STORE, queues);
