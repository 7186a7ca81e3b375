// The components a tool may draw. Each is a part: `element`, and what of `value`, `set`,
// `clear`, `refresh`, `click` and `end` it needs. A type nobody knows is a box that says so.

import { h } from "../dom.js";
import { icon } from "../icon.js";
import { words } from "./component_shared.js";
import { html_renderer, list_display, table_display } from "./displays.js";
import { button, number_input, persona_selector, text_input, textarea_input } from "./inputs.js";
import { library } from "./snippets.js";

/** Makes one component for a surface (see features.js). */
export function make(component, surface) {
  const kind = Object.hasOwn(KINDS, component.type) ? KINDS[component.type] : unknown;
  const props = component.props ?? {};
  const part = kind({ ...component, props }, surface);
  part.element.dataset.component = component.id ?? "";
  part.refresh?.();
  return part;
}

const KINDS = {
  html_renderer,
  text_input,
  textarea_input,
  number_input,
  button,
  list_display,
  table_display,
  persona_selector,
  modal,
  library_loader: library("load"),
  library_saver: library("save"),
  library_manager: library("manage"),
};

/** A dialog inside a dialog, behind a button. */
function modal({ id, props, layout, components }, surface) {
  const inner = layout ?? {
    title: props.title ?? props.label ?? words(id),
    size: props.size,
    components: components ?? props.components ?? [],
  };
  const click = () => surface.open(inner);
  const press = h(
    "button",
    { type: "button", class: "outline", onclick: click },
    props.label ?? inner.title ?? "Open",
  );
  return { element: h("div", { class: "part-modal" }, press), click };
}

const unknown = ({ type }) => ({
  element: h(
    "p",
    { class: "placeholder" },
    icon("alert"),
    `This page does not know the component “${type ?? "without a type"}”.`,
  ),
});
