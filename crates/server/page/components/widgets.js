// Widgets below the bar: a text or a percentage from the kv store, edited with a click.

import { formatJson, guarded, h } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "../words.js";
import * as kv from "./kv_store.js";

const bar = document.getElementById("widgets");
let ends = [];
let drawn = "";
let deferred = null; // features to draw once a person has finished editing a widget

/** Draws the widgets of the given features, in order. */
export async function drawWidgets(features) {
  deferred = bar.querySelector(".widget-edit") ? features : null;
  const json = JSON.stringify(features);
  if (deferred || json === drawn) return;
  drawn = json;
  ends.forEach((end) => end());
  ends = [];
  bar.hidden = true; // until one has a value
  const widgets = features.map(({ feature }) => widget(feature));
  bar.replaceChildren(...widgets.map(({ element }) => element));
  const keys = [...new Set(widgets.flatMap((one) => one.keys))];
  const values = (await kv.read(...keys)) ?? {};
  for (const one of widgets) {
    one.show(values);
    for (const key of one.keys) {
      ends.push(
        kv.watch(key, ({ value }) => {
          values[key] = value;
          one.show(values);
        }),
      );
    }
  }
}

function widget(feature) {
  const config = feature.widget_config ?? {};
  const kind = feature.type === "badge_panel" ? badges : config.type === "percent" ? percent : text;
  const key = feature.kv_key ?? config.kv_key ?? feature.key ?? feature.id;
  const face = h("span", { class: "widget-value" });
  const element = h(
    "button",
    { type: "button", class: "widget", title: t("Click to edit") },
    feature.icon ? icon(feature.icon) : null,
    h("span", { class: "widget-label" }, feature.label ?? feature.id),
    face,
  );
  const look = kind(config, feature);
  let value = null;
  const show = (values) => {
    value = values[key] ?? null;
    face.replaceChildren(...look.draw(value, values));
    // A widget appears with its first value.
    element.hidden = value === null || value === "";
    bar.hidden = !bar.querySelector(":scope > :not([hidden])");
    face.className = `widget-value ${value === null || value === "" ? "faint" : look.color(value, values)}`;
  };
  element.addEventListener("click", () => edit(element, key, () => value, feature.label ?? feature.id));
  return { element, show, keys: [key, ...look.keys] };
}

/** Options are nested under the widget type, or flat as in the tool guide. */
const options = (config, type) => ({ ...config.format_options, ...config.format_options?.[type] });

function text(config, { type }) {
  const {
    max_length: longest = 50,
    truncate = true,
    prefix = type === "currency" ? (config.symbol ?? config.currency_symbol ?? "$") : "",
    suffix = "",
    color = "",
  } = options(config, "text");
  const cut = (words) =>
    truncate && [...words].length > longest ? `${[...words].slice(0, longest).join("")}…` : words;
  const draw = (value) => [value === null || value === "" ? "–" : `${prefix}${cut(formatJson(value))}${suffix}`];
  return { keys: [], draw, color: () => (/^(green|red|blue|yellow|purple)$/.test(color) ? color : "") };
}

const NAMED = ["name", "label", "title", "text"];

/** A list of things, or of names with values, as one badge each. */
function badges(config) {
  const { max_items: most = 12 } = options(config, "badge_panel");
  const one = (item) => {
    if (typeof item !== "object" || item === null) return formatJson(item);
    const name = NAMED.map((field) => item[field]).find((text) => typeof text === "string");
    const value = item.value ?? item.count ?? item.amount;
    return [name ?? formatJson(item), value].filter((part) => part !== undefined && part !== null).join(": ");
  };
  const named = (object) => Object.entries(object).map(([name, value]) => ({ name, value: typeof value === "object" ? formatJson(value) : value }));
  const all = (value) => {
    if (typeof value === "string") value = parsed(value);
    if (Array.isArray(value)) return value;
    return typeof value === "object" && value !== null ? named(value) : [value];
  };
  const draw = (value) => {
    if (value === null || value === "") return ["–"];
    const items = all(value);
    const rest = items.length > most ? [h("span", { class: "chip" }, `+${items.length - most}`)] : [];
    return [...items.slice(0, most).map((item) => h("span", { class: "chip" }, one(item))), ...rest];
  };
  return { keys: [], draw, color: () => "" };
}

/** Lists are often stored as JSON in a text. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text.split(",").map((part) => part.trim()).filter(Boolean);
  }
}

function percent(config) {
  const { show_value: shown = true, color_scheme: scheme, color = "" } = options(config, "percent");
  const top = config.max_value_key;
  const share = (value, values) => {
    const most = Number(top ? (values[top] ?? config.max_value ?? 100) : (config.max_value ?? 100)) || 100;
    return { most, part: Math.max(0, Math.min(100, ((Number(value) || 0) / most) * 100)) };
  };
  const draw = (value, values) => {
    if (value === null) return ["–"];
    const { most, part } = share(value, values);
    return [
      h(
        "span",
        { class: "track", role: "img", "aria-label": t("{n} percent", { n: Math.round(part) }) },
        h("span", { style: { width: `${part}%` } }),
      ),
      shown ? h("span", {}, top ? `${Number(value) || 0}/${most}` : t("{n} %", { n: Math.round(part) })) : "",
    ];
  };
  const health = (part) => (part >= 70 ? "green" : part >= 40 ? "yellow" : "red");
  return {
    keys: top ? [top] : [],
    draw,
    color: (value, values) => (scheme === "health" ? health(share(value, values).part) : color),
  };
}

/** Replaces the widget with an input until Enter or Esc. */
function edit(element, key, current, label) {
  const before = current();
  const input = h("input", {
    type: typeof before === "number" ? "number" : "text",
    step: "any",
    class: "widget-edit",
    "aria-label": label,
    value: before === null ? "" : formatJson(before),
  });
  let closed = false;
  const close = (refocus = true) => {
    if (closed) return;
    closed = true;
    input.replaceWith(element);
    if (refocus) element.focus();
    if (deferred) drawWidgets(deferred);
  };
  const save = guarded(async () => {
    const value = typeof before === "number" && input.value !== "" ? Number(input.value) : input.value;
    close();
    if (value !== before) await kv.write(key, value);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault(); // the same key press would click the widget again
    event.stopPropagation();
    if (event.key === "Enter") save();
    else close();
  });
  input.addEventListener("blur", () => close(false));
  element.replaceWith(input);
  input.focus();
  input.select();
}
