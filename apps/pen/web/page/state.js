// What the page knows: the overview, the draft that is open, and the work on it.

import { get, path, post, put, remove as erase } from "../api.js";
import { showError } from "../dom.js";
import { lang } from "./words.js";

/** `removed` is the draft that was just deleted; it can be brought back. */
export const state = { info: null, refusal: null, draft: null, live: null, quiet: false, removed: null };

/** Drafts of one idea begin within this time. */
const TOGETHER_MS = 120_000;

const listeners = [];
let source = null;
/** Ends the waiting for the work on a draft that is left. */
let settle = null;

/** Called with what has changed: "info", "draft" or "live". */
export const onChange = (listener) => listeners.push(listener);
const tell = (what) => listeners.forEach((listener) => listener(what));

const spoken = () => `?lang=${lang()}`;
const at = (rest = "", id = state.draft.id) => path`/pen/drafts/${id}` + rest;

export async function readInfo() {
  try {
    state.info = await get(`/pen${spoken()}`);
    state.refusal = null;
  } catch (fault) {
    state.info = null;
    state.refusal = fault;
  }
  tell("info");
}

export async function openDraft(id) {
  closeDraft();
  state.draft = await get(at(spoken(), id));
  if (state.draft.busy) watch(id);
}

export function closeDraft() {
  source?.close();
  source = null;
  settle?.();
  settle = null;
  Object.assign(state, { draft: null, live: null });
}

/** Drafts of the same idea, this one too, in the order of the platforms. */
export function siblings() {
  const { request, profile, begun } = state.draft;
  const together = (one) => Math.abs(new Date(one.begun) - new Date(begun)) < TOGETHER_MS;
  const same = (one) => one.request === request && one.profile === profile && together(one);
  const all = (state.info?.drafts ?? []).filter(same);
  const order = (state.info?.platforms ?? []).map(({ name }) => name);
  const place = ({ platform }) => order.indexOf(platform);
  return all.sort((one, other) => place(one) - place(other) || one.begun.localeCompare(other.begun));
}

export async function begin(idea) {
  const { drafts } = await post(`/pen/drafts${spoken()}`, idea);
  await readInfo();
  return drafts.map(({ id }) => id);
}

/** Follows the work on the draft until its end; resolves then. */
function watch(id) {
  source?.close();
  const stream = new EventSource(`/api${at(`/stream${spoken()}`, id)}`);
  source = stream;
  state.live ??= { busy: true, partial: "", shown: [] };
  tell("live");
  return new Promise((done) => {
    settle = done;
    stream.addEventListener("error", () => {
      // A stream that broke off comes back by itself; one that was refused does not.
      if (stream.readyState !== EventSource.CLOSED || source !== stream) return;
      source = null;
      state.live = null;
      tell("draft");
      done();
    });
    stream.addEventListener("progress", ({ data }) => {
      state.live = JSON.parse(data);
      tell("live");
    });
    stream.addEventListener("end", ({ data }) => {
      stream.close();
      if (source !== stream) return done();
      source = null;
      state.live = null;
      state.draft = JSON.parse(data).draft ?? state.draft;
      tell("draft");
      readInfo().then(done);
    });
  });
}

/** One piece of work after the other: what was typed is stored before something is said of it. */
function work(send) {
  const { id } = state.draft;
  const run = async () => {
    if (state.draft?.id !== id) return;
    await send();
    await watch(id);
  };
  const done = tail.then(run);
  tail = done.catch(() => {});
  return done;
}

let tail = Promise.resolve();

export const write = () => work(() => post(at(`/write${spoken()}`)));
export const say = (line, text) => work(() => post(at(`/say${spoken()}`), { line, text }));

/** Stores what was typed, without a word about it. */
export async function edit(text) {
  state.quiet = true;
  try {
    await work(() => put(at(`/text${spoken()}`), { text }));
  } finally {
    state.quiet = false;
  }
}

export const stop = () => post(at("/stop")).catch(showError);

export async function plan(id, day) {
  await put(at("/plan", id), { day: day || null });
  if (state.draft?.id === id) state.draft.planned = day || null;
  await readInfo();
}

/** Deletes a draft; the list offers to bring it back. */
export async function remove({ id, topic }) {
  await erase(at("", id));
  kept.set(`text-${id}`, null);
  state.removed = { id, topic };
  await readInfo();
}

export async function bringBack() {
  const { id } = state.removed;
  await post(at("/restore", id));
  state.removed = null;
  await readInfo();
  return id;
}

export const check = (text, draft) => post(`/pen/check${spoken()}`, { text, draft });
export const prompt = async (remark) => (await post(at(`/prompt${spoken()}`), { remark })).text;
export const readProfile = (name) => get(path`/pen/profiles/${name}` + spoken());
export const makeProfile = (posts) => post(`/pen/profiles${spoken()}`, { posts });
export const readPosts = (search) => get(`/pen/posts${spoken()}&search=${encodeURIComponent(search)}`);
export const readPost = (file) => get(path`/pen/posts/${file}`);

/** Runs work when nothing came for a moment; `now` runs it at once. */
export function onceQuiet(work, pause = 250) {
  let timer = 0;
  const run = () => {
    clearTimeout(timer);
    work().catch(showError);
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(run, pause);
  };
  return Object.assign(soon, { now: run });
}

/** Small things that a reload must not lose. */
export const kept = {
  get(name) {
    try {
      return JSON.parse(localStorage.getItem(`pen-${name}`));
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      if (value === null) localStorage.removeItem(`pen-${name}`);
      else localStorage.setItem(`pen-${name}`, JSON.stringify(value));
    } catch {
      /* storage may be switched off */
    }
  },
};
