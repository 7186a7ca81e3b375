// Ghostpen's page: which view is shown, and in which language.

import { guarded, h, iconButton, showError } from "../dom.js";
import { isDark, toggleTheme } from "../state.js";
import { calendar } from "./calendar.js";
import { draft } from "./draft.js";
import { ideas } from "./ideas.js";
import { closeDraft, onChange, openDraft, readInfo, state } from "./state.js";
import { voice } from "./voice.js";
import { LANGS, choose, lang, t } from "./words.js";

const MODES = { ideas, voice, calendar };

const byId = (id) => document.getElementById(id);

let mode = "ideas";
let view = null;

/** `#/draft/ID`, `#/voice`, `#/calendar`; anything else is where ideas come in. */
function place() {
  const [, first = "", id = ""] = location.hash.split("/").map(decodeURIComponent);
  if (first === "draft" && id) return { wanted: "draft", id };
  return { wanted: Object.hasOwn(MODES, first) ? first : "ideas", id: "" };
}

async function follow() {
  const { wanted, id } = place();
  mode = wanted;
  if (wanted !== "ideas") state.removed = null;
  if (wanted === "draft") {
    try {
      if (state.draft?.id !== id) await openDraft(id);
    } catch (fault) {
      showError(fault);
      location.hash = "";
      return;
    }
  } else closeDraft();
  draw();
  byId("main").scrollTop = 0;
}

/** Draws the frame and the view anew. */
function draw() {
  document.documentElement.lang = lang();
  document.title = state.draft ? `${state.draft.topic} – Ghostpen` : "Ghostpen";
  byId("skip").textContent = t("skip");
  byId("home").setAttribute("aria-label", t("home"));
  byId("home").title = t("home");
  tools();
  modes();
  view?.end?.();
  view = state.info ? (mode === "draft" ? draft() : MODES[mode]()) : refused();
  byId("main").className = `pen-main view-${mode}`;
  byId("main").replaceChildren(view.element);
}

/** Without the overview there is nothing to show but why. */
function refused() {
  const { message = t("unreachable"), fix = "" } = state.refusal ?? {};
  const again = h("button", { type: "button", class: "outline", onclick: guarded(start) }, t("again"));
  const words = state.refusal?.status === 403 ? h("p", { class: "faint" }, t("operatorOnly")) : null;
  return { element: h("div", { class: "empty" }, h("h2", {}, message), h("p", { class: "faint" }, fix), words, again) };
}

function tools() {
  const pick = h("select", { id: "lang", "aria-label": t("language"), title: t("language") });
  for (const [name, label] of Object.entries(LANGS)) pick.append(h("option", { value: name }, label));
  pick.value = lang();
  pick.addEventListener("change", guarded(speak));
  byId("tools").replaceChildren(pick, iconButton(isDark() ? "sun" : "moon", t("theme"), turn, { id: "theme" }));
}

async function speak({ target }) {
  view?.keep?.();
  choose(target.value);
  await readInfo();
  if (state.draft) await openDraft(state.draft.id);
  draw();
  byId("lang").focus();
}

function turn() {
  toggleTheme();
  tools();
  byId("theme").focus();
}

function modes() {
  const tab = (name) => {
    const here = name === mode || (name === "ideas" && mode === "draft");
    const href = name === "ideas" ? "#/" : `#/${name}`;
    return h("a", { class: "mode", href, "aria-current": here && "page", "data-mode": name }, t(name));
  };
  byId("modes").setAttribute("aria-label", t("modes"));
  byId("modes").replaceChildren(...Object.keys(MODES).map(tab));
}

async function start() {
  await readInfo();
  await follow();
}

onChange((what) => view?.update?.(what));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tools);
byId("skip").addEventListener("click", (event) => {
  // The part after `#` names the view.
  event.preventDefault();
  byId("main").focus();
});
window.addEventListener("hashchange", guarded(follow));
window.addEventListener("pagehide", () => view?.keep?.());

start();
