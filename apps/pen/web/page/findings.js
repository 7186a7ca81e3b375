// What the check found, each once; a press shows the place in the text.

import { h } from "../dom.js";
import { icon } from "../icon.js";
import { ruleName, t } from "./words.js";

export function findings(select) {
  const title = h("span", { id: "findings-count", "aria-live": "polite" });
  const list = h("ul", { class: "findings", id: "findings" });
  const rest = h("p", { class: "faint small", id: "unchecked" });
  const element = h("section", { class: "card beside-card", "aria-labelledby": "check-title" }, h("div", { class: "beside-head" }, h("h3", { id: "check-title" }, t("check")), title), list, rest);

  const line = ({ rule, level, text, fix_hint: hint, span, times }) => {
    const words = [h("span", { class: `level ${level}` }, icon(level === "error" ? "x" : "alert"), h("span", { class: "sr" }, t(level))), h("span", { class: "finding-text" }, h("strong", {}, ruleName(rule)), ` ${text}${times > 1 ? ` (×${times})` : ""}`, h("small", {}, hint))];
    const placed = span.end > span.start;
    const inside = placed ? h("button", { type: "button", class: "finding", onclick: () => select(span.start, span.end) }, words) : h("div", { class: "finding" }, words);
    return h("li", { "data-rule": rule, "data-level": level }, inside);
  };

  return {
    element,
    show({ violations = [], unchecked = [] }, hasText) {
      const each = grouped(violations);
      const said = hasText ? (each.length ? t("findings", { n: each.length }) : t("clean")) : "";
      if (title.textContent !== said) title.textContent = said;
      title.className = `chip ${each.some(({ level }) => level === "error") ? "bad" : each.length ? "writes" : "good"}`;
      title.hidden = !hasText;
      list.replaceChildren(...each.map(line));
      rest.textContent = hasText ? (unchecked.length ? `${t("unchecked")}: ${unchecked.join("; ")}` : "") : t("nothingToCheck");
    },
  };
}

/** Equal findings once, with how often they come. */
function grouped(violations) {
  const known = new Map();
  for (const one of violations) {
    const key = JSON.stringify([one.rule, one.text, one.fix_hint]);
    if (known.has(key)) known.get(key).times += 1;
    else known.set(key, { ...one, times: 1 });
  }
  return [...known.values()];
}
