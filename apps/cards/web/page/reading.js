// The text as it was, with words and phrases of cards marked; a tooltip says what they mean.

import { h } from "../dom.js";
import { hole } from "./notices.js";
import { state } from "./run.js";
import { hideTip, hideTipSoon, showTip, showTipSoon } from "./tip.js";
import { t } from "./words.js";

export function reading() {
  const element = h("div", { class: "reader" });
  let last = "";

  /** Drawn only if something of it has changed: whoever reads keeps their place. */
  function draw() {
    const now = JSON.stringify(state.sentences);
    if (now === last) return;
    last = now;
    hideTip();
    element.replaceChildren(legend(), h("div", { class: "prose-text", lang: state.run.from, dir: "auto" }, state.sentences.map((one, index) => sentence(one, state.sentences[index - 1]))));
  }

  element.addEventListener("scroll", hideTip, true);
  draw();
  return { element, update: draw, end: hideTip };
}

const legend = () =>
  h(
    "div",
    { class: "legend", role: "group", "aria-label": t("legend") },
    h("span", { class: "w word w-new" }, t("wordNew")),
    h("span", { class: "w word w-learning" }, t("wordLearning")),
    h("span", { class: "w word w-known" }, t("wordKnown")),
    h("span", { class: "w phrase w-new" }, t("phrase")),
    h("span", { class: "missing" }, t("hole")),
  );

/** A hole is a block of its own; the gap behind it would be a second one. */
function sentence(one, before) {
  const gap = before?.trouble ? one.gap.trim() : one.gap;
  if (one.trouble)
    return [gap, h("span", { class: "missing", "data-index": one.index }, one.text), h("span", { class: "in-place" }, hole(one))];
  const pieces = one.segments.map(({ text, mark }) => (mark ? marked(text, mark) : text));
  return [gap, h("span", { class: one.state === "received" ? "sentence" : "sentence waits", "data-index": one.index }, pieces)];
}

function marked(text, mark) {
  const fill = () => told(mark);
  const span = h("span", { class: `w ${mark.unit} w-${mark.familiarity}`, tabindex: "0", "data-key": mark.key }, text);
  span.addEventListener("mouseenter", () => showTipSoon(span, fill));
  span.addEventListener("mouseleave", hideTipSoon);
  span.addEventListener("focus", () => showTip(span, fill));
  span.addEventListener("blur", hideTip);
  span.addEventListener("click", () => showTip(span, fill));
  return span;
}

/** What this form means here, and the card it belongs to. */
function told({ translation, base_form: base, meaning, unit }) {
  const lines = [h("strong", {}, translation || meaning)];
  lines.push(h("span", { class: "faint" }, meaning ? `${base} – ${meaning}` : base));
  if (unit === "phrase") lines.push(h("span", { class: "chip" }, t("phrase")));
  return lines;
}
