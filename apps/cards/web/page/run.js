// The run that is open: its cards and sentences, kept fresh while the server works on it.

import { get, path, post, put, remove } from "../api.js";
import { showError } from "../dom.js";
import { locale } from "./words.js";

export const state = { info: null, run: null, deck: [], sentences: [], live: null };

let listeners = [];
let source = null;
let reading = null;
let again = false;

/** Called with what has changed: "run", "progress" or "info". */
export const onChange = (listener) => listeners.push(listener);
const tell = (what) => listeners.forEach((listener) => listener(what));

const at = (rest = "", id = state.run.id) => path`/cards/${id}` + rest;
const spoken = () => `?locale=${locale()}`;

export async function readInfo() {
  state.info = await get(`/cards${spoken()}`);
  tell("info");
}

export async function drop(id) {
  await remove(at("", id));
  await readInfo();
}

export async function open(id) {
  close();
  await readRun(id);
}

export function close() {
  source?.close();
  source = null;
  Object.assign(state, { run: null, deck: [], sentences: [], live: null });
}

async function readRun(id) {
  const [run, deck, sentences] = await Promise.all([
    get(at(spoken(), id)),
    get(at("/deck", id)),
    get(at(`/sentences${spoken()}`, id)),
  ]);
  Object.assign(state, { run, deck, sentences });
  if (run.busy) watch(id);
  else state.live = null;
  tell("run");
}

/** Reads everything again, one reading at a time. */
export async function refresh() {
  if (!state.run) return;
  if (reading) {
    again = true;
    return reading;
  }
  reading = readRun(state.run.id).finally(() => {
    reading = null;
    if (again) {
      again = false;
      refresh().catch(showError);
    }
  });
  return reading;
}

function watch(id) {
  if (source) return;
  source = new EventSource(`/api${at("/stream", id)}`);
  source.addEventListener("progress", ({ data }) => {
    const before = state.live?.received ?? state.run.progress.received;
    state.live = JSON.parse(data);
    tell("progress");
    if (state.live.received !== before && !reading) refresh().catch(showError);
  });
  source.addEventListener("end", ({ data }) => {
    source.close();
    source = null;
    state.live = null;
    const { fault } = JSON.parse(data);
    if (fault) showError({ message: fault });
    refresh()
      .then(() => readInfo())
      .catch(showError);
  });
}

export const begin = (text) => post(`/cards${spoken()}`, text);

export async function work(order = {}) {
  await post(at("/work"), order);
  await refresh();
}

export async function retry(which = {}) {
  await post(at("/retry"), which);
  await refresh();
}

export async function skip(which = {}) {
  await post(at("/skip"), which);
  await refresh();
}

export const stop = () => post(at("/stop"));

export async function change(card, fields) {
  await put(at("/deck"), { card: card.key, ...fields });
  await refresh();
}

export async function show(cards, visible) {
  await post(at("/visible"), { cards: cards.map((card) => card.key), visible });
  await refresh();
}

export async function restore(card) {
  await post(at("/restore"), { card: card.key });
  await refresh();
}

export async function undo() {
  const { undone } = await post(at("/undo"));
  if (undone) await refresh();
  return undone;
}

/** The base form in a key: `lv:uk:word:māja`. */
export const baseOf = (key) => key.split(":").slice(3).join(":");

export async function know(card, known) {
  const word = [baseOf(card.key)];
  const words = known ? { learned: word } : { forgotten: word };
  await put("/cards/known", { language: card.language, ...words });
  await refresh();
}

export const readFile = (file) => post("/cards/read/file", file);
export const readPage = (page) => post("/cards/read/page", page);
export const importFile = (file) => post("/cards/import", file);

export const push = () => post(at("/push"));
export const exported = (kind) => `/api${at(`/export?as=${kind}&locale=${locale()}`)}`;
