// How a person wants to review: what is asked for, how many new cards a day, which come first.

import { h } from "../../dom.js";
import { icon } from "../../icon.js";
import { t } from "../words.js";
import { wish, wishes } from "./session.js";

const RECALLS = ["meaning", "word", "gap"];

export function settings(changed) {
  const now = wishes();
  const set = (change) => {
    wish({ ...wishes(), ...change });
    changed();
  };
  const recall = (name) => {
    const box = h("input", { type: "checkbox", "data-recall-wish": name });
    box.checked = now.recall.includes(name);
    box.addEventListener("change", () => {
      const boxes = [...fold.querySelectorAll("[data-recall-wish]")];
      // Something has to be asked for.
      if (!boxes.some((one) => one.checked)) boxes[0].checked = true;
      set({ recall: boxes.filter((one) => one.checked).map((one) => one.dataset.recallWish) });
    });
    return h("label", { class: "check" }, box, t(`recall_${name}`));
  };
  const fold = h(
    "details",
    { class: "fold review-settings" },
    h("summary", {}, icon("chevron"), t("reviewSettings")),
    h(
      "div",
      { class: "stack" },
      h("fieldset", { class: "checks" }, h("legend", {}, t("askFor")), RECALLS.map(recall)),
      h("label", { class: "field" }, h("span", {}, t("newPerDay")), choice("fresh", ["0", "5", "10", "20", "50", "100"], String(now.fresh), (value) => set({ fresh: Number(value) }))),
      h("label", { class: "field" }, h("span", {}, t("newOrder")), choice("order", ["text", "frequency"], now.order, (value) => set({ order: value }), (name) => t(`order_${name}`))),
    ),
  );
  return fold;
}

function choice(name, values, value, changed, label = (one) => one) {
  const select = h("select", { "data-wish": name });
  for (const one of values) select.append(h("option", { value: one }, label(one)));
  select.value = value;
  select.addEventListener("change", () => changed(select.value));
  return select;
}
