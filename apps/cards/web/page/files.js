// Cards as files: links that take them along, and a form that shows first what it would change.

import { guarded, h, toast } from "../dom.js";
import { icon } from "../icon.js";
import { baseOf, exported, importFile, push, refresh, state } from "./run.js";
import { locale, t } from "./words.js";

const KINDS = [
  ["apkg", "anki"],
  ["apkg", "ankiAll", "&recall=meaning,word,gap"],
  ["txt", "ankiText"],
  ["csv", "table"],
  ["json", "JSON"],
];

export const exporter = () =>
  h(
    "details",
    { class: "fold", id: "export" },
    h("summary", {}, icon("chevron"), t("export")),
    h(
      "div",
      { class: "stack" },
      h("p", { class: "row" }, KINDS.map(([kind, label, more = ""]) => h("a", { class: "button", href: exported(kind) + more, download: true, "data-export": more ? `${kind}-all` : kind }, t(label)))),
      state.info?.anki && pusher(),
    ),
  );

/** Into the Anki that runs beside the server. */
function pusher() {
  const told = h("p", { class: "small", id: "pushed", role: "status" });
  const button = h("button", { type: "button", class: "outline", id: "push" }, icon("upload"), t("push"));
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.setAttribute("aria-busy", "true");
    told.className = "small faint";
    told.replaceChildren(t("pushing"));
    try {
      const { added, updated, unchanged, keptFields } = await push();
      const parts = [t("pushedWords", { added, updated, unchanged }), keptFields > 0 && t("keptFields", { n: keptFields })];
      told.replaceChildren(parts.filter(Boolean).join(" "));
    } catch (fault) {
      told.className = "small push-fault";
      told.replaceChildren(t("notPushed"), " ", h("span", { class: "faint" }, fault.message));
    }
    button.disabled = false;
    button.removeAttribute("aria-busy");
  });
  return h("div", { class: "row" }, button, told);
}

const STRATEGIES = ["merge-keep-local", "merge-prefer-imported", "replace-all"];
const SORTS = ["added", "changed", "removed"];
const NAMED_MAX = 8;

/** Into the run that is open, or into a new one. */
export function importer(into) {
  const input = h("input", { type: "file", id: "file", accept: ".json,.jsonl,application/json", "aria-label": t("import") });
  const strategy = h("select", { id: "strategy" }, STRATEGIES.map((name) => h("option", { value: name }, t(name))));
  const shown = h("div", { class: "stack", "aria-live": "polite" });

  const send = async (preview) => {
    const [file] = input.files;
    const pair = state.run ?? { from: "lv", to: locale() };
    const content = await file.text();
    return importFile({ name: file.name, content, into, preview, strategy: strategy.value, from: pair.from, to: pair.to });
  };

  const look = guarded(async () => {
    shown.replaceChildren();
    if (!input.files.length) return;
    const { preview } = await send(true);
    shown.replaceChildren(told(preview), h("div", { class: "row" }, press(t("apply"), apply, "primary"), press(t("cancel"), clear, "ghost")));
  });

  const clear = () => {
    input.value = "";
    shown.replaceChildren();
  };

  const apply = guarded(async () => {
    const { run } = await send(false);
    clear();
    toast(t("applied"));
    if (into) await refresh();
    else location.hash = `#/${run}/edit`;
  });

  input.addEventListener("change", look);
  strategy.addEventListener("change", look);
  const how = into && h("label", { class: "field" }, h("span", {}, t("strategy")), strategy);
  return h("details", { class: "fold" }, h("summary", {}, icon("chevron"), t("import")), h("div", { class: "stack" }, input, how, shown));
}

const press = (label, onclick, kind) => h("button", { type: "button", class: `${kind} sm`, onclick }, label);

function told(preview) {
  const line = (sort) => {
    const keys = preview[sort];
    const names = keys.slice(0, NAMED_MAX).map(baseOf);
    if (keys.length > NAMED_MAX) names.push("…");
    return keys.length > 0 && h("li", { "data-sort": sort }, t(sort, { n: keys.length }), h("span", { class: "faint" }, ` ${names.join(", ")}`));
  };
  return h("ul", { class: "diff" }, SORTS.map(line), h("li", { "data-sort": "kept" }, t("kept", { n: preview.kept })));
}
