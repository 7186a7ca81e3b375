// The place in a document that an answer cites: its lines are marked, with a few around them.

import { get, path } from "../api.js";
import { open } from "../dialog.js";
import { h } from "../dom.js";
import { state } from "../state.js";
import { t } from "../words.js";

const AROUND = 12;

/** Shows `document:ID/FIRST-LAST`. */
export async function showDocument(address) {
  const [, id, first, last] = /^document:([^/]+)(?:\/(\d+)-(\d+))?/.exec(address) ?? [];
  const from = Math.max(1, Number(first ?? 1) - AROUND);
  const to = Number(last ?? from + 2 * AROUND) + AROUND;
  const here = state.conversation ? path`&conversation=${state.conversation.id}` : "";
  const section = await get(path`/kb/section?document=${id}&first=${from}&last=${to}` + here);
  const isCited = (line) => first && line >= Number(first) && line <= Number(last);
  const lines = section.text.split("\n").slice(0, -1);
  const place = section.page
    ? t("page {n}", { n: section.page })
    : t("lines {first} to {last}", { first: Number(first ?? section.first_line), last: Number(last ?? section.last_line) });
  const text = h(
    "ol",
    { class: "document-lines", start: section.first_line, tabindex: "0" },
    lines.map((line, at) =>
      h("li", { dir: "auto" }, isCited(section.first_line + at) ? h("mark", {}, line || " ") : line || " "),
    ),
  );
  open({ title: `${section.file}, ${place}`, size: "lg" }, text);
  text.querySelector("mark")?.scrollIntoView({ block: "center" });
}
