// Helpers for components: loading with errors shown in place, sizes, labels.

import { h } from "../dom.js";

/** Wraps a load: an error is shown inside `element`, until the next attempt. */
export function loader(element, work) {
  let note = null;
  return async () => {
    note?.remove();
    try {
      await work();
    } catch (fault) {
      note = h("p", { class: "fault" }, fault.message);
      element.append(note);
    }
  };
}

/** A CSS size, or undefined if the tool gave anything else. */
export function cssSize(value) {
  if (typeof value === "number") return `${value}px`;
  return /^\d+(\.\d+)?(px|%|rem|em|vh|vw)$/.test(value ?? "") ? value : undefined;
}

export const labelFromId = (id) => String(id ?? "").replaceAll("_", " ");
