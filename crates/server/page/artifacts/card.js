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

/** Titles that the server gives to what has none. */
const GIVEN = {
  Page: t("Page"),
  Drawing: t("Drawing"),
  Diagram: t("Diagram"),
  Table: t("Table"),
  Document: t("Document"),
  Text: t("Text"),
};

/** The title in the language of the page, if the server gave it. */
export function shownTitle(title, language) {
  if (title === `Code in ${language}`) return t("Code in {language}", { language });
  return Object.hasOwn(GIVEN, title) ? GIVEN[title] : title;
}

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
  const { artifact: kind } = pre.dataset;
  const title = shownTitle(pre.dataset.title, language);
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
