// Dialogs are native elements, so that Esc, focus and inertness work as users expect.

import { h, iconButton } from "./dom.js";
import { t } from "./words.js";

/** Opens a dialog; `kind` is `modal` or `panel`. Returns its parts and `close`. */
export function open({ title, size = "md", kind = "modal", onclose }, ...content) {
  const close = () => box.close();
  const body = h("div", { class: "dialog-body" }, ...content);
  const id = `dialog-${(count += 1)}`;
  const box = h(
    "dialog",
    { class: `${kind} ${size}`, "aria-labelledby": id },
    h("div", { class: "dialog-head" }, h("h2", { id }, title), iconButton("x", t("Close"), close)),
    body,
    h("div", { class: "toasts", role: "status" }),
  );
  const focusedBefore = document.activeElement;
  box.addEventListener("click", (event) => event.target === box && close());
  box.addEventListener("close", () => {
    document.getElementById("toasts").append(...box.lastChild.children);
    // The user may have moved the focus elsewhere already.
    const mayRefocus = document.activeElement === document.body || box.contains(document.activeElement);
    box.remove();
    onclose?.();
    if (mayRefocus) again(focusedBefore)?.focus();
  });
  document.body.append(box);
  box.showModal();
  return { box, body, close };
}

let count = 0;

/** The element, or the one that took its place because its list was drawn again; else the message field. */
function again(element) {
  if (!element || element.isConnected) return element;
  const name = element.getAttribute("aria-label");
  const same = name && document.querySelector(`[aria-label="${CSS.escape(name)}"]`);
  return same || document.getElementById("draft");
}

/**
 * Opens a dialog whose content comes from the server: `load` gets the dialog and resolves to the content. Until
 * then a line says so, and then all of it is there at once: nothing moves under the pointer.
 */
export async function openLoaded(options, load) {
  const shown = open(options);
  const { body } = shown;
  const fill = async () => {
    body.setAttribute("aria-busy", "true");
    body.replaceChildren(h("p", { class: "faint", role: "status" }, t("Loading…")));
    try {
      body.replaceChildren(...(await load(shown)).filter(Boolean));
    } catch ({ message, fix }) {
      const again = h("button", { type: "button", class: "outline", onclick: fill }, t("Try again"));
      const text = fix ? `${message}. ${fix}` : message;
      body.replaceChildren(h("p", { class: "fault", role: "alert" }, text), h("div", { class: "row" }, again));
    }
    body.removeAttribute("aria-busy");
  };
  await fill();
  return shown;
}

/** Asks for confirmation; resolves to true or false. */
export function confirmDialog(title, text, yes, no = t("Cancel")) {
  return new Promise((answer) => {
    const act = (event) => {
      event.preventDefault();
      answer(true);
      shown.close();
    };
    const shown = open(
      { title, size: "sm", onclose: () => answer(false) },
      h("p", {}, text),
      h(
        "form",
        { class: "row end", onsubmit: act },
        h("button", { type: "button", class: "outline", onclick: () => shown.close() }, no),
        h("button", { class: "danger", autofocus: true }, yes),
      ),
    );
  });
}
