// Shows HTML that a tool wrote, always in a sandboxed frame.

import { h } from "../dom.js";

/** Taller content scrolls inside the frame. */
const HEIGHT_MAX = 600;

/**
 * A frame with an opaque origin: it cannot reach this page, its storage or the network. The only
 * script it runs is the one in sealed_frame.html, which shows what it receives and reports the height.
 */
export function sealedFrame(title, height) {
  const frame = h("iframe", { sandbox: "allow-scripts", title, class: "sealed", src: new URL("sealed_frame.html", import.meta.url).pathname });
  let html = "";
  let isShown = () => {};
  const send = () => {
    const theme = document.documentElement.dataset.theme ?? "";
    frame.contentWindow?.postMessage({ html, theme }, "*");
  };
  const onmessage = (event) => {
    if (event.source !== frame.contentWindow) return;
    if (event.data.ready) send();
    else {
      frame.style.height = height ?? `${Math.min(Number(event.data.height) || 0, HEIGHT_MAX)}px`;
      isShown();
    }
  };
  addEventListener("message", onmessage);
  /** Resolves when the frame has its height. */
  const show = (value) => {
    html = String(value ?? "");
    frame.hidden = !html.trim();
    const shown = frame.hidden ? Promise.resolve() : new Promise((done) => (isShown = done));
    send();
    return shown;
  };
  return { frame, show, end: () => removeEventListener("message", onmessage) };
}
