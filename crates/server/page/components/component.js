// The components a tool may use in a form. A component is an object with `element` and, as needed,
// `value`, `set`, `clear`, `refresh`, `click` and `end`; `loaded` settles when its first data is there. An unknown type draws a placeholder.

import { h } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "../words.js";
import { labelFromId } from "./component_shared.js";
import { html_renderer, list_display, table_display } from "./displays.js";
import { button, number_input, persona_selector, text_input, textarea_input } from "./inputs.js";
import { libraryComponent } from "./snippets.js";

/** Creates a component from its declaration, for a surface (see features.js). */
export function createComponent(declaration, surface) {
  const create = Object.hasOwn(TYPES, declaration.type) ? TYPES[declaration.type] : unknown;
  const props = declaration.props ?? {};
  const component = create({ ...declaration, props }, surface);
  component.element.dataset.component = declaration.id ?? "";
  component.loaded = component.refresh?.();
  return component;
}

const TYPES = {
  html_renderer,
  text_input,
  textarea_input,
  number_input,
  button,
  list_display,
  table_display,
  persona_selector,
  modal,
  library_loader: libraryComponent("load"),
  library_saver: libraryComponent("save"),
  library_manager: libraryComponent("manage"),
};

/** A button that opens a nested dialog. */
function modal({ id, props, layout, components }, surface) {
  const inner = layout ?? {
    title: props.title ?? props.label ?? labelFromId(id),
    size: props.size,
    components: components ?? props.components ?? [],
  };
  const click = () => surface.open(inner);
  const press = h(
    "button",
    { type: "button", class: "outline", onclick: click },
    props.label ?? inner.title ?? t("Open"),
  );
  return { element: h("div", { class: "part-modal" }, press), click };
}

const unknown = ({ type }) => ({
  element: h(
    "p",
    { class: "placeholder" },
    icon("alert"),
    t("Unknown component type “{type}”.", { type: type ?? "" }),
  ),
});
