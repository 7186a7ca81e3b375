// A long code block, a page or a table in a message: a card with a title that opens it beside the conversation.

import { copyText, h, iconButton } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "../words.js";

/** Icons and names of the kinds that the server knows. */
const KINDS = {
  html: ["app-window", t("Page")],
  svg: ["image", t("Drawing")],
  mermaid: ["workflow", t("Diagram")],
  csv: ["table", t("Table")],
  markdown: ["file", t("Document")],
  code: ["code", t("Code")],
};

/** A card shows so many lines of code before it is expanded. */
const LINES = 8;

export const kindName = (kind, language) => (kind === "code" && language ? language : (KINDS[kind]?.[1] ?? t("Text")));
export const kindIcon = (kind) => icon(KINDS[kind]?.[0] ?? "file");

export function countLines(text) {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

export const lineCount = (count) => t("{n} {n:line|lines}", { n: count });

/** The head of a card; the code follows it, all of it, in a box that scrolls until it is expanded. */
export function cardHead(pre, language) {
  const { artifact: kind, title } = pre.dataset;
  const lines = countLines(pre.textContent);
  return h(
    "div",
    { class: "artifact-head" },
    kindIcon(kind),
    h(
      "div",
      { class: "grow" },
      h("div", { class: "artifact-title" }, title),
      h("div", { class: "artifact-about" }, `${kindName(kind, language)} · ${lineCount(lines)}`),
    ),
    lines > LINES
      ? h("label", { class: "expand" }, h("input", { type: "checkbox", class: "sr" }), h("span", {}, t("Show all")))
      : null,
    iconButton("copy", t("Copy code"), ({ currentTarget }) =>
      copyText(currentTarget.closest(".code").querySelector("pre").textContent),
    ),
    h("button", { type: "button", class: "outline sm", "data-open-artifact": "", "aria-label": t("Open {name}", { name: title }) }, t("Open")),
  );
}
