// One draft: its text with live findings, remarks, the last change, and how it will look.

import { announce, guarded, h, iconButton, toast } from "../dom.js";
import { icon } from "../icon.js";
import { changeList } from "./changes.js";
import { editor } from "./editor.js";
import { findings } from "./findings.js";
import { removeAndTell, statusOf } from "./ideas.js";
import { preview } from "./preview.js";
import { promptPanel } from "./prompt.js";
import { question } from "./question.js";
import { remarks, told } from "./remarks.js";
import { check, edit, kept, onceQuiet, plan, say, siblings, state, stop, write } from "./state.js";
import { lang, platformName, t } from "./words.js";

/** A hand edit becomes a version this long after the text field is left. */
const COMMIT_MS = 300;

export function draft() {
  const { id } = state.draft;
  const parts = build();
  let checked = null;
  let base = state.draft.text;
  let commit = 0;
  const field = editor(() => {
    keep();
    parts.bar.unsent.hidden = field.value() === base;
    weigh();
  });
  const list = findings((from, to) => field.select(from, to));
  const look = preview();
  const panel = promptPanel();

  const weigh = onceQuiet(async () => {
    const text = field.value();
    const found = await check(text, id);
    if (text !== field.value()) return;
    show(found);
  });

  const show = (found) => {
    checked = found;
    field.mark(found.violations);
    list.show(found, Boolean(field.value().trim()));
    look.show(found.threads ?? [], state.draft.platform);
    parts.bar.count.textContent = `${found.length} / ${found.lengthMax}`;
    parts.bar.count.classList.toggle("over", found.length > found.lengthMax);
  };

  /** What was typed survives a reload. */
  const keep = () => {
    const text = field.value();
    kept.set(`text-${id}`, text === base ? null : { base, text });
  };

  /** Every action takes the typed text with it, so nothing typed is lost. */
  const typed = () => (field.value() === base ? undefined : field.value());
  const act = (line) =>
    guarded(async () => {
      clearTimeout(commit);
      state.quiet = false;
      await say(line, typed());
    });

  /** Stores what was typed as a version. */
  const store = async () => {
    clearTimeout(commit);
    if (state.draft?.id === id && typed() !== undefined && field.value().trim()) await edit(field.value());
  };

  const leave = () => {
    clearTimeout(commit);
    if (typed() === undefined || !field.value().trim()) return;
    commit = setTimeout(guarded(async () => state.live || store()), COMMIT_MS);
  };
  field.area.addEventListener("change", leave);

  parts.fill({ act, store, field, panel, list, look });

  /** The draft as the server has it now. */
  const draw = () => {
    const now = state.draft;
    const isTyping = field.value() !== base && !field.area.readOnly;
    base = now.text;
    field.free();
    if (!isTyping) field.set(now.text);
    keep();
    parts.update(now, field.value());
    panel.update();
    if (now.check) show({ ...checked, ...now.check });
    weigh.now();
  };

  const live = () => {
    if (state.quiet) return;
    const { partial = "", step, busy } = state.live ?? {};
    parts.work(Boolean(busy), partial, step);
    if (busy) field.hold(partial || field.value());
  };

  field.set(base);
  restore(id, base, field, parts);
  draw();
  live();
  const update = (what) => {
    // Another draft is being opened.
    if (state.draft?.id !== id) return;
    if (what === "live") live();
    if (what === "info") parts.tabs();
    if (what === "draft") {
      parts.work(false);
      draw();
      announce(state.draft.seat.fault ? `${t("fault")}: ${state.draft.seat.fault.what}` : t("version", { n: state.draft.version, all: state.draft.versions }));
      for (const { kind, label, value } of state.draft.seat.shown) if (kind === "value") toast(`${label} ${value}`);
      if (state.draft.seat.by_hand) field.area.focus();
    }
  };
  return { element: parts.element, update, keep, end: () => clearTimeout(commit) };
}

/** Deletes the open draft; the list of drafts says so and has the way back. */
const leaveAndRemove = guarded(async () => {
  const { id, topic } = state.draft;
  location.hash = "#/";
  await removeAndTell({ id, topic });
});

/** Brings back what was typed before a reload. */
function restore(id, base, field, parts) {
  const before = kept.get(`text-${id}`);
  if (!before || before.text === base) return;
  if (before.base === base) {
    field.set(before.text);
    return;
  }
  const gone = () => parts.rescue.replaceChildren();
  const back = () => {
    field.set(before.text);
    field.area.dispatchEvent(new Event("input"));
    gone();
  };
  parts.rescue.replaceChildren(
    h(
      "div",
      { class: "banner calm" },
      icon("clock"),
      h("p", { class: "grow" }, t("otherBrowserText")),
      h("button", { type: "button", class: "outline sm", onclick: back }, t("bringBack")),
      h("button", { type: "button", class: "ghost sm", onclick: () => (kept.set(`text-${id}`, null), gone()) }, t("forget")),
    ),
  );
}

