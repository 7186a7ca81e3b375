// Lines that went and lines that came.

import { h } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "./words.js";

export function lines(changes) {
  const line = ({ change, line }) => {
    const gone = change === "removed";
    const tag = gone ? "del" : "ins";
    return h("li", { class: change }, h("span", { class: "sign", "aria-hidden": "true" }, gone ? "−" : "+"), h("span", { class: "sr" }, `${t(gone ? "removedLine" : "addedLine")}: `), h(tag, {}, line));
  };
  return h("ul", { class: "diff" }, changes.map(line));
}

export function changeList(changes) {
  return h("details", { class: "fold card changes", open: true }, h("summary", {}, icon("chevron"), t("changed")), lines(changes));
}
