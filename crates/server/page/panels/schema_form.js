// A form generated from a JSON Schema: common types as fields, everything else as JSON.

import { formatJson, h } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "../words.js";
import { objectList } from "./object_list.js";

let count = 0;

/**
 * Returns `element`, `read()` for the entered object, which throws the first invalid field, and `fields`, each with
 * `name`, `element`, `read()` and `set(value)`.
 */
export function schemaForm(schema = {}, values = {}) {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    field(name, property ?? {}, values?.[name], (schema.required ?? []).includes(name)),
  );
  const element = h(
    "div",
    { class: "stack" },
    fields.map((one) => one.element),
  );
  if (!fields.length) element.append(h("p", { class: "faint" }, t("No arguments.")));
  return { element, fields, read: () => readFields(fields) };
}

function readFields(fields) {
  const found = {};
  for (const { name, read, required } of fields) {
    const value = read();
    if (value !== undefined) found[name] = value;
    else if (required) throw new Error(t("“{name}” is required", { name }));
  }
  return found;
}

function field(name, property, value, required) {
  const start = value === undefined ? property.default : value;
  const input = control(property, start);
  const id = `field-${(count += 1)}`;
  const hint = property.description
    ? h("small", { id: `${id}-hint`, class: "faint" }, property.description)
    : null;
  const target = input.focus ?? input.element;
  target.id = id;
  if (hint) target.setAttribute("aria-describedby", hint.id);
  const isGroup = target.getAttribute("role") === "group";
  if (isGroup) target.setAttribute("aria-label", property.title ?? name);
  else if (required) target.setAttribute("aria-required", "true");
  const label = h(
    "label",
    { for: id },
    property.title ?? name,
    required ? h("span", { class: "required", title: t("required") }, " *") : null,
  );
  if (input.isGroup) {
    const title = h("summary", {}, icon("chevron"), property.title ?? name);
    const element = h("details", { class: "more" }, title, hint, input.element);
    return { name, required, element, read: () => input.read(name), set: input.set };
  }
  const row =
    property.type === "boolean" ? h("div", { class: "row" }, input.element, label) : [label, input.element];
  const element = h("div", { class: "field" }, row, hint);
  return { name, required, element, read: () => input.read(name), set: input.set };
}

/** The options of a field with their titles, as a form of MCP's elicitation spells them; null without any. */
function optionsOf({ enum: all, enumNames = [], oneOf, anyOf }) {
  if (all) return all.map((value, index) => ({ value, title: enumNames[index] ?? formatJson(value) }));
  const titled = oneOf ?? anyOf;
  if (!titled?.length || !titled.every((one) => "const" in one)) return null;
  return titled.map((one) => ({ value: one.const, title: one.title ?? formatJson(one.const) }));
}

function control(property, start) {
  const type = Array.isArray(property.type) ? property.type.find((one) => one !== "null") : property.type;
  const options = optionsOf(property);
  if (options) return choice(options, start);
  if (type === "boolean") return check(start);
  if (type === "integer" || type === "number") return number(property, type, start);
  if (type === "string") return words(property, start);
  if (type === "array" && optionsOf(property.items ?? {})) return several(optionsOf(property.items), start);
  if (type === "array" && property.items?.type === "string") return lines(start);
  if (type === "array" && property.items?.properties) return objectList(property, start, schemaForm);
  if (type === "object" && property.properties) return nested(property, start);
  return json(start);
}

function choice(all, start) {
  const element = h(
    "select",
    {},
    h("option", { value: "" }, "–"),
    all.map(({ title }, index) => h("option", { value: String(index) }, title)),
  );
  const set = (value) => {
    const at = all.findIndex((one) => one.value === value);
    element.value = at >= 0 ? String(at) : "";
  };
  set(start);
  return { element, set, read: () => (element.value === "" ? undefined : all[Number(element.value)].value) };
}

