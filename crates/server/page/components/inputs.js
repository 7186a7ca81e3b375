// Components for input: text, numbers, personas, buttons.

import { post } from "../api.js";
import { formatJson, h } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "../words.js";
import { cssSize, labelFromId, loader } from "./component_shared.js";
import { listPersonas, readSource, watchSource } from "./data_source.js";

export function text_input(component, surface) {
  const input = h("input", { type: "text", maxlength: component.props.max_length });
  return field(component, surface, input, (event) => event.key === "Enter");
}

export function textarea_input(component, surface) {
  const input = h("textarea", {
    rows: component.props.rows ?? 4,
    maxlength: component.props.max_length,
    style: { "min-height": cssSize(component.props.min_height) ?? "" },
  });
  const base = field(
    component,
    surface,
    input,
    (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey),
  );
  if (component.props.show_ai_edit) base.element.append(aiEdit(input, component.props.ai_edit_label));
  return base;
}

/** Lets the model rewrite the text: a button, then an instruction. */
function aiEdit(input, label = t("Edit with AI")) {
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const instruction = h("input", {
    type: "text",
    maxlength: "2000",
    placeholder: t("How should the text change?"),
    "aria-label": t("How should the text change?"),
  });
  const go = h("button", { class: "outline" }, t("Rewrite"));
  const change = async (event) => {
    event.preventDefault();
    if (go.disabled || !instruction.value.trim()) return;
    go.disabled = true;
    fault.hidden = true;
    try {
      const { text } = await post("/ai_edit", { text: input.value, instruction: instruction.value.trim() });
      input.value = text;
      instruction.value = "";
      form.hidden = true;
      input.focus();
    } catch (problem) {
      fault.textContent = [problem.message, problem.fix].filter(Boolean).join(". ");
      fault.hidden = false;
    }
    go.disabled = false;
  };
  const form = h("form", { class: "row", hidden: true, onsubmit: change }, instruction, go);
  const toggle = () => {
    form.hidden = !form.hidden;
    if (!form.hidden) instruction.focus();
  };
  const press = h("button", { type: "button", class: "ghost sm", onclick: toggle }, icon("sparkles"), label);
  return h("div", { class: "ai-edit" }, press, form, fault);
}

export function number_input(component, surface) {
  const { min, max, step } = component.props;
  const input = h("input", { type: "number", inputmode: "decimal", min, max, step: step ?? "any" });
  const base = field(component, surface, input, (event) => event.key === "Enter");
  // The limits of the component, in words; null if the number is within them.
  const problem = () => {
    const value = Number(input.value);
    if (input.validity.badInput) return t("{name} must be a number", { name: base.name });
    if (input.value === "") return null;
    if (input.validity.rangeOverflow || value > Number(max ?? Infinity)) return t("{name} must be at most {n}", { name: base.name, n: max });
    if (input.validity.rangeUnderflow || value < Number(min ?? -Infinity)) return t("{name} must be at least {n}", { name: base.name, n: min });
    return input.validity.stepMismatch ? t("{name} must be in steps of {n}", { name: base.name, n: step }) : null;
  };
  return { ...base, problem, value: () => (input.value === "" ? null : Number(input.value)) };
}

/** Shared by the three inputs; `submits` tells which key press clicks the target button. */
function field({ id, props, data_source: source }, surface, input, submits) {
  const name = props.label ?? props.placeholder ?? labelFromId(id);
  input.disabled = Boolean(props.disabled);
  if (props.placeholder) input.placeholder = props.placeholder;
  if (cssSize(props.width)) input.style.width = cssSize(props.width);
  input.setAttribute("aria-label", name);
  input.addEventListener("keydown", (event) => {
    if (!props.submit_target || !submits(event)) return;
    event.preventDefault();
    surface.components.get(props.submit_target)?.click?.();
  });
  const element = h(
    "div",
    { class: "field" },
    props.label ? h("span", { "aria-hidden": "true" }, props.label) : null,
    input,
  );
  let touched = false; // a late load must not overwrite what a person typed
  input.addEventListener("input", () => (touched = true));
  const set = (value) => {
    input.value = value === null || value === undefined ? "" : formatJson(value);
    touched = false;
  };
  const load = loader(element, async () => {
    const value = (await readSource(source)) ?? props.default_value;
    if (!touched) set(value);
  });
  const refresh = () => {
    touched = false;
    return load();
  };
  const end = watchSource(source, () => document.activeElement !== input && load());
  return { element, name, refresh, set, value: () => input.value, clear: () => set(""), end };
}

export function persona_selector({ id, props }) {
  const select = h("select", { "aria-label": props.placeholder ?? labelFromId(id) });
  const element = h("div", { class: "field" }, select);
  const refresh = loader(element, async () => {
    const names = (await listPersonas()).map(({ name }) => [name, name]);
    if (props.include_user) names.push(["user", t("You")]);
    const before = select.value;
    select.replaceChildren(
      ...names.map(([value, name]) => h("option", { value }, name)),
    );
    if (!names.length) select.append(h("option", { value: "" }, props.placeholder ?? t("No personas")));
    select.value = [...select.options].some(({ value }) => value === before)
      ? before
      : select.options[0].value;
  });
  return {
    element,
    refresh,
    value: () => select.value,
    set: (value) => (select.value = value),
    clear: () => (select.selectedIndex = 0),
  };
}

const VARIANT = {
  default: "primary",
  primary: "primary",
  secondary: "outline",
  outline: "outline",
  ghost: "ghost",
  danger: "danger",
  destructive: "danger",
};

export function button({ props, actions = [] }, surface) {
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const face = h("span", {}, props.label ?? t("OK"));
  const press = h(
    "button",
    {
      type: "button",
      disabled: props.disabled,
      class: `${VARIANT[props.variant] ?? "primary"} ${props.size ?? "md"}`,
    },
    props.icon ? icon(props.icon) : null,
    face,
  );
  const click = async () => {
    if (press.disabled) return;
    press.disabled = true;
    face.textContent = t("Loading…");
    fault.hidden = true;
    try {
      for (const action of actions.filter(({ trigger = "click" }) => trigger === "click")) {
        const problem = await surface.runAction(action);
        if (problem) throw new Error(problem);
      }
    } catch (problem) {
      fault.textContent = problem.message;
      fault.hidden = false;
    }
    press.disabled = false;
    face.textContent = props.label ?? t("OK");
  };
  press.addEventListener("click", click);
  return { element: h("div", { class: "part-button" }, press, fault), click };
}
