// The panel beside the conversation that shows one artifact: preview, source, versions, copy, download.

import { get, path } from "../api.js";
import { announce, copyText, guarded, h, iconButton } from "../dom.js";
import { on, state } from "../state.js";
import { t } from "../words.js";
import { countLines, kindIcon, kindName, lineCount, shownTitle } from "./card.js";
import { followWidth, loadStyles } from "./panel_layout.js";
import { drawView, hasPreview } from "./views.js";

/** A text that is being written is drawn again at most so often. */
const LIVE_MS = 250;

let panel = null; // see makePanel
let place = null; // where the conversation has what is shown: { conversation, key, block }
let item = null; // what is shown
let drawn = null; // its view, see views.js
let view = "preview";
let liveTimer = null;

/** Opens what a card shows. */
export const openArtifact = guarded(async (card) => {
  await loadStyles();
  panel ??= makePanel();
  place = placeOf(card);
  view = "preview";
  await load();
  panel.title.focus();
});

function placeOf(card) {
  const entry = card.closest("[data-key]");
  const block = [...entry.querySelectorAll(".artifact")].indexOf(card);
  return { conversation: state.conversation?.id, key: entry.dataset.key, block };
}

function cardAt({ key, block }) {
  const entry = document.querySelector(`.log [data-key="${CSS.escape(key)}"]`);
  return entry?.querySelectorAll(".artifact")[block] ?? null;
}

/** Shows what is at the place, or its newest version: from the log, or from the page while it is being written. */
async function load({ newest = false } = {}) {
  const card = cardAt(place);
  if (card?.closest(".writing")) return show(itemOf(card));
  const { conversation, key, block } = place;
  const all = await get(path`/conversations/${conversation}/artifacts`);
  const isHere = (version) => version.entry === key && version.block === block;
  const found = all.find(({ versions }) => versions.some(isHere));
  if (!found) return card && show(itemOf(card));
  return loadVersion(found.id, newest ? found.versions.length : found.versions.findIndex(isHere) + 1);
}

async function loadVersion(id, number) {
  const { conversation } = place;
  const loaded = await get(path`/conversations/${conversation}/artifacts/${id}?version=${number}`);
  if (!panel || place?.conversation !== conversation) return;
  const { entry: key, block } = loaded.versions[number - 1];
  place = { conversation, key, block };
  show(loaded);
}

/** What a card shows, as long as the log does not have it. */
function itemOf(card) {
  const pre = card.querySelector("pre");
  const { artifact: kind, title, file } = pre.dataset;
  const language = /language-(\S+)/.exec(pre.firstElementChild?.className ?? "")?.[1] ?? "";
  return { kind, title, file, language, text: pre.textContent, versions: [], isLive: true };
}

/** Draws an item; the view of a text that grows is kept. */
function show(next) {
  const isSame = item?.isLive && next.isLive && item.kind === next.kind && drawn;
  const isFinal = item && !item.isLive && !next.isLive;
  const isUnchanged = isFinal && item.text === next.text && item.kind === next.kind && drawn?.view === view;
  item = next;
  drawHead();
  if (isSame && drawn.update) drawn.update(item);
  else if (!isUnchanged) drawBody();
}

