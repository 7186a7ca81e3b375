// The text beside its translation, sentence by sentence, and how much of each there is.

import { h } from "../dom.js";
import { hole } from "./notices.js";
import { state } from "./run.js";
import { number, t } from "./words.js";

export function translation() {
  const element = h("div", { class: "translated" });
  let last = "";
  const draw = () => {
    const now = JSON.stringify([state.run.counts, state.sentences]);
    if (now === last) return;
    last = now;
    element.replaceChildren(counts(), h("ol", { class: "pairs" }, state.sentences.map(pair)));
  };
  draw();
  return { element, update: draw };
}

function counts() {
  const { words, graphemes, sentences, phrases } = state.run.counts;
  const all = [
    [words, "countWords"],
    [graphemes, "countGraphemes"],
    [sentences, "countSentences"],
    [phrases, "countPhrases"],
  ];
  const one = ([count, label]) => h("div", {}, h("dt", {}, t(label, { n: count })), h("dd", { "data-count": label }, number(count)));
  return h("dl", { class: "counts" }, all.map(one));
}

function pair(sentence) {
  const { index, text, translation, trouble } = sentence;
  return h(
    "li",
    { "data-index": index, "aria-label": t("sentenceNumber", { n: index + 1 }) },
    h("p", { lang: state.run.from, dir: "auto" }, text),
    trouble
      ? hole(sentence)
      : h("p", { class: translation ? "" : "faint", lang: translation ? state.run.to : null, dir: "auto" }, translation ?? t("noTranslation")),
  );
}
