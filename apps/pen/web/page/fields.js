// Fields of forms: a label with its part, and the list of profiles.

import { h } from "../dom.js";
import { t } from "./words.js";

export const field = (label, part) => h("div", { class: "field" }, h("label", { for: part.id }, label), part);

/** A list of profiles; broken ones cannot be chosen. */
export function choice(id, profiles, value) {
  const option = ({ name, kind, broken }) => {
    const label = broken ? `${name} – ${t("broken")}` : kind === "reference" ? `${name} (${t("reference")})` : name;
    return h("option", { value: name, disabled: Boolean(broken) }, label);
  };
  const select = h("select", { id }, profiles.map(option));
  const names = profiles.filter(({ broken }) => !broken).map(({ name }) => name);
  select.value = names.includes(value) ? value : (names[0] ?? "");
  return select;
}
