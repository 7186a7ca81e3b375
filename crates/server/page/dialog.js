// Dialogs: native, so that Esc, focus and the rest of the page behave as people know it.

import { h, iconButton } from "./dom.js";

/** Opens a dialog; `kind` is `modal` or `panel`. The answer closes it. */
export function open({ title, size = "md", kind = "modal", onclose }, ...content) {
  const close = () => box.close();
  const body = h("div", { class: "dialog-body" }, ...content);
  const id = `dialog-${(count += 1)}`;
  const box = h(
    "dialog",
    { class: `${kind} ${size}`, "aria-labelledby": id },
    h("div", { class: "dialog-head" }, h("h2", { id }, title), iconButton("x", "Close", close)),
    body,
    h("div", { class: "toasts", role: "status" }),
  );
  const back = document.activeElement;
  box.addEventListener("click", (event) => event.target === box && close());
  box.addEventListener("close", () => {
    document.getElementById("toasts").append(...box.lastChild.children);
    // A person may be elsewhere already.
    const isFree = document.activeElement === document.body || box.contains(document.activeElement);
    box.remove();
    onclose?.();
    if (isFree && back?.isConnected) back.focus();
  });
  document.body.append(box);
  box.showModal();
  return { box, body, close };
}

let count = 0;

/** Asks before something is lost. True if the person means it. */
export function sure(title, text, yes, no = "Cancel") {
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
