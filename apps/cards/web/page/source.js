// Texts from files and pages on the web: the server reads them, and the person sees them first.

import { guarded, h, toast } from "../dom.js";
import { readFile, readPage } from "./run.js";
import { t } from "./words.js";

const ENDINGS = ".txt,.md,.srt,.vtt,.html,.htm,.xhtml,.epub,text/plain,text/html,application/epub+zip";

/** A button for a file and a field for an address; `fill` gets what was read. */
export function sources(language, fill) {
  const input = h("input", { type: "file", id: "source-file", accept: ENDINGS, class: "sr", "aria-label": t("openFile") });
  const address = h("input", { type: "url", id: "source-url", placeholder: "https://", "aria-label": t("pageAddress"), autocomplete: "off" });
  const press = h("button", { type: "button", class: "outline", id: "source-read" }, t("readPage"));

  const taken = (read) => {
    fill(read);
    toast(t("wasRead", { name: read.name }));
  };
  const open = guarded(async (file) => taken(await readFile({ name: file.name, base64: await base64(file), language: language() })));
  const fetchPage = guarded(async () => {
    if (!address.reportValidity() || !address.value) return;
    press.disabled = true;
    try {
      taken(await readPage({ url: address.value, language: language() }));
      address.value = "";
    } finally {
      press.disabled = false;
    }
  });

  input.addEventListener("change", async () => {
    if (input.files.length) await open(input.files[0]);
    input.value = "";
  });
  press.addEventListener("click", fetchPage);
  address.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    fetchPage();
  });
  const pick = h("button", { type: "button", class: "outline", id: "source-open", title: t("fileKinds"), onclick: () => input.click() }, t("openFile"));
  const element = h("div", { class: "sources" }, pick, input, h("span", { class: "faint small" }, t("orPage")), address, press);
  return { element, open };
}

/** The bytes of a file, as the API takes them. */
async function base64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts = [];
  for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(parts.join(""));
}
