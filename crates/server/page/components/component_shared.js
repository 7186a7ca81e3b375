// What all components share: loading that may fail, sizes and names.

import { h } from "../dom.js";

/** Runs a load that may fail; the fault stands where the data would. */
export function loading(element, work) {
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

/** A size a tool may ask for; anything else is left out. */
export function size(value) {
  if (typeof value === "number") return `${value}px`;
  return /^\d+(\.\d+)?(px|%|rem|em|vh|vw)$/.test(value ?? "") ? value : undefined;
}

export const words = (id) => String(id ?? "").replaceAll("_", " ");
