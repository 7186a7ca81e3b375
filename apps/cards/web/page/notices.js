// What stands above every view: how far the work is, or what is wrong and what to do about it.

import { guarded, h } from "../dom.js";
import { icon } from "../icon.js";
import { retry, skip, state, stop, work } from "./run.js";
import { locale, t } from "./words.js";

/** The same trouble is the same element until something about it changes. */
export function notices() {
  if (!state.run) return [];
  if (state.run.busy) return [atWork(state.live ?? state.run.progress)];
  const { trouble, progress } = state.run;
  if (progress.state === "idle") return [];
  if (trouble) return [kept([trouble, progress], () => banner(trouble, acts(trouble, progress)))];
  if (!progress.waiting) return [];
  return [kept(progress.waiting, () => plain(t("unfinished", { n: progress.waiting }), [goOn()]))];
}

let last = { what: null, element: null };

function kept(what, make) {
  const said = JSON.stringify([state.run.id, locale(), what]);
  if (last.what !== said) last = { what: said, element: make() };
  return last.element;
}

const press = (label, run, kind = "outline") =>
  h("button", { type: "button", class: `${kind} sm`, onclick: once(run) }, label);

/** A button that was pressed waits for the answer. */
function once(run) {
  const work = guarded(run);
  return async ({ currentTarget }) => {
    currentTarget.disabled = true;
    await work();
    currentTarget.disabled = false;
  };
}

const goOn = () => press(t("goOn"), () => work(), "primary");

function acts({ code }, progress) {
  // Whoever set a limit says anew how far it goes.
  if (code === "MONEY_CAP") return [h("a", { class: "button", href: `#/${state.run.id}/text` }, t("goOn"))];
  if (code === "IN_DOUBT") return [press(t("sendAnew"), () => work({ again: true }), "primary")];
  if (progress.waiting) return [press(t("retry"), () => work(), "primary")];
  if (code === "HOLES" || progress.holes)
    return [press(t("retryAll"), () => retry(), "primary"), press(t("giveUp"), () => skip())];
  return [];
}

/** What is wrong, in the reader's language; the server's own words are a tooltip. */
export function banner({ code, banner: { title, text }, message }, buttons) {
  return h(
    "div",
    { class: "banner", "data-code": code, title: message },
    icon("alert"),
    h("div", { class: "grow" }, h("strong", {}, title), " ", h("span", {}, text)),
    h("div", { class: "row" }, buttons),
  );
}

const plain = (text, buttons) =>
  h("div", { class: "banner calm" }, icon("clock"), h("div", { class: "grow" }, text), h("div", { class: "row" }, buttons));

/** The hole of one sentence, with a retry in its place. */
export const hole = (sentence) =>
  banner(sentence.trouble, [
    press(t("retry"), () => retry({ sentences: [sentence.index] })),
    press(t("giveUp"), () => skip({ sentences: [sentence.index] })),
  ]);

function atWork(progress) {
  const frame = () =>
    h("div", { class: "at-work" }, h("progress", { "aria-label": t("stateBusy") }), h("span", { class: "grow" }), press(t("stop"), stop));
  const element = kept("at work", frame);
  const [bar, words] = element.children;
  const done = progress.received + progress.skipped + progress.holes;
  // A batch has no percentage: its provider tells none.
  if (progress.stage.stage.startsWith("batch")) bar.removeAttribute("value");
  else Object.assign(bar, { max: progress.sentences || 1, value: done });
  words.textContent = said(progress, done);
  return element;
}

function said(progress, done) {
  const { stage, since } = progress.stage;
  if (stage === "batch_sending") return t("batchSending");
  if (stage === "batch_reading") return t("batchReading");
  if (stage === "batch_waiting") return t("batchWaiting", { when: new Date(since).toLocaleTimeString(locale()) });
  const parts = [t("progress", { done, all: progress.sentences })];
  if (progress.holes) parts.push(t("holes", { n: progress.holes }));
  if (progress.spent?.picodollars) {
    const [spent, max] = [money(progress.spent.picodollars / 1e12), state.run.cost_max];
    parts.push(max ? t("spentOf", { spent, max: money(max) }) : spent);
  }
  if (progress.left_ms) parts.push(t("left", { time: time(progress.left_ms) }));
  return parts.join(" · ");
}

export const money = (dollars) => `$${dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2)}`;

function time(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 90 ? t("seconds", { n: seconds }) : t("minutes", { n: Math.ceil(seconds / 60) });
}
