// HTML that a tool wrote: only ever in a sealed frame.

import { h } from "./dom.js";
import { NEVER } from "./html.js";

/** A frame without scripts, without our origin, without a way out; `show` changes its content. */
export function sealed(title, height) {
  const frame = h("iframe", {
    sandbox: "",
    title,
    class: "sealed",
    loading: "lazy",
    referrerpolicy: "no-referrer",
  });
  const show = (html) => {
    const text = String(html ?? "");
    const theme = document.documentElement.dataset.theme ?? "";
    frame.srcdoc =
      `<!doctype html><html data-theme="${theme}"><meta charset="utf-8">` +
      `<meta name="color-scheme" content="${theme || "light dark"}">` +
      `<link rel="stylesheet" href="${location.origin}/assets/frame.css"><body>${text}`;
    frame.style.height = height ?? `${measure(text, frame.clientWidth || 480)}px`;
    frame.hidden = !text.trim();
  };
  return { frame, show };
}

/** Nobody may look into the frame, so its height is guessed from a copy of its bare text. */
function measure(html, width) {
  const copyOf = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.cloneNode();
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(NEVER)) return "";
    const tag = node.tagName.toLowerCase();
    const known =
      /^(h[1-6]|p|div|ul|ol|li|table|tbody|thead|tr|td|th|pre|blockquote|hr|br|b|i|em|strong|code|section)$/;
    return h(known.test(tag) ? tag : "span", {}, [...node.childNodes].map(copyOf));
  };
  const { body } = new DOMParser().parseFromString(html, "text/html");
  const probe = h(
    "div",
    { class: "probe", style: { width: `${width}px` } },
    [...body.childNodes].map(copyOf),
  );
  document.body.append(probe);
  const height = probe.scrollHeight;
  probe.remove();
  return Math.min(Math.max(height + 8, 28), 600);
}
