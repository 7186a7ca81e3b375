// Turns HTML that our server rendered into nodes. HTML from tools never gets here: see components/sealed_frame.js.

import { cardHead } from "./artifacts/card.js";
import { copyText, guarded, h, iconButton } from "./dom.js";
import { t } from "./words.js";

const NEVER = "script,style,link,meta,base,iframe,object,embed,form,template,noscript";
const LINKS = /^(https?:|mailto:|document:|#|\/(?!\/))/i;
/** Each of these may be written from right to left. */
const BLOCKS = "p,ul,ol,li,h1,h2,h3,h4,h5,h6,blockquote,dt,dd,td,th,summary";

/** The server has sanitised the HTML; this removes dangerous elements and attributes once more. */
export function nodesFromHtml(html) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const element of body.querySelectorAll(NEVER)) element.remove();
  for (const element of body.querySelectorAll("*")) clean(element);
  for (const block of body.querySelectorAll(BLOCKS)) block.dir = "auto";
  for (const pre of body.querySelectorAll("pre")) frameCode(pre);
  for (const table of body.querySelectorAll("table")) scrollable(table);
  for (const math of body.querySelectorAll("math[display=block]")) scrollable(math, "span");
  for (const picture of body.querySelectorAll("span.picture")) offerPicture(picture);
  for (const note of body.querySelectorAll("sup[class^=note-]")) linkNote(note);
  return [...body.childNodes];
}

/** Code with its language and a button to copy it; a diagram is drawn above its code. */
function frameCode(pre) {
  const language = /language-(\S+)/.exec(pre.firstElementChild?.className ?? "")?.[1] ?? "";
  const isArtifact = Boolean(pre.dataset.artifact);
  const frame = h("div", { class: isArtifact ? "code artifact" : "code" });
  pre.replaceWith(frame);
  pre.tabIndex = 0;
  if (isArtifact) frame.append(cardHead(pre, language));
  if (language === "mermaid") frame.append(h("div", { class: "diagram", "data-kept": pre.textContent }));
  if (isArtifact) return frame.append(pre);
  frame.append(
    pre,
    h(
      "div",
      { class: "code-head" },
      language ? h("span", { class: "language" }, language) : null,
      iconButton("copy", t("Copy code"), ({ currentTarget }) =>
        copyText(currentTarget.closest(".code").querySelector("pre").textContent),
      ),
    ),
  );
  return undefined;
}

function scrollable(element, tag = "div") {
  const scroll = h(tag, { class: "scroll", tabindex: "0" });
  element.replaceWith(scroll);
  scroll.append(element);
}

/** A picture from elsewhere: its address learns nothing before a person asks to see it. */
function offerPicture(picture) {
  const link = picture.querySelector("a[href]");
  if (!link) return;
  picture.dataset.kept = link.href;
  picture.prepend(
    h(
      "button",
      { type: "button", class: "outline sm", "data-picture": link.href, "data-alt": link.textContent },
      t("Show picture"),
    ),
  );
}

/** The number of a footnote leads to its text, and back. */
function linkNote(note) {
  const link = h("a", { href: "#", class: "note-link", "data-note": note.className });
  link.append(...note.childNodes);
  note.append(link);
}

/** Clicks on what is drawn above; one listener for the whole log, because elements come and go. */
export function followClicks(root) {
  root.addEventListener("click", (event) => {
    const note = event.target.closest?.("a.note-link");
    if (note) {
      event.preventDefault();
      const all = [...note.closest(".prose").querySelectorAll(`a[data-note="${CSS.escape(note.dataset.note)}"]`)];
      const isText = (one) => Boolean(one.closest(".note-text"));
      const other = all.find((one) => isText(one) !== isText(note));
      other?.scrollIntoView({ block: "center" });
      other?.focus();
    }
    const cited = event.target.closest?.('a[href^="document:"]');
    if (cited) {
      event.preventDefault();
      guarded(async () => (await import("./panels/document.js")).showDocument(cited.getAttribute("href")))();
    }
    const card = event.target.closest?.("[data-open-artifact]")?.closest(".artifact");
    if (card) guarded(async () => (await import("./artifacts/panel.js")).openArtifact(card))();
    const show = event.target.closest?.("button[data-picture]");
    if (show) showPicture(show);
  });
}

function showPicture(button) {
  const { picture, alt } = button.dataset;
  const src = /^\//.test(picture) ? picture : `/api/picture?url=${encodeURIComponent(picture)}`;
  const image = h("img", { src, alt, loading: "lazy" });
  image.addEventListener("error", () => image.replaceWith(h("span", { class: "fault" }, t("The picture could not be loaded."))));
  button.replaceWith(image);
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
