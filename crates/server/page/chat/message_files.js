// How a file looks: in the composer and in a message that was sent.

import { path } from "../api.js";
import { h } from "../dom.js";
import { icon } from "../icon.js";
import { formatNumber, t } from "../words.js";

const KINDS = {
  "application/pdf": "PDF",
  "application/vnd.oasis.opendocument": "OpenDocument",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
  "text/plain": t("text"),
};

const typeOf = (file) => file.mediaType ?? file.media_type ?? "";
const isPicture = (file) => typeOf(file).startsWith("image/");

export const fileAddress = (file) =>
  isPicture(file)
    ? path`/api/attachments/${file.digest}?name=${file.name}`
    : path`/api/attachments/${file.digest}?as=text&name=${file.name}`;

export function formatBytes(bytes) {
  if (bytes < 1000) return t("{n} B", { n: bytes });
  if (bytes < 1_000_000) return t("{n} kB", { n: Math.round(bytes / 1000) });
  return t("{n} MB", { n: formatNumber(bytes / 1_000_000, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) });
}

/** Kind, size, pages and tokens, as far as they are known. */
export function aboutFile(file) {
  const kind = KINDS[typeOf(file)] ?? typeOf(file).replace("image/", "").toUpperCase();
  const parts = [kind, formatBytes(file.bytes)];
  if (file.pages > 1) parts.push(t("{n} {n:page|pages}", { n: file.pages }));
  if (file.width) parts.push(`${file.width} × ${file.height}`);
  if (file.tokens) parts.push(t("about {n} {n:token|tokens}", { n: file.tokens }));
  if (file.cutAt) parts.push(t("the model gets the first {size}", { size: formatBytes(file.cutAt) }));
  return parts.join(" · ");
}

export function thumbnail(file) {
  if (!isPicture(file)) return h("span", { class: "thumb" }, icon("file"));
  return h("img", { class: "thumb", src: path`/api/attachments/${file.digest}`, alt: "", loading: "lazy" });
}

/** The files of a message. */
export function messageFiles(files) {
  if (!files?.length) return null;
  const one = (file) =>
    h(
      "li",
      { title: aboutFile(file) },
      h("a", { href: fileAddress(file), target: "_blank", rel: "noopener" }, thumbnail(file), h("span", { class: "file-name" }, file.name)),
    );
  return h("ul", { class: "files", "aria-label": t("Files") }, files.map(one));
}
