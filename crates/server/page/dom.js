// Builds elements, shows toasts and announcements, formats values.

import { icon } from "./icon.js";
import { formatNumber, locale, t } from "./words.js";

/** Creates an element. `on…` adds a listener, `style` is an object, `true` a bare attribute, null is skipped. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(
    ...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "style")
    for (const [key, item] of Object.entries(value)) element.style.setProperty(key, item);
  else if (name === "value") element.value = value;
  else element.setAttribute(name, value === true ? "" : value);
}

/** A button that shows only an icon; `label` is its accessible name and tooltip. */
export function iconButton(name, label, onclick, attributes = {}) {
  return h(
    "button",
    { type: "button", class: "quiet", "aria-label": label, title: label, onclick, ...attributes },
    icon(name),
  );
}

/** A switch; if `change` fails, it moves back and shows the error. */
export function toggle(label, checked, change) {
  const input = h("input", { type: "checkbox", role: "switch", class: "switch", "aria-label": label });
  input.checked = checked;
  input.addEventListener("change", async () => {
    input.disabled = true;
    try {
      await change(input.checked);
    } catch (fault) {
      input.checked = !input.checked;
      showError(fault);
    }
    input.disabled = false;
  });
  return input;
}

export function toast(text, kind = "good") {
  const shown = h(
    "div",
    { class: `toast ${kind}` },
    icon(kind === "bad" ? "alert" : "check"),
    h("span", {}, text),
  );
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  const place = dialog?.querySelector(":scope > .toasts") ?? document.getElementById("toasts");
  for (const one of [...place.children]) if (one.textContent === shown.textContent) one.remove();
  place.append(shown);
  setTimeout(() => shown.remove(), kind === "bad" ? 9000 : 4000);
  return shown;
}

export function showError(fault) {
  toast(fault.fix ? `${fault.message}. ${fault.fix}` : fault.message, "bad");
}

/** Announces text to screen readers. */
export function announce(text) {
  document.getElementById("say").textContent = text.slice(0, 1000);
}

/** Wraps a listener: an error is shown as a toast. */
export const guarded =
  (work) =>
  async (...args) => {
    try {
      return await work(...args);
    } catch (fault) {
      return showError(fault);
    }
  };

export function formatDuration(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return "";
  if (milliseconds < 1000) return t("{n} ms", { n: Math.round(milliseconds) });
  return t("{n} s", { n: formatNumber(milliseconds / 1000, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) });
}

export function formatTime(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  const today = date.toDateString() === new Date().toDateString();
  return today
    ? date.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString(locale, { day: "numeric", month: "short" });
}

/** Readable JSON: indented, but a list of numbers stays on one line. */
export function formatJson(value) {
  if (typeof value === "string") return value;
  const json = JSON.stringify(value, null, 2) ?? "";
  return json.replace(/\[\n\s+([-\d.eE+,\s]+)\n\s+\]/g, (_, items) => `[${items.replace(/\s+/g, " ")}]`);
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("Copied"));
  } catch {
    toast(t("The browser does not allow copying."), "bad");
  }
}
