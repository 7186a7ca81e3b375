// The text field: it grows with its text, and what the check found is underlined in it.

import { h, toast } from "../dom.js";
import { state } from "./state.js";
import { t } from "./words.js";

export function editor(changed) {
  const hint = state.info?.model ? "textHint" : "pasteHint";
  const area = h("textarea", { id: "text", class: "text-area", rows: "6", spellcheck: "false", dir: "auto", maxlength: String(state.info?.characters ?? 50000), placeholder: t(hint), "aria-label": t("text"), "aria-describedby": "count" });
  const mirror = h("div", { class: "mirror", "aria-hidden": "true", dir: "auto" });
  const element = h("div", { class: "editor" }, mirror, area);
  let spans = [];
  let own = "";

  const draw = () => {
    const pieces = [];
    let at = 0;
    for (const { from, to, level } of spans) {
      if (from < at) continue;
      pieces.push(area.value.slice(at, from), h("mark", { class: level }, area.value.slice(from, to)));
      at = to;
    }
    // The last line break needs something after it to take a line.
    pieces.push(`${area.value.slice(at)}\u200b`);
    mirror.replaceChildren(...pieces);
  };

  const set = (text) => {
    if (area.value !== text) area.value = text;
    spans = [];
    draw();
  };

  area.addEventListener("input", () => {
    spans = [];
    draw();
    changed();
  });

  return {
    element,
    area,
    set,
    value: () => (area.readOnly ? own : area.value),
    /** Shows a text that grows; what was there comes back with `free`. */
    hold(text) {
      if (!area.readOnly) own = area.value;
      area.readOnly = true;
      set(text);
    },
    free() {
      if (!area.readOnly) return;
      area.readOnly = false;
      set(own);
    },
    /** Marks the places of findings, which come in bytes. */
    mark(violations) {
      const index = utf16(area.value);
      const placed = violations.filter(({ span }) => span.end > span.start);
      spans = placed.map(({ span, level }) => ({ from: index(span.start), to: index(span.end), level })).sort((one, other) => one.from - other.from);
      draw();
    },
    select(start, end) {
      const index = utf16(area.value);
      area.focus();
      area.setSelectionRange(index(start), index(end));
    },
    async copy() {
      try {
        await navigator.clipboard.writeText(area.value);
        toast(t("copied"));
      } catch {
        area.focus();
        area.select();
        toast(t("notCopied"), "bad");
      }
    },
  };
}

/** From bytes of UTF-8 to units of UTF-16. */
function utf16(text) {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  return (at) => decoder.decode(bytes.subarray(0, at)).length;
}