/** A list of options, each on or off. */
function several(all, start) {
  const boxes = all.map(({ value, title }) => {
    const box = h("input", { type: "checkbox" });
    return { value, box, row: h("label", { class: "row" }, box, title) };
  });
  const set = (values) => boxes.forEach(({ value, box }) => (box.checked = (values ?? []).includes(value)));
  set(start);
  const element = h("div", { class: "stack", role: "group" }, boxes.map(({ row }) => row));
  const read = () => {
    const found = boxes.filter(({ box }) => box.checked).map(({ value }) => value);
    return found.length || start ? found : undefined;
  };
  return { element, set, read };
}

function check(start) {
  const element = h("input", { type: "checkbox", role: "switch", class: "switch" });
  let isKnown = start !== undefined; // nothing and no are different answers
  element.addEventListener("change", () => (isKnown = true));
  element.checked = Boolean(start);
  const set = (value) => {
    element.checked = Boolean(value);
    isKnown = true;
  };
  return { element, set, read: () => (element.checked || isKnown ? element.checked : undefined) };
}

function number({ minimum, maximum, multipleOf }, type, start) {
  const element = h("input", {
    type: "number",
    min: minimum,
    max: maximum,
    value: start ?? "",
    step: multipleOf ?? (type === "integer" ? 1 : "any"),
  });
  return {
    element,
    set: (value) => (element.value = value ?? ""),
    read: (name) => {
      if (!element.checkValidity()) throw new Error(`“${name}”: ${element.validationMessage}`);
      return element.value === "" ? undefined : Number(element.value);
    },
  };
}

const INPUT = {
  date: "date",
  time: "time",
  "date-time": "datetime-local",
  email: "email",
  uri: "url",
  password: "password",
};

function words({ maxLength, minLength, format, pattern }, start) {
  const long = format === "multiline" || maxLength > 200;
  const isTime = format === "date-time";
  const shown = (value) => (isTime ? localTime(value) : value) ?? "";
  const limits = { maxlength: maxLength, minlength: minLength, value: shown(start) };
  const element = long
    ? h("textarea", { rows: "4", ...limits })
    : h("input", { type: INPUT[format] ?? "text", pattern, ...limits });
  return {
    element,
    set: (value) => (element.value = shown(value)),
    read: (name) => {
      if (!element.checkValidity()) throw new Error(`“${name}”: ${element.validationMessage}`);
      if (element.value === "") return undefined;
      return isTime ? zonedTime(element.value) : element.value;
    },
  };
}

/** A moment as an input for local times shows it. */
function localTime(value) {
  const at = new Date(value ?? "");
  if (Number.isNaN(at.getTime())) return "";
  at.setMinutes(at.getMinutes() - at.getTimezoneOffset());
  return at.toISOString().slice(0, 16);
}

/** A local time with its seconds and its distance from UTC, as JSON Schema's `date-time` wants it. */
function zonedTime(text) {
  const minutes = -new Date(text).getTimezoneOffset();
  const two = (number) => String(Math.floor(Math.abs(number))).padStart(2, "0");
  const seconds = text.length === 16 ? ":00" : "";
  return `${text}${seconds}${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

function lines(start) {
  const element = h("textarea", { rows: "3", placeholder: t("One per line"), value: (start ?? []).join("\n") });
  return {
    element,
    set: (value) => (element.value = (value ?? []).join("\n")),
    read: () => {
      const found = element.value
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
      return found.length || start ? found : undefined;
    },
  };
}

function nested(property, start) {
  const inner = schemaForm(property, start ?? {});
  return {
    element: h("div", { class: "nested", role: "group" }, inner.element),
    isGroup: true,
    set: (value) => inner.fields.forEach((field) => field.set(value?.[field.name])),
    read: () => {
      const found = inner.read();
      return Object.keys(found).length ? found : undefined;
    },
  };
}

function json(start) {
  const element = h("textarea", {
    rows: "3",
    class: "mono",
    placeholder: "JSON",
    value: start === undefined ? "" : JSON.stringify(start, null, 2),
  });
  return {
    element,
    set: (value) => (element.value = value === undefined ? "" : JSON.stringify(value, null, 2)),
    read: (name) => {
      if (!element.value.trim()) return undefined;
      try {
        return JSON.parse(element.value);
      } catch (fault) {
        throw new Error(t("“{name}” is not valid JSON: {fault}", { name, fault: fault.message }));
      }
    },
  };
}
