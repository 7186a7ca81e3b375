// Reviews: one card at a time, as it is due. Think, turn it, say how well you knew it.

import { announce, guarded, h, iconButton, showError, toast } from "../../dom.js";
import { icon } from "../../icon.js";
import { know, refresh, state } from "../run.js";
import { play, speaks } from "../speech.js";
import { locale, t } from "../words.js";
import { done } from "./done.js";
import { keepPage } from "./kept_queue.js";
import { onOutbox, outbox, send } from "./outbox.js";
import { RATINGS, session, wishes } from "./session.js";
import { settings } from "./settings.js";
import { swipe } from "./swipe.js";

const SWIPED = { left: "again", right: "good" };

export function review() {
  const stage = h("div", { class: "review-stage" });
  let now = session(state.run?.id, wishes());
  let [turned, tabbed, answered] = [false, false, false];
  /** Was the last card answered without a connection? Then there may be more. */
  let unread = false;

  const read = guarded(async () => {
    await now.load();
    unread ||= Boolean(now.state.offlineSince);
    draw();
  });

  /** Settings have changed, or the cards that were read are answered. */
  function begin() {
    now = session(state.run?.id, wishes());
    turned = false;
    draw();
    read();
  }

  function turn() {
    const card = now.card();
    if (!card || turned) return;
    turned = true;
    draw();
    announce(answer(card));
    if (card.recall !== "meaning") play(card);
    stage.querySelector("[data-rating=good]")?.focus({ preventScroll: true });
  }

  function rate(rating) {
    if (!turned || !now.card()) return;
    now.rate(rating);
    answered = true;
    next();
    // What comes back within this sitting has new intervals, and what is left may have grown.
    if (now.card()) return;
    if (outbox().reachable) send().then(read, showError);
    else unread = true;
  }

  function next() {
    turned = false;
    draw();
    const card = now.card();
    if (card) announce(question(card));
    stage.querySelector("[data-act=turn]")?.focus({ preventScroll: true });
  }

  function undo() {
    if (now.undo()) next();
    else toast(t("nothingToUndo"));
  }

  const learned = guarded(async () => {
    const card = now.card();
    await know(card, true);
    now.drop(card);
    next();
    toast(t("nowKnown", { word: card.base_form }));
  });

  function draw() {
    const card = now.card();
    const parts = [head(now), kept() ?? away(now, read)];
    if (!now.state.loaded) parts.push(h("div", { class: "empty" }, h("p", {}, t("loading"))));
    else if (card) parts.push(face(card), turned ? ratings(card) : ask(), below(card), keys());
    else parts.push(done(now, undo));
    stage.replaceChildren(...parts.filter(Boolean));
  }

  function face(card) {
    const gap = card.recall === "gap" ? card.pieces.findIndex((pieces) => pieces.some(({ marked }) => marked)) : 0;
    const shown = h(
      "section",
      { class: turned ? "face flipped" : "face", "data-key": card.key, "data-recall": card.recall, "aria-label": t(turned ? "backSide" : "front"), onclick: turn },
      h("div", { class: "face-head" }, h("span", { class: "chip" }, t(`stage_${card.learning}`)), h("span", { class: "chip" }, t(`recall_${card.recall}`))),
      ...(turned ? back(card, gap) : front(card, gap)),
    );
    swipe(shown, (side) => (turned ? t(SWIPED[side]) : t("showAnswer")), (side) => (turned ? rate(SWIPED[side]) : turn()));
    return shown;
  }

  const ask = () =>
    h("div", { class: "answer-bar" }, h("button", { type: "button", class: "primary lg", "data-act": "turn", onclick: turn }, t("showAnswer")));

  const ratings = (card) =>
    h(
      "div",
      { class: "answer-bar ratings", role: "group", "aria-label": t("howWell") },
      RATINGS.map((rating, at) =>
        h(
          "button",
          { type: "button", class: `rating ${rating}`, "data-rating": rating, onclick: () => rate(rating) },
          h("span", {}, t(rating)),
          h("span", { class: "when" }, span(card.intervals[at])),
        ),
      ),
    );

  const below = (card) =>
    h(
      "div",
      { class: "row center" },
      speaks() && (turned || card.recall === "meaning") && iconButton("play", t("listen"), () => play(card), { "data-act": "listen" }),
      h("button", { type: "button", class: "ghost sm", "data-act": "undo", disabled: !now.canUndo(), onclick: undo }, t("undoAnswer")),
      h("button", { type: "button", class: "ghost sm", "data-act": "know", onclick: learned }, t("know")),
    );

  /** Space presses a button only for those who came to it by keyboard. */
  function key(event) {
    if (event.key === "Tab") tabbed = true;
    const button = tabbed && event.target.closest("button, a, summary");
    if ((event.key === " " || event.key === "Enter") && (button || event.target.closest("summary"))) return;
    const rating = RATINGS[Number(event.key) - 1];
    const run = { " ": () => (turned ? rate("good") : turn()), Enter: () => (turned ? rate("good") : turn()), u: undo, U: undo }[event.key];
    if (!rating && !run) return;
    event.preventDefault();
    if (event.repeat) return;
    if (rating) rate(rating);
    else run();
  }

  const quiet = onOutbox(() => {
    if (unread && !outbox().waiting) {
      unread = false;
      read();
    }
    const place = stage.querySelector(".kept");
    const shown = kept();
    if (place && shown) place.replaceWith(shown);
    else if (place) place.remove();
    else if (shown) {
      stage.querySelector(".away")?.remove();
      stage.firstChild?.after(shown);
    }
  });

  const element = h("div", { class: "flash review" }, stage, settings(begin));
  element.addEventListener("pointerdown", () => (tabbed = false));
  const online = () => now.state.offlineSince && read();
  addEventListener("online", online);
  keepPage();
  draw();
  read();
  /** Other views show how well words are known. */
  function end() {
    quiet();
    removeEventListener("online", online);
    if (answered && outbox().reachable) send().then(refresh).catch(showError);
  }
  return { element, key, end };
}

