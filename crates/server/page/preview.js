// The preview of a call that waits for approval, for the chat and the voice view.

import { h } from "./dom.js";
import { t } from "./words.js";

/** The title of the card names the tool already. */
export const withoutName = (lines, tool) =>
  lines?.map((line) => {
    if (!tool || !["text", "reason"].includes(line.kind)) return line;
    return { ...line, text: line.text.replace(`\`${tool}\` wants to run. `, "").replaceAll(`\`${tool}\``, "this tool") };
  });

/** Sentences of the server that are the same for every tool; the others are shown as they come. */
const KNOWN = {
  "It changes nothing.": t("It changes nothing."),
  "It reads, and changes nothing.": t("It reads, and changes nothing."),
  "It changes something outside this conversation.": t("It changes something outside this conversation."),
  "with no arguments": t("with no arguments"),
  "the contract of this tool requires a person's agreement": t("the contract of this tool requires a person's agreement"),
};

/** Draws each kind of line of a preview; the server names the kinds. */
const PREVIEW_LINE = {
  text: ({ text }) => h("p", {}, ...withCode(KNOWN[text] ?? text)),
  description: ({ text }) => h("p", { class: "faint description" }, ...withCode(text)),
  argument: ({ name, text }) => named(name, text),
  answer: ({ name, text }) => named(t("asked for {name}", { name }), text),
  reason: ({ text }) => h("p", { class: "faint reason" }, t("Asked because: "), ...withCode(KNOWN[text] ?? text)),
  earlier: ({ text }) => h("p", { class: "earlier" }, t("before: "), ...withCode(text)),
};

const named = (name, text) =>
  name ? h("div", { class: "argument" }, h("span", {}, name), h("code", {}, text)) : h("p", { class: "faint" }, text);

/** What a call that waits will do, line by line. */
export function previewBox(lines, preview) {
  const box = h("div", { class: "preview", tabindex: "0", role: "group", "aria-label": t("Preview") });
  for (const line of lines ?? [{ kind: "text", text: String(preview ?? "") }])
    box.append((PREVIEW_LINE[line.kind] ?? PREVIEW_LINE.text)(line));
  return box;
}

/** Text in backticks becomes `<code>`. */
const withCode = (line) => line.split("`").map((piece, index) => (index % 2 ? h("code", {}, piece) : piece));
