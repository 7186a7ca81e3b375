// The text as the posts of a platform, each with its length as that platform counts it.

import { h } from "../dom.js";
import { icon } from "../icon.js";
import { state } from "./state.js";
import { platformName, t } from "./words.js";

export function preview() {
  const tabs = h("div", { class: "platform-tabs", role: "group", "aria-label": t("platforms") });
  const posts = h("ol", { class: "thread", id: "thread" });
  const element = h("section", { class: "card beside-card", "aria-labelledby": "preview-title" }, h("h3", { id: "preview-title" }, t("preview")), tabs, posts);
  let threads = [];
  let shown = null;

  const draw = () => {
    const tab = (one) => {
      const count = one.posts.length > 1 ? ` ${one.posts.length}` : "";
      return h("button", { type: "button", class: "platform-tab", "aria-pressed": String(one.platform === shown), "data-platform": one.platform, onclick: () => ((shown = one.platform), draw(), tabs.querySelector("[aria-pressed=true]").focus()) }, platformName(one.platform), count && h("span", { class: "tab-count" }, count));
    };
    const now = threads.find(({ platform }) => platform === shown);
    tabs.replaceChildren(...threads.map(tab));
    posts.replaceChildren(...(now ? thread(now) : []));
  };

  return {
    element,
    show(all, platform) {
      shown ??= platform;
      if (all.length) threads = all;
      element.hidden = !threads.some((one) => one.posts.length || one.fault);
      draw();
    },
  };
}

function thread({ platform, limit, posts, fault }) {
  if (fault) return [h("li", { class: "post bad" }, icon("alert"), fault)];
  const fold = state.info?.platforms.find(({ name }) => name === platform)?.fold;
  return posts.map(({ text, length }) =>
    h("li", { class: "post" }, h("p", { class: "post-text", dir: "auto" }, body(text, posts.length === 1 ? fold : null)), h("span", { class: `post-count${length > limit ? " over" : ""}` }, `${length} / ${limit}`)),
  );
}

/** The place where the platform folds a post. */
function body(text, fold) {
  const letters = [...text];
  if (!fold || letters.length <= fold) return [text];
  const line = h("span", { class: "fold-line" }, t("folded"));
  return [letters.slice(0, fold).join(""), line, letters.slice(fold).join("")];
}
