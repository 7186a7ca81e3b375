// A form generated from a JSON Schema: common types as fields, everything else as JSON.

import { formatJson, h } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "../words.js";

let count = 0;

/** Returns `element`, and `read()` for the entered object; `read` throws the first invalid field. */
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
  return { element, read: () => readFields(fields) };
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
  if (required) target.setAttribute("aria-required", "true");
  const label = h(
    "label",
    { for: id },
    property.title ?? name,
    required ? h("span", { class: "required", title: t("required") }, " *") : null,
  );
  if (input.isGroup) {
    const title = h("summary", {}, icon("chevron"), property.title ?? name);
    const element = h("details", { class: "more" }, title, hint, input.element);
    return { name, required, element, read: () => input.read(name) };
  }
  const row =
    property.type === "boolean" ? h("div", { class: "row" }, input.element, label) : [label, input.element];
  return { name, required, element: h("div", { class: "field" }, row, hint), read: () => input.read(name) };
}

function control(property, start) {
  const type = Array.isArray(property.type) ? property.type.find((one) => one !== "null") : property.type;
  if (property.enum) return choice(property.enum, start);
  if (type === "boolean") return check(start);
  if (type === "integer" || type === "number") return number(property, type, start);
  if (type === "string") return words(property, start);
  if (type === "array" && property.items?.type === "string") return lines(start);
  if (type === "object" && property.properties) return nested(property, start);
  return json(start);
}

function choice(all, start) {
  const element = h(
    "select",
    {},
    h("option", { value: "" }, "–"),
    all.map((one, index) => h("option", { value: String(index) }, formatJson(one))),
  );
  const at = all.findIndex((one) => one === start);
  if (at >= 0) element.value = String(at);
  return { element, read: () => (element.value === "" ? undefined : all[Number(element.value)]) };
}

function check(start) {
  const element = h("input", { type: "checkbox", role: "switch", class: "switch" });
  element.checked = Boolean(start);
  return { element, read: () => (element.checked || start !== undefined ? element.checked : undefined) };
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
  const limits = { maxlength: maxLength, minlength: minLength, value: start ?? "" };
  const element = long
    ? h("textarea", { rows: "4", ...limits })
    : h("input", { type: INPUT[format] ?? "text", pattern, ...limits });
  return {
    element,
    read: (name) => {
      if (!element.checkValidity()) throw new Error(`“${name}”: ${element.validationMessage}`);
      return element.value === "" ? undefined : element.value;
    },
  };
}

function lines(start) {
  const element = h("textarea", { rows: "3", placeholder: t("One per line"), value: (start ?? []).join("\n") });
  return {
    element,
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
