// One sitting of reviews: which card is next, what was answered, and how it is taken back.

import { get } from "../../api.js";
import { state as page } from "../run.js";
import { forgetQueues, keepQueue, keptQueue } from "./kept_queue.js";
import { keep, outbox, send, sendAs, takeBack, waits } from "./outbox.js";
import { readStored, writeStored } from "./stored.js";

/** A card that comes back within this many seconds is asked for again in the same sitting. */
const SAME_SITTING = 20 * 60;

export const RATINGS = ["again", "hard", "good", "easy"];

const midnight = () => new Date().setHours(0, 0, 0, 0);

/** The reviews of one run, or of all without one. */
export function session(run, wishes) {
  let cards = [];
  let done = [];
  let owner = "";
  /** `offlineSince` is when the cards were read, if they are those that this browser has kept. */
  const state = { due: 0, fresh: 0, later: 0, nextAt: null, today: 0, loaded: false, offlineSince: null };

  const read = () => {
    const query = new URLSearchParams({ day: midnight(), new: wishes.fresh, recall: wishes.recall.join(","), order: wishes.order });
    if (run) query.set("run", run);
    return get(`/cards/review?${query}`);
  };

  async function load() {
    let queue;
    try {
      queue = await read();
    } catch (fault) {
      if (fault.status === 401) forgetQueues();
      if (fault.status || !bringBack()) throw fault;
      return;
    }
    owner = queue.owner;
    sendAs(owner);
    // Answers of a time without a connection change what is left.
    if (outbox().waiting) {
      await send();
      if (!outbox().waiting) queue = await read();
    }
    cards = queue.cards.filter((card) => !waits(card));
    Object.assign(state, { due: queue.due, fresh: queue.new, later: queue.new_later, nextAt: queue.next_at, today: queue.today, loaded: true, offlineSince: null });
    store();
  }

  /** The cards as this browser has kept them; false if it has none. */
  function bringBack() {
    const kept = keptQueue(run ?? "");
    if (!kept) return false;
    ({ owner, cards } = kept);
    sendAs(owner);
    Object.assign(state, kept.state, { loaded: true, offlineSince: kept.at });
    if (kept.day !== midnight()) state.today = 0;
    return true;
  }

  function store() {
    if (owner) keepQueue(run ?? "", { owner, day: midnight(), run: page.run, cards, state: { ...state, offlineSince: null } });
  }

  /** Rates the card at the head; its answer counts from now on, wherever the server is. */
  function rate(rating) {
    const card = cards.shift();
    const review = { id: crypto.randomUUID?.() ?? fallbackId(), card: card.key, recall: card.recall, rating, at: Date.now() };
    const interval = card.intervals[RATINGS.indexOf(rating)];
    const soon = interval < SAME_SITTING;
    if (soon) cards.push({ ...card, learning: card.learning === "new" ? "learning" : card.learning });
    done.push({ review, card, comes: soon ? null : review.at + interval * 1000 });
    state.today += 1;
    keep(review);
    store();
  }

  /** The newest answer never happened; its card is back. False if there is none. */
  function undo() {
    const last = done.pop();
    if (!last) return false;
    takeBack(last.review.id);
    const again = cards.findLastIndex((card) => same(card, last.card));
    if (again >= 0) cards.splice(again, 1);
    cards.unshift(last.card);
    state.today -= 1;
    store();
    return true;
  }

  /** Leaves out a card that somebody knows or hides. */
  function drop(card) {
    cards = cards.filter((one) => one.key !== card.key);
    store();
  }

  return {
    load,
    rate,
    undo,
    drop,
    card: () => cards[0],
    left: () => cards.length,
    canUndo: () => done.length > 0,
    /** When the next card comes, those of this sitting included; null if none is known. */
    nextAt: () => [state.nextAt, ...done.map(({ comes }) => comes)].filter(Boolean).reduce((one, other) => (one && one < other ? one : other), null),
    state,
  };
}

const same = (one, other) => one.key === other.key && one.recall === other.recall;

/** Pages without encryption have no `randomUUID`. */
const fallbackId = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16).padStart(8, "0")).join("");

const STORE = "cards-review-wishes";
const USUAL = { fresh: 20, recall: ["meaning"], order: "text" };

/** How this person wants to review. */
export const wishes = () => ({ ...USUAL, ...readStored(STORE, {}) });
export const wish = (now) => writeStored(STORE, now);