function drawHead() {
  const { kind, language, text, versions, isLive } = item;
  const title = shownTitle(item.title, language);
  panel.title.textContent = title;
  panel.aside.setAttribute("aria-label", title);
  panel.icon.replaceChildren(kindIcon(kind));
  const about = [kindName(kind, language), lineCount(countLines(text))];
  if (isLive && state.running) about.push(t("being written"));
  panel.about.textContent = about.join(" · ");
  panel.versions.hidden = versions.length < 2;
  panel.count.textContent = `${item.version}/${versions.length}`;
  panel.count.setAttribute("aria-label", t("Version {n} of {all}", { n: item.version, all: versions.length }));
  panel.previous.disabled = !(item.version > 1);
  panel.next.disabled = !(item.version < versions.length);
  panel.tabs.hidden = !hasPreview(item);
  for (const tab of panel.tabs.children) {
    const isChosen = tab.dataset.view === view;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
}

function drawBody() {
  drawn?.end?.();
  drawn = { ...drawView({ ...item, title: shownTitle(item.title, item.language) }, view), view };
  panel.body.replaceChildren(drawn.element);
}

function chooseView(next) {
  view = next;
  drawHead();
  drawBody();
  panel.tabs.querySelector("[aria-selected=true]").focus();
}

const chooseVersion = guarded(async (step) => {
  const to = (item.version ?? 0) + step;
  if (to < 1 || to > item.versions.length) return;
  await loadVersion(item.id, to);
  announce(t("Version {n} of {all}", { n: item.version, all: item.versions.length }));
});

function download() {
  const href = URL.createObjectURL(new Blob([item.text], { type: "text/plain" }));
  h("a", { href, download: item.file }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** Closes the panel; the focus goes back to the card. */
export function closePanel() {
  if (!panel) return;
  const hadFocus = panel.aside.contains(document.activeElement);
  drawn?.end?.();
  panel.end();
  panel.aside.remove();
  const opener = place && cardAt(place)?.querySelector("[data-open-artifact]");
  panel = item = drawn = place = null;
  if (hadFocus) (opener ?? document.getElementById("draft")).focus();
}

function makePanel() {
  const title = h("h2", { tabindex: "-1" });
  const about = h("p", { class: "artifact-about" });
  const mark = h("span", { class: "artifact-icon" });
  const count = h("span", { role: "img" });
  const previous = iconButton("chevron", t("Previous version of the artifact"), () => chooseVersion(-1), { class: "quiet previous" });
  const next = iconButton("chevron", t("Next version of the artifact"), () => chooseVersion(1), { class: "quiet next" });
  const onarrows = ({ key }) => chooseVersion({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0);
  const versions = h("div", { class: "versions", role: "group", "aria-label": t("Versions"), onkeydown: onarrows }, previous, count, next);
  const tab = (name, label) =>
    h("button", { type: "button", role: "tab", class: "sm", "data-view": name, "aria-controls": "artifact-body", onclick: () => chooseView(name) }, label);
  const ontabkeys = ({ key }) => ["ArrowLeft", "ArrowRight"].includes(key) && chooseView(view === "preview" ? "source" : "preview");
  const tabs = h("div", { role: "tablist", "aria-label": t("View"), onkeydown: ontabkeys }, tab("preview", t("Preview")), tab("source", t("Source")));
  const body = h("div", { class: "artifact-body", id: "artifact-body", role: "tabpanel", "aria-label": t("Artifact") });
  const handle = h("div", { class: "artifact-handle", role: "separator", tabindex: "0", "aria-label": t("Width of the panel"), "aria-orientation": "vertical" });
  const aside = h(
    "aside",
    { class: "artifact-panel" },
    handle,
    h(
      "header",
      { class: "artifact-bar" },
      mark,
      h("div", { class: "grow" }, title, about),
      iconButton("copy", t("Copy the artifact"), () => copyText(item.text)),
      iconButton("download", t("Download the artifact"), download),
      iconButton("x", t("Close the artifact"), closePanel),
    ),
    h("div", { class: "artifact-tools" }, tabs, versions),
    body,
  );
  aside.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    closePanel();
  });
  aside.addEventListener("leave", closePanel);
  document.getElementById("app").append(aside);
  const width = followWidth(aside, handle);
  const ends = [width, followLog(), on("turn_ended", reload), on("conversation", closeElsewhere)];
  const end = () => ends.forEach((one) => one());
  return { aside, title, about, icon: mark, versions, count, previous, next, tabs, body, end };
}

/** After an answer there may be a new version, which follows the one that was the newest. */
const reload = guarded(async () => panel && item && load({ newest: item.version === item.versions.length }));

const closeElsewhere = (conversation) => conversation?.id !== place?.conversation && closePanel();

/** Follows what is being written: the artifact that is shown, or a new version of it. */
function followLog() {
  const look = () => {
    liveTimer = null;
    if (!panel || !item) return;
    const writing = [...document.querySelectorAll(".log .writing .artifact")];
    const isNewer = (card) => {
      const { title, artifact, named } = card.querySelector("pre").dataset;
      return Boolean(named) && title === item.title && artifact === item.kind;
    };
    const card = writing.find((one) => one === cardAt(place)) ?? writing.find(isNewer);
    if (card) {
      place = placeOf(card);
      show(itemOf(card));
    } else if (item.isLive) {
      guarded(load)();
    }
  };
  const observer = new MutationObserver(() => (liveTimer ??= setTimeout(look, LIVE_MS)));
  observer.observe(document.getElementById("log"), { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["class"] });
  return () => {
    observer.disconnect();
    clearTimeout(liveTimer);
    liveTimer = null;
  };
}
