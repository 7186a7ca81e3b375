// An open question of the session: an opening, a change of the profile, Notion. Nothing changes without a yes.

import { guarded, h } from "../dom.js";
import { icon } from "../icon.js";
import { lines } from "./changes.js";
import { say } from "./state.js";
import { lang, t } from "./words.js";

export function question(one) {
  const answers = one.ask === "hook" ? hooks(one) : decision(one);
  return h("section", { class: "card question", "aria-labelledby": "question-text", "data-ask": one.ask }, h("h3", {}, icon("sparkles"), h("span", { id: "question-text" }, t(`ask-${one.ask}`))), answers);
}

const answer = (words) => guarded(() => say(words));
const yes = () => (lang() === "uk" ? "так" : "yes");
const no = () => (lang() === "uk" ? "ні" : "no");

function hooks({ hooks: all }) {
  const pick = (text, index) => h("li", {}, h("button", { type: "button", class: "outline hook", onclick: answer(String(index + 1)) }, text));
  return [h("ol", { class: "hooks" }, all.map(pick)), h("button", { type: "button", class: "ghost sm", onclick: answer(no()) }, t("noHook"))];
}

function decision({ ask, why, field, changes }) {
  const press = (id, label, words, kind) => h("button", { type: "button", class: kind, id, onclick: answer(words) }, label);
  const buttons = h("div", { class: "row" }, press("yes", t("yes"), yes(), "primary sm"), press("no", t("no"), no(), "outline sm"));
  if (ask === "notion") return [buttons];
  const value = h("input", { id: "value", autocomplete: "off", "aria-label": t("ownValue"), placeholder: t("ownValue") });
  const send = guarded(async (event) => {
    event.preventDefault();
    if (value.value.trim()) await say(`= ${value.value.trim()}`);
  });
  const own = ask === "proposal" ? h("form", { class: "remark-form", onsubmit: send }, value, h("button", { class: "outline" }, t("send"))) : null;
  return [h("p", {}, why), h("p", {}, h("code", {}, field)), lines(changes), h("p", { class: "faint small" }, t("onlyByYes")), buttons, own];
}
