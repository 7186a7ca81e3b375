// Remarks on a draft, as buttons and in words, and what the session says back.

import { guarded, h } from "../dom.js";
import { icon } from "../icon.js";
import { state } from "./state.js";
import { t } from "./words.js";

/** Remarks as buttons and in words. Without a model they become prompts, as far as they need one. */
export function remarks(run, panel, store) {
  const hasModel = Boolean(state.info?.model);
  const button = ({ line }) => {
    const press = h("button", { type: "button", class: "remark" }, line);
    press.addEventListener("click", hasModel ? () => run(line) : guarded(async () => (await store(), panel.about(line))));
    return press;
  };
  const buttons = (state.info?.feedback ?? []).map(button);
  const input = h("input", { id: "remark", autocomplete: "off", maxlength: "4000", placeholder: t("feedbackHint"), dir: "auto" });
  const send = h("button", { class: "outline", id: "send" }, icon("message"), t("send"));
  const submit = async (event) => {
    event.preventDefault();
    const line = input.value.trim();
    if (!line) return;
    await run(line);
    if (!state.draft?.seat.fault) input.value = "";
  };
  const form = h("form", { class: "remark-form", onsubmit: submit }, h("label", { class: "sr", for: "remark" }, t("yourWords")), input, send);
  const element = h("section", { class: "remarks", "aria-labelledby": "remarks-title" }, h("h3", { id: "remarks-title" }, t("feedback")), h("div", { class: "remark-row" }, buttons), form);
  return { element, controls: [...(hasModel ? buttons : []), send] };
}

/** What the last work has said: faults first, then messages; steps and drafts are shown elsewhere. */
export function told({ fault, shown = [] }) {
  const lines = shown.filter(({ kind }) => ["message", "value", "text"].includes(kind));
  const words = ({ kind, text, label, value }) => (kind === "value" ? `${label} ${value}` : text);
  const fresh = shown.find(({ kind }) => kind === "new_findings");
  const notes = [...lines.map(words), fresh?.title].filter(Boolean);
  const list = notes.length ? h("div", { class: "banner calm" }, icon("message"), h("div", { class: "grow" }, notes.map((text) => h("p", {}, text)))) : null;
  const bad = fault ? h("div", { class: "banner bad", role: "alert" }, icon("alert"), h("div", { class: "grow" }, h("strong", {}, fault.what), h("p", {}, fault.fix))) : null;
  return [bad, list].filter(Boolean);
}
