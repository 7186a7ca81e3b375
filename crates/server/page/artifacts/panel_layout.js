// The panel's place on the screen: its stylesheet, its width, and the sheet that it is on small screens.

import { h } from "../dom.js";

/** Below this width of the window the panel covers everything. */
const SHEET = matchMedia("(max-width: 999px)");
const WIDTH = { min: 340, step: 40, start: 560 };
/** The conversation keeps so much. */
const REST = 640;
const KEY = "artifact-width";

let styles = null;

/** Loads the stylesheet with the first panel. */
export function loadStyles() {
  styles ??= new Promise((done) => {
    const href = new URL("panel.css", import.meta.url).pathname;
    document.head.append(h("link", { rel: "stylesheet", href, onload: done, onerror: done }));
  });
  return styles;
}

/** Lets a person drag the panel's edge, or move it with the arrow keys; the width is remembered. */
export function followWidth(aside, handle) {
  const most = () => Math.max(WIDTH.min, innerWidth - REST);
  let width = remembered();
  const apply = () => {
    const now = Math.min(Math.max(width, WIDTH.min), most());
    document.getElementById("app").style.setProperty("--artifact-width", `${now}px`);
    for (const [name, value] of [["now", now], ["min", WIDTH.min], ["max", most()]])
      handle.setAttribute(`aria-value${name}`, String(Math.round(value)));
  };
  const change = (to) => {
    width = Math.min(Math.max(to, WIDTH.min), most());
    apply();
    remember(width);
  };
  handle.addEventListener("keydown", ({ key }) => {
    const step = { ArrowLeft: WIDTH.step, ArrowRight: -WIDTH.step }[key];
    if (step) change(width + step);
  });
  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    aside.classList.add("dragged");
  });
  handle.addEventListener("pointermove", (event) => handle.hasPointerCapture(event.pointerId) && change(innerWidth - event.clientX));
  handle.addEventListener("pointerup", () => aside.classList.remove("dragged"));
  const follow = () => {
    setSheet(aside, SHEET.matches);
    apply();
  };
  addEventListener("resize", follow);
  follow();
  return () => {
    removeEventListener("resize", follow);
    setSheet(aside, false);
  };
}

/** A sheet is modal: what it covers cannot be reached. */
function setSheet(aside, isSheet) {
  for (const other of document.querySelectorAll("#app > .side, #app > .main")) other.inert = isSheet;
  if (isSheet) aside.setAttribute("role", "dialog");
  else aside.removeAttribute("role");
  if (isSheet) aside.setAttribute("aria-modal", "true");
  else aside.removeAttribute("aria-modal");
}

function remembered() {
  try {
    return Number(localStorage.getItem(KEY)) || WIDTH.start;
  } catch {
    return WIDTH.start;
  }
}

function remember(width) {
  try {
    localStorage.setItem(KEY, String(Math.round(width)));
  } catch {
    /* storage may be switched off */
  }
}
