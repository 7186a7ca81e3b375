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
    if (mayRefocus && focusedBefore?.isConnected) focusedBefore.focus();
  });
  document.body.append(box);
  box.showModal();
  return { box, body, close };
}

let count = 0;

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
