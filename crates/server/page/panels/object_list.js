// A list of objects in a form generated from a schema: a box with fields for each, added and removed one by one.

import { h, iconButton } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "../words.js";

/** A control of `schema_form.js`, which hands itself over as `schemaForm`. */
export function objectList({ items, maxItems = 100 }, start, schemaForm) {
  const list = h("div", { class: "stack" });
  const add = h("button", { type: "button", class: "outline sm", onclick: () => append({}).focus() }, icon("plus"), t("Add an entry"));
  let rows = [];
  const limit = () => (add.disabled = rows.length >= maxItems);
  const append = (value) => {
    const form = schemaForm(items, value);
    const row = { form, box: null };
    const remove = () => {
      rows = rows.filter((one) => one !== row);
      row.box.remove();
      limit();
      add.focus();
    };
    row.box = h("div", { class: "entry-box", role: "group", "aria-label": t("Entry {n}", { n: rows.length + 1 }) }, form.element, iconButton("trash", t("Remove this entry"), remove));
    rows.push(row);
    list.append(row.box);
    limit();
    return row.box.querySelector("input, textarea, select") ?? add;
  };
  const set = (values) => {
    rows = [];
    list.replaceChildren();
    for (const value of values ?? []) append(value);
  };
  set(start);
  const element = h("div", { class: "stack", role: "group" }, list, h("div", { class: "row" }, add));
  const read = () => {
    const found = rows.map(({ form }) => form.read());
    return found.length || start ? found : undefined;
  };
  return { element, set, read };
}
