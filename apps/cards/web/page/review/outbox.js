// Reviews on their way to the server. They stay in this browser until the server has them; each
// has an id, so that one which is sent twice counts once.

import { post } from "../../api.js";
import { showError } from "../../dom.js";
import { readStored, writeStored } from "./stored.js";

const STORE = "cards-reviews";
const AT_ONCE = 100;
/** More than a day of hard work; beyond it the oldest would fill the browser's storage. */
const KEPT_MAX = 5000;
const WAIT_FIRST = 2000;
const WAIT_MAX = 30000;

let owner = "";
/** For a browser whose storage is switched off. */
let inMemory = null;
let sending = null;
let wait = WAIT_FIRST;
let timer = null;
let reachable = true;
const listeners = new Set();

/** Calls back when the number of waiting reviews or the connection has changed. */
export function onOutbox(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
const tell = () => listeners.forEach((listener) => listener());

export const outbox = () => ({ waiting: mine().length, reachable });

/** Was this card answered, and is the answer still here? */
export const waits = ({ key, recall }) => mine().some((one) => one.card === key && one.recall === recall);

/** Whose reviews are sent: those of somebody else wait until they sign in again. */
export function sendAs(name) {
  owner = name;
  if (mine().length) send();
}

export function keep(review) {
  write([...read(), { ...review, owner }].slice(-KEPT_MAX));
  tell();
  send();
}

/** Takes back a review: one that was never sent just goes, another is undone on the server. */
export function takeBack(id) {
  const waits = read().some((one) => one.id === id && !one.undo);
  if (waits && !sending) {
    write(read().filter((one) => one.id !== id));
    tell();
  } else keep({ id, undo: true });
}

/** Sends what waits, one request at a time; what fails is tried again, ever later. */
export function send() {
  clearTimeout(timer);
  sending ??= deliver().finally(() => {
    sending = null;
    tell();
    if (mine().length) timer = setTimeout(send, wait);
  });
  return sending;
}

async function deliver() {
  while (mine().length) {
    const part = mine().slice(0, AT_ONCE);
    const reviews = part.map(({ owner: _, ...review }) => review);
    try {
      const { refused } = await post("/cards/review", { reviews });
      if (refused.length) showError({ message: refused[0].why });
      wait = WAIT_FIRST;
      reachable = true;
      const sent = new Set(part.map(name));
      write(read().filter((one) => !sent.has(name(one))));
      tell();
    } catch (fault) {
      // A server that answers has a reason; it is told once.
      if (reachable && fault.status > 0) showError(fault);
      wait = Math.min(wait * 2, WAIT_MAX);
      reachable = false;
      return;
    }
  }
}

const name = ({ id, undo }) => `${undo ? "undo" : "give"} ${id}`;
const mine = () => read().filter((one) => one.owner === owner);

const read = () => inMemory ?? readStored(STORE, []);

function write(reviews) {
  inMemory = writeStored(STORE, reviews) ? null : reviews;
}

addEventListener("online", () => mine().length && send());
