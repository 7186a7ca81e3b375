// A long code block, a page or a table in a message: a card with a title that opens it beside the conversation.

import { copyText, h, iconButton } from "../dom.js";
import { icon } from "../icon.js";

/** Icons and names of the kinds that the server knows. */
const KINDS = {
  html: ["app-window", "Page"],
  svg: ["image", "Drawing"],
  mermaid: ["workflow", "Diagram"],
  csv: ["table", "Table"],
  markdown: ["file", "Document"],
  code: ["code", "Code"],
};

/** A card shows so many lines of code before it is expanded. */
const LINES = 8;

export const kindName = (kind, language) => (kind === "code" && language ? language : (KINDS[kind]?.[1] ?? "Text"));
export const kindIcon = (kind) => icon(KINDS[kind]?.[0] ?? "file");

export function countLines(text) {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

export const lineCount = (count) => (count === 1 ? "1 line" : `${count.toLocaleString()} lines`);

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
      ? h("label", { class: "expand" }, h("input", { type: "checkbox", class: "sr" }), h("span", {}, "Show all"))
      : null,
    iconButton("copy", "Copy code", ({ currentTarget }) =>
      copyText(currentTarget.closest(".code").querySelector("pre").textContent),
    ),
    h("button", { type: "button", class: "outline sm", "data-open-artifact": "", "aria-label": `Open ${title}` }, "Open"),
  );
}