/** The elements of the view, and how they follow the draft. */
function build() {
  const tabs = h("nav", { class: "tabs", "aria-label": t("platforms") });
  const head = h("p", { class: "faint small", id: "draft-head" });
  const rescue = h("div", {});
  const said = h("div", { class: "said", id: "said", "aria-live": "polite" });
  const asked = h("div", { id: "asked" });
  const progress = h("div", { class: "progress", id: "progress", hidden: true });
  const changes = h("div", { id: "changes" });
  const bar = {
    count: h("span", { class: "count", id: "count" }),
    version: h("span", { class: "faint small", id: "version" }),
    unsent: h("span", { class: "chip", id: "unsent", hidden: true }, t("unsent")),
  };
  const parts = { element: h("div", { class: "desk" }), rescue, bar };
  let controls = [];
  let actions = null;

  parts.fill = ({ act, store, field, panel, list, look }) => {
    const press = (id, name, label, line, kind = "outline") => {
      const button = h("button", { type: "button", class: `${kind} sm`, id }, icon(name), label);
      button.addEventListener("click", () => run(line));
      return button;
    };
    const run = (line) => act(line)();
    const small = (id, name, label, onclick) => iconButton(name, label, onclick, { id });
    const undo = small("undo", "undo-2", t("undo"), () => run("undo"));
    const redo = small("redo", "redo-2", t("redo"), () => run("redo"));
    const save = press("save", "check", t("save"), lang() === "uk" ? "зберігай" : "save", "primary");
    const notion = press("save-notion", "archive", t("saveNotion"), lang() === "uk" ? "збережи в Notion" : "save to Notion");
    const copy = small("copy", "copy", t("copy"), () => field.copy());
    const first = h("button", { type: "button", class: "primary", id: "write" }, icon("sparkles"), t("writeNow"));
    first.addEventListener("click", guarded(() => write()));
    const day = h("input", { type: "date", id: "day" });
    day.addEventListener("change", guarded(() => plan(state.draft.id, day.value)));
    const drop = small("remove", "trash", t("removeThis"), () => leaveAndRemove());
    actions = { undo, redo, save, notion, copy, first, day, drop };
    const remark = remarks(run, panel, store);
    controls = [undo, redo, save, notion, first, drop, ...remark.controls];
    parts.element.append(
      h(
        "section",
        { class: "paper", "aria-labelledby": "topic" },
        h("div", { class: "paper-head" }, h("h2", { id: "topic" }, state.draft.topic || t("untitled")), head),
        h("div", { class: "row spread tab-row" }, tabs, panel.open),
        rescue,
        said,
        asked,
        panel.element,
        h("div", { class: "card sheet" }, progress, field.element, h("div", { class: "sheet-bar" }, bar.count, bar.version, bar.unsent, h("span", { class: "bar-buttons" }, undo, redo, copy))),
        h("div", { class: "row", id: "first" }, first),
        changes,
        remark.element,
        h("div", { class: "row finish" }, save, notion, h("span", { class: "grow" }), h("label", { class: "day", for: "day" }, t("day")), day, drop),
        h("p", { class: "faint small" }, t("nothingPublished")),
      ),
      h("aside", { class: "beside" }, list.element, look.element),
    );
  };

  parts.tabs = () => {
    const all = siblings();
    const link = (one) =>
      h("a", { class: "tab", href: `#/draft/${encodeURIComponent(one.id)}`, "aria-current": one.id === state.draft.id && "page" }, platformName(one.platform), one.busy && h("span", { class: "pulse", "aria-hidden": "true" }), one.busy && h("span", { class: "sr" }, t("beingWritten")));
    tabs.replaceChildren(...(all.length ? all : [state.draft]).map(link));
  };

  parts.update = (now, text) => {
    const { seat } = now;
    parts.tabs();
    head.textContent = [now.profile, statusOf(now), now.file].filter(Boolean).join(" · ");
    bar.version.textContent = now.versions ? t("version", { n: now.version, all: now.versions }) : "";
    bar.unsent.hidden = text === now.text;
    said.replaceChildren(...told(seat));
    asked.replaceChildren(...(now.question ? [question(now.question)] : []));
    changes.replaceChildren(...(now.changes.length ? [changeList(now.changes)] : []));
    actions.notion.hidden = state.info?.notion !== "ready";
    actions.day.value = now.planned ?? "";
    parts.work(false);
  };

  parts.work = (busy, partial, step) => {
    const now = state.draft;
    const waits = Boolean(now.question);
    for (const control of controls) control.disabled = busy || waits;
    actions.drop.disabled = busy;
    actions.undo.disabled ||= now.version <= 1;
    actions.redo.disabled ||= now.version >= now.versions;
    for (const control of [actions.save, actions.notion]) control.title = waits ? t("answerFirst") : "";
    parts.element.setAttribute("aria-busy", String(busy));
    actions.first.parentElement.hidden = busy || waits || Boolean(now.versions) || !state.info?.model;
    progress.hidden = !busy;
    const words = step ? t("step", { tool: step }) : t(partial ? "writing" : "working");
    const end = progress.querySelector("button") ?? h("button", { type: "button", class: "outline sm", id: "stop", onclick: stop }, icon("stop"), t("stop"));
    progress.replaceChildren(h("span", { class: "pulse", "aria-hidden": "true" }), h("span", { class: "grow" }, words), end);
  };
  return parts;
}
