// Turns HTML that our server rendered into nodes. HTML from tools never gets here: see components/sealed_frame.js.

import { copyText, h, iconButton } from "./dom.js";

const NEVER = "script,style,link,meta,base,iframe,object,embed,form,template,noscript";
const LINKS = /^(https?:|mailto:|#|\/(?!\/))/i;

/** The server has sanitised the HTML; this removes dangerous elements and attributes once more. */
export function nodesFromHtml(html) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const element of body.querySelectorAll(NEVER)) element.remove();
  for (const element of body.querySelectorAll("*")) clean(element);
  for (const pre of body.querySelectorAll("pre")) {
    const frame = h("div", { class: "code" });
    pre.replaceWith(frame);
    pre.tabIndex = 0;
    frame.append(
      pre,
      iconButton("copy", "Copy code", ({ currentTarget }) =>
        copyText(currentTarget.parentElement.querySelector("pre").textContent),
      ),
    );
  }
  for (const table of body.querySelectorAll("table")) {
    const scroll = h("div", { class: "scroll", tabindex: "0" });
    table.replaceWith(scroll);
    scroll.append(table);
  }
  return [...body.childNodes];
}

function clean(element) {
  for (const { name, value } of [...element.attributes]) {
    const link = name === "href" && !LINKS.test(value.trim());
    const source = name === "src" && !/^(data:image\/|\/(?!\/))/i.test(value.trim());
    if (name.startsWith("on") || name === "style" || name === "srcset" || link || source)
      element.removeAttribute(name);
  }
  if (element.tagName === "A" && element.getAttribute("href")?.match(/^https?:/i)) {
    element.setAttribute("target", "_blank");
    element.setAttribute("rel", "noopener noreferrer");
  }
}
