// The flashcards page: which view is shown, of which run, in which language.

import { guarded, h, iconButton, showError } from "../dom.js";
import { isDark, toggleTheme } from "../state.js";
import { edit } from "./edit.js";
import { flash } from "./flash.js";
import { notices } from "./notices.js";
import { reading } from "./reading.js";
import { keptQueue } from "./review/kept_queue.js";
import { review } from "./review/view.js";
import { close, onChange, open, readInfo, refresh, state } from "./run.js";
import { text } from "./text.js";
import { hideTip } from "./tip.js";
import { translation } from "./translation.js";
import { LOCALES, choose, locale, t } from "./words.js";

const MODES = { text, flash, review, reading, translation, edit };
/** Views that need no run: all texts together. */
const WITHOUT_RUN = ["text", "review"];

const byId = (id) => document.getElementById(id);

let mode = "text";
let view = null;

/** `#/RUN/MODE`; `#/review` is the review of all texts, and nothing is a new text. */
function place() {
  const [, run = "", wanted = ""] = location.hash.split("/").map(decodeURIComponent);
  if (run === "review") return { run: "", wanted: "review" };
  return { run, wanted: Object.hasOwn(MODES, wanted) ? wanted : "text" };
}

const link = (wanted) => {
  if (state.run) return `#/${encodeURIComponent(state.run.id)}/${wanted}`;
  return wanted === "review" ? "#/review" : "#";
};

async function follow() {
  const { run, wanted } = place();
  mode = run || WITHOUT_RUN.includes(wanted) ? wanted : "text";
  if (!run) close();
  else if (state.run?.id !== run) {
    try {
      await open(run);
    } catch (fault) {
      // Without a connection the cards of a text can still be reviewed, if this browser has kept them.
      const kept = mode === "review" && !fault.status && keptQueue(run)?.run;
      if (!kept) {
        showError(fault);
        location.hash = "";
        return;
      }
      state.run = kept;
    }
  }
  draw();
  byId("main").scrollTop = 0;
}

/** Draws the frame and the view anew. */
function draw() {
  hideTip();
  document.documentElement.lang = locale();
  document.title = state.run ? `${state.run.document} – ${t("title")}` : t("title");
  byId("title").textContent = state.run?.document ?? t("title");
  byId("skip").textContent = t("skip");
  byId("home").setAttribute("aria-label", t("home"));
  byId("home").title = t("home");
  tools();
  modes();
  notice();
  view?.end?.();
  view = MODES[mode]();
  byId("main").className = `cards-main view-${mode}`;
  byId("main").replaceChildren(view.element);
}

/** What stays the same stays where it is: somebody may be about to press it. */
function notice() {
  const [place, now] = [byId("notices"), notices()];
  const same = now.length === place.children.length && now.every((one, index) => one === place.children[index]);
  place.setAttribute("aria-live", state.run?.busy ? "off" : "polite");
  if (!same) place.replaceChildren(...now);
}

function tools() {
  const pick = h("select", { id: "locale", "aria-label": t("uiLanguage"), title: t("uiLanguage") });
  for (const [name, label] of Object.entries(LOCALES)) pick.append(h("option", { value: name }, label));
  pick.value = locale();
  pick.addEventListener("change", guarded(speak));
  const dark = isDark();
  byId("tools").replaceChildren(pick, iconButton(dark ? "sun" : "moon", t("theme"), turn, { id: "theme" }));
}

async function speak({ target }) {
  choose(target.value);
  await Promise.all([readInfo(), refresh()]);
  draw();
  byId("locale").focus();
}

function turn() {
  toggleTheme();
  tools();
  byId("theme").focus();
}

function modes() {
  const tab = (name) => {
    const here = name === mode;
    if (!state.run && !WITHOUT_RUN.includes(name)) return h("span", { class: "mode", "aria-disabled": "true" }, t(name));
    return h("a", { class: "mode", href: link(name), "aria-current": here && "page", "data-mode": name }, t(name));
  };
  byId("modes").setAttribute("aria-label", t("modes"));
  byId("modes").replaceChildren(...Object.keys(MODES).map(tab));
  showMode();
}

/** The tab of this view stays in sight on a narrow screen. */
const showMode = () => byId("modes").querySelector("[aria-current]")?.scrollIntoView({ inline: "nearest", block: "nearest" });

onChange((what) => {
  notice();
  if (what === "run" && state.run) view?.update?.();
  if (what === "info") view?.informed?.();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideTip();
  const typing = event.target.closest("input, textarea, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  view?.key?.(event);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tools);
window.addEventListener("hashchange", guarded(follow));
window.addEventListener("resize", showMode);

async function start() {
  await readInfo().catch((fault) => (!fault.status && place().wanted === "review") || showError(fault));
  await follow();
}

start();
