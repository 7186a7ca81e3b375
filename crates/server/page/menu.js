// A menu below a button, with arrow keys, Home, End and Esc; a click elsewhere closes it.

import { h } from "./dom.js";
import { icon } from "./icon.js";
import { t } from "./words.js";

/** Makes `button` open a menu with the result of `entries()`: a list of `{icon, label, hint, run, off}`. */
export function attachMenu(button, entries, none = t("No entries.")) {
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  const open = async () => show(button, await entries(), none);
  button.addEventListener("click", () => (button.menu ? button.menu.close() : open()));
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" || button.menu) return;
    event.preventDefault();
    open();
  });
}

function show(button, entries, none) {
  const list = h(
    "div",
    { class: "menu", role: "menu", "aria-label": button.getAttribute("aria-label") },
    entries.length ? entries.map((entry) => item(entry)) : h("p", { class: "faint" }, none),
  );
  const close = (refocus = false) => {
    list.remove();
    button.menu = null;
    button.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    if (refocus) button.focus();
  };
  const outside = (event) => !list.contains(event.target) && !button.contains(event.target) && close();
  list.addEventListener("keydown", (event) => handleKey(event, list, close));
  list.addEventListener("click", (event) => event.target.closest("[role=menuitem]") && close(true));
  document.addEventListener("pointerdown", outside, true);
  // Beside an open drawer the rest of the page cannot be used.
  (button.closest("nav, main") ?? document.querySelector("main")).append(list);
  position(list, button);
  button.menu = { close };
  button.setAttribute("aria-expanded", "true");
  list.querySelector("[role=menuitem]:not(:disabled)")?.focus();
}

function item({ icon: name, label, hint, run, off }) {
  return h(
    "button",
    { type: "button", role: "menuitem", tabindex: "-1", disabled: off, onclick: run },
    icon(name),
    h("span", {}, label, hint ? h("small", {}, hint) : null),
  );
}

function handleKey(event, list, close) {
  const items = [...list.querySelectorAll("[role=menuitem]:not(:disabled)")];
  const at = items.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Escape" || event.key === "Tab") {
    event.preventDefault();
    event.stopPropagation();
    close(true);
  } else if (to !== undefined && items.length) {
    event.preventDefault();
    items[to % items.length].focus();
  }
}

function position(list, button) {
  const at = button.getBoundingClientRect();
  const width = Math.min(280, innerWidth - 16);
  const below = innerHeight - at.bottom;
  list.style.width = `${width}px`;
  list.style.left = `${Math.max(8, Math.min(at.right - width, innerWidth - width - 8))}px`;
  if (below > 260 || below > at.top) list.style.top = `${at.bottom + 6}px`;
  else list.style.bottom = `${innerHeight - at.top + 6}px`;
}
