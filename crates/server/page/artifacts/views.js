// How each kind of artifact is shown: as what it is, or as its source.

import { sealedFrame } from "../components/sealed_frame.js";
import { h } from "../dom.js";
import { nodesFromHtml } from "../rendered_html.js";
import { t } from "../words.js";
import { csvTable } from "./csv.js";

const PAGE_FRAME = new URL("page_frame.html", import.meta.url).pathname;

/** Code is only source. */
export const hasPreview = ({ kind }) => kind !== "code";

/** What is half written cannot be drawn, or not in the browser. */
const DRAWN_LIVE = new Set(["html", "svg", "csv"]);

/**
 * Draws a view of an artifact: its element, `update` for a text that grows, and `end` when it is left.
 * While a text is being written, nothing of it runs.
 */
export function drawView(item, view) {
  if (view === "source" || !hasPreview(item) || (item.isLive && !DRAWN_LIVE.has(item.kind))) return sourceView(item);
  return previews[item.kind](item);
}

const previews = {
  html: (item) => (item.isLive ? stillFrame(item) : pageFrame(item)),
  svg: stillFrame,
  csv: (item) => {
    const { element, update } = csvTable(item.text, item.title);
    return { element, update: ({ text }) => update(text) };
  },
  markdown: ({ preview }) => ({ element: h("div", { class: "prose artifact-prose" }, nodesFromHtml(preview)) }),
  mermaid: ({ text }) => {
    const element = h("div", { class: "code artifact-diagram" }, h("div", { class: "diagram", "data-kept": text }));
    import("../chat/diagram.js").then(({ drawDiagrams }) => drawDiagrams(element));
    return { element };
  },
};

/** Without scripts: a drawing, or a page that is still being written. */
function stillFrame({ title, text, kind }) {
  const { frame, show, end } = sealedFrame(title, "100%");
  frame.classList.add("artifact-frame", kind);
  show(text);
  return { element: frame, update: (item) => show(item.text), end };
}

/** A page that tries to leave its frame is stopped by the browser, and not shown any more. */
function stopLeaving(frame) {
  let loads = 0;
  frame.addEventListener("load", () => {
    loads += 1;
    if (loads > 1) frame.replaceWith(h("p", { class: "artifact-note", role: "status" }, t("The page tried to go somewhere else and was stopped.")));
  });
}

/** A page runs its scripts in a frame with an opaque origin, without any network: see page_frame.html. */
function pageFrame({ title, text }) {
  const sandbox = "allow-scripts allow-forms";
  const frame = h("iframe", { sandbox, title, class: "artifact-frame page", src: PAGE_FRAME });
  stopLeaving(frame);
  const onmessage = ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data?.ready === true) {
      frame.dataset.ready = "";
      frame.contentWindow.postMessage({ html: text }, "*");
    }
    if (data?.escape === true) frame.dispatchEvent(new CustomEvent("leave", { bubbles: true }));
  };
  addEventListener("message", onmessage);
  return { element: frame, end: () => removeEventListener("message", onmessage) };
}

/** The text with the server's colours; without them while it is being written. */
function sourceView({ text, source }) {
  const code = h("code");
  if (source === undefined) code.append(text);
  else code.append(...nodesFromHtml(`<div>${source}</div>`)[0].childNodes);
  const element = h("pre", { class: "artifact-source", tabindex: "0" }, code);
  const update = (item) => {
    const shown = code.firstChild;
    const follows = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    if (code.childNodes.length === 1 && item.text.startsWith(shown.data)) shown.appendData(item.text.slice(shown.data.length));
    else code.textContent = item.text;
    if (follows) element.scrollTop = element.scrollHeight;
  };
  return { element, update };
}
