// What the check found, each advice once; a press shows the first place in the text.

import { h } from "../dom.js";
import { icon } from "../icon.js";
import { ruleName, t } from "./words.js";

export function findings(select) {
  const title = h("span", { id: "findings-count", "aria-live": "polite" });
  const list = h("ul", { class: "findings", id: "findings" });
  const hint = h("p", { class: "faint small" }, t("nothingToCheck"));
  const left = h("ul", { class: "bullets" });
  const rest = h("details", { class: "fold", id: "unchecked" }, h("summary", {}, icon("chevron"), h("span", {})), left);
  const element = h("section", { class: "card beside-card", "aria-labelledby": "check-title" }, h("div", { class: "beside-head" }, h("h3", { id: "check-title" }, t("check")), title), list, hint, rest);

  const line = ({ rule, level, texts, fix_hint: hint, span }) => {
    const words = [h("span", { class: `level ${level}` }, icon(level === "error" ? "x" : "alert"), h("span", { class: "sr" }, t(level))), h("span", { class: "finding-text" }, h("strong", {}, ruleName(rule)), ` ${listed(texts)}`, h("small", {}, hint))];
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
      hint.hidden = hasText;
      rest.hidden = !hasText || !unchecked.length;
      rest.firstChild.lastChild.textContent = `${t("unchecked")}: ${unchecked.length}`;
      left.replaceChildren(...unchecked.map((rule) => h("li", {}, rule)));
    },
  };
}

/** Findings with the same advice are one, with all the texts that they are about. */
function grouped(violations) {
  const known = new Map();
  for (const one of violations) {
    const key = JSON.stringify([one.rule, one.level, one.fix_hint]);
    const texts = known.get(key)?.texts ?? new Map();
    texts.set(one.text, (texts.get(one.text) ?? 0) + 1);
    if (!known.has(key)) known.set(key, { ...one, texts });
  }
  return [...known.values()];
}

const listed = (texts) => [...texts].map(([text, times]) => (times > 1 ? `${text} (×${times})` : text)).join(", ");
