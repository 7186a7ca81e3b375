// HTML that a tool wrote: only ever in a sealed frame.

import { h } from "../dom.js";

/** Higher ones scroll inside. */
const HEIGHT_MAX = 600;

/**
 * A frame of no origin: it cannot reach this page, its storage or any network, and it runs no
 * script but the one in sealed_frame.html, which shows what it is sent and says how high that is.
 */
export function sealed(title, height) {
  const frame = h("iframe", { sandbox: "allow-scripts", title, class: "sealed", src: new URL("sealed_frame.html", import.meta.url).pathname });
  let html = "";
  const send = () => {
    const theme = document.documentElement.dataset.theme ?? "";
    frame.contentWindow?.postMessage({ html, theme }, "*");
  };
  const hear = (event) => {
    if (event.source !== frame.contentWindow) return;
    if (event.data.ready) send();
    else frame.style.height = height ?? `${Math.min(Number(event.data.height) || 0, HEIGHT_MAX)}px`;
  };
  addEventListener("message", hear);
  const show = (value) => {
    html = String(value ?? "");
    frame.hidden = !html.trim();
    send();
  };
  return { frame, show, end: () => removeEventListener("message", hear) };
}
