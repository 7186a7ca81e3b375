// The prompt to paste into any chat, for those without a key.

import { guarded, h, toast } from "../dom.js";
import { icon } from "../icon.js";
import { prompt, state } from "./state.js";
import { t } from "./words.js";

export function promptPanel() {
  const area = h("textarea", { id: "prompt", readonly: true, rows: "7", "aria-label": t("prompt") });
  const copy = h("button", { type: "button", class: "primary sm", id: "copy-prompt" }, icon("copy"), t("copy"));
  const box = h("section", { class: "card prompt", "aria-labelledby": "prompt-title" }, h("h3", { id: "prompt-title" }, icon("key"), t("prompt")), h("p", { class: "faint small" }, t("promptHint")), area, h("div", { class: "row" }, copy));
  const open = h("button", { type: "button", class: "ghost sm", id: "show-prompt" }, icon("copy"), t("promptShow"));
  const element = h("div", { class: "prompt-place" }, box);
  box.hidden = true;
  let asked = false;

  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(area.value);
      toast(t("copied"));
    } catch {
      area.select();
      toast(t("notCopied"), "bad");
    }
  });

  const about = async (remark) => {
    asked = true;
    area.value = await prompt(remark);
    box.hidden = false;
    open.hidden = true;
    if (remark) copy.focus();
  };
  open.addEventListener("click", guarded(() => about()));

  return {
    element,
    open,
    about,
    /** Without a model an empty draft begins with its prompt. */
    update() {
      const needed = !state.info?.model && !state.draft.versions;
      if (needed && !asked) guarded(() => about())();
    },
  };
}
