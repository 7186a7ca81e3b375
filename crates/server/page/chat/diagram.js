// Draws Mermaid diagrams, each in a sealed frame; loaded with the first diagram.

import { h } from "../dom.js";
import { t } from "../words.js";

const FRAME = new URL("../components/diagram_frame.html", import.meta.url).pathname;
/** Taller diagrams scroll inside the frame. */
const HEIGHT_MAX = 900;

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");

/** Diagrams that are drawn already follow the theme. */
function redraw() {
  for (const place of document.querySelectorAll(".diagram[data-state=drawn]")) place.dispatchEvent(new Event("theme"));
}

dark.addEventListener("change", redraw);
new MutationObserver(redraw).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });

/** Draws the diagrams of an entry that are not drawn yet. */
export function drawDiagrams(entry) {
  for (const place of entry.querySelectorAll(".diagram:not([data-state])")) draw(place);
}

function draw(place) {
  place.dataset.state = "waiting";
  const code = place.dataset.kept;
  const frame = h("iframe", { sandbox: "allow-scripts", title: t("Diagram"), class: "sealed", src: FRAME });
  const send = () => frame.contentWindow?.postMessage({ code, theme: theme() }, "*");
  place.addEventListener("theme", send);
  const finish = (state) => {
    place.dataset.state = state;
    place.closest(".code").classList.toggle("drawn", state === "drawn");
  };
  const onmessage = (event) => {
    if (!frame.isConnected && place.dataset.state !== "waiting") return removeEventListener("message", onmessage);
    if (event.source !== frame.contentWindow) return undefined;
    const { ready, height, fault, theme: drawnIn } = event.data;
    if (ready) send();
    if (height) {
      place.dataset.theme = drawnIn === "dark" ? "dark" : "light";
      frame.style.height = `${Math.min(Number(height) || 0, HEIGHT_MAX)}px`;
      // A person may have asked for the code meanwhile.
      if (place.dataset.state !== "drawn") finish("drawn");
    }
    if (fault) {
      finish("failed");
      place.replaceChildren(h("p", { class: "faint" }, t("The diagram could not be drawn: {fault}", { fault: String(fault).slice(0, 300) })));
    }
    return undefined;
  };
  addEventListener("message", onmessage);
  const showCode = h(
    "button",
    { type: "button", class: "ghost sm", onclick: () => place.closest(".code").classList.toggle("drawn") },
    t("Show or hide code"),
  );
  place.replaceChildren(frame, showCode);
}