/** How far today is, and how much is left. */
function head({ state: { due, fresh, today, loaded }, left }) {
  const all = today + left();
  return h(
    "div",
    { class: "review-head" },
    h("strong", { id: "today" }, t("today", { n: today })),
    h("span", { class: "faint", id: "left" }, loaded ? t("leftNow", { n: left(), due, fresh }) : ""),
    h("progress", { max: Math.max(all, 1), value: today, "aria-label": t("today", { n: today }) }),
  );
}

/** Answers that the server does not have yet; nothing is said of those that are just on their way. */
function kept() {
  const { waiting, reachable } = outbox();
  if (!waiting || reachable) return null;
  return h(
    "div",
    { class: "banner kept", role: "status" },
    icon("alert"),
    h("span", { class: "grow" }, t("keptHere", { n: waiting })),
    h("button", { type: "button", class: "outline sm", "data-act": "send", onclick: () => send() }, t("sendNow")),
  );
}

/** The cards are those that this browser has kept. */
function away({ state: { offlineSince } }, again) {
  if (!offlineSince) return null;
  const when = new Date(offlineSince).toLocaleString(locale(), { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  return h(
    "div",
    { class: "banner away", role: "status" },
    icon("alert"),
    h("span", { class: "grow" }, t("awaySince", { when })),
    h("button", { type: "button", class: "outline sm", "data-act": "again", onclick: again }, t("connectAgain")),
  );
}

const base = (card) => h("p", { class: "base", lang: card.language, dir: "auto" }, card.base_form);
const meaning = (card, kind = "meaning") => h("p", { class: kind, lang: card.target, dir: "auto" }, card.meaning);

const question = (card) => (card.recall === "word" ? card.meaning : card.recall === "gap" ? card.meaning : card.base_form);
const answer = (card) => (card.recall === "meaning" ? card.meaning : card.base_form);

function front(card, gap) {
  if (card.recall === "word") return [meaning(card, "base")];
  if (card.recall === "gap") return [sentence(card, gap, true), meaning(card, "faint")];
  return [base(card), card.contexts.length > 0 && sentence(card, 0, false)].filter(Boolean);
}

function back(card, at) {
  const context = card.contexts[at];
  const translation = context?.translation && h("p", { class: "faint", lang: card.target, dir: "auto" }, context.translation);
  return [base(card), meaning(card), context && sentence(card, at, false), translation].filter(Boolean);
}

function sentence(card, at, hidden) {
  const word = (text) => (hidden ? h("span", { class: "gap", role: "img", "aria-label": t("gapLabel") }, "…") : h("mark", {}, text));
  const pieces = (card.pieces[at] ?? []).map(({ text, marked }) => (marked ? word(text) : text));
  return h("p", { class: hidden ? "context wide" : "context", lang: card.language, dir: "auto" }, pieces);
}

/** A time as people say it. */
export function span(seconds) {
  if (seconds < 60) return t("seconds", { n: seconds });
  if (seconds < 3600) return t("minutes", { n: Math.round(seconds / 60) });
  if (seconds < 86400) return t("hours", { n: Math.round(seconds / 3600) });
  const days = Math.round(seconds / 86400);
  return days < 60 ? t("days", { n: days }) : t("months", { n: Math.round(days / 30) });
}

const keys = () =>
  h(
    "div",
    { class: "hotkeys faint", role: "group", "aria-label": t("keys") },
    [["␣", "showAnswer"], ["1–4", "howWell"], ["u", "undoAnswer"]].map(([name, label]) => [h("kbd", {}, name), ` ${t(label)} `]),
  );
