// One card at a time: front, back, next. Hidden and known cards are passed over.

import { announce, guarded, h, iconButton, toast } from "../dom.js";
import { know, retry, show, state, undo } from "./run.js";
import { play, speaks } from "./speech.js";
import { t } from "./words.js";

/** The card that was looked at last, of each run. */
const places = new Map();

export function flash() {
  const element = h("div", { class: "flash" });
  let flipped = false;
  let wide = false;
  let tabbed = false;
  let drawn = "";

  const cards = () => state.deck.filter((card) => card.shown);

  /** Where the card is now; if it has gone, the one that took its place. */
  function at(all) {
    const { key, index } = places.get(state.run.id) ?? { key: null, index: 0 };
    const found = all.findIndex((card) => card.key === key);
    return found >= 0 ? found : Math.min(index, Math.max(all.length - 1, 0));
  }

  /** What of the deck is on the screen. */
  function signature() {
    const all = cards();
    return JSON.stringify([all.length, at(all), all[at(all)], state.run.busy && !all.length]);
  }

  function go(step) {
    const all = cards();
    if (!all.length) return;
    const index = (at(all) + step + all.length) % all.length;
    places.set(state.run.id, { key: all[index].key, index });
    flipped = false;
    wide = false;
    draw();
    announce(all[index].base_form);
  }

  /** The card on the screen; from now on it stays there, whatever comes before it. */
  function held() {
    const all = cards();
    const index = at(all);
    if (all.length) places.set(state.run.id, { key: all[index].key, index });
    return all[index];
  }

  function flip() {
    const card = held();
    if (!card) return;
    flipped = !flipped;
    draw();
    announce(flipped ? card.meaning : card.base_form);
  }

  const hide = guarded(async () => {
    const card = held();
    if (!card) return;
    flipped = false;
    await show([card], false);
    toast(t("hidden", { word: card.base_form }));
  });

  const learn = guarded(async () => {
    const card = held();
    flipped = false;
    await know(card, true);
    toast(t("nowKnown", { word: card.base_form }));
  });

  const anew = guarded(async () => {
    const card = held();
    await retry({ card: card.key });
    toast(t("regenerating", { word: card.base_form }));
  });

  function draw() {
    const all = cards();
    if (!all.length) return element.replaceChildren(empty());
    drawn = signature();
    const index = at(all);
    const card = all[index];
    const focused = element.contains(document.activeElement) && document.activeElement.dataset.act;
    element.replaceChildren(face(card), controls(index, all.length), further(), keys());
    if (focused) element.querySelector(`[data-act="${focused}"]`)?.focus();
  }

  function face(card) {
    const shown = wide ? card.contexts.length : 1;
    const contexts = card.contexts.slice(0, shown).map((context, place) => sentence(card, context, place));
    const rest = card.contexts.length - 1;
    const widen = (event) => {
      event.stopPropagation();
      wide = !wide;
      draw();
    };
    return h(
      "section",
      { class: flipped ? "face flipped" : "face", "data-key": card.key, "aria-label": t(flipped ? "backSide" : "front"), onclick: flip },
      h(
        "div",
        { class: "face-head" },
        card.sentences > 1 && h("span", { class: "chip" }, t("sentencesWith", { n: card.sentences })),
        card.unit === "phrase" && h("span", { class: "chip" }, t("phrase")),
      ),
      h("p", { class: "base", lang: card.language, dir: "auto" }, card.base_form),
      flipped && h("p", { class: "meaning", lang: card.target, dir: "auto" }, card.meaning),
      flipped && (card.doubts ?? []).map((name) => h("p", { class: "chip doubt" }, t(`doubt_${name}`))),
      flipped && forms(card),
      h("div", { class: "contexts" }, contexts),
      rest > 0 &&
        h("button", { type: "button", class: "ghost sm", "data-act": "more", onclick: widen }, wide ? t("less") : t("more", { n: rest })),
    );
  }

  function sentence(card, context, place) {
    const pieces = (card.pieces[place] ?? []).map(({ text, marked }) => (marked ? h("mark", {}, text) : text));
    return h(
      "div",
      { class: "context" },
      h("p", { lang: card.language, dir: "auto" }, pieces),
      flipped && h("p", { class: "faint", lang: card.target, dir: "auto" }, context.translation),
    );
  }

  const act = (name, label, run, kind = "outline") =>
    h("button", { type: "button", class: kind, "data-act": name, onclick: run }, label);

  const controls = (index, all) =>
    h(
      "div",
      { class: "controls" },
      iconButton("chevron", t("previous"), () => go(-1), { "data-act": "previous", class: "turn previous" }),
      act("flip", t("flip"), flip, "primary lg"),
      iconButton("chevron", t("next"), () => go(1), { "data-act": "next", class: "turn" }),
      h("span", { class: "place", id: "place" }, t("place", { at: index + 1, all })),
    );

  const further = () =>
    h(
      "div",
      { class: "row center" },
      speaks() && iconButton("play", t("listen"), () => play(held()), { "data-act": "listen" }),
      act("hide", t("hide"), hide, "ghost sm"),
      act("know", t("know"), learn, "ghost sm"),
      act("anew", t("regenerate"), anew, "ghost sm"),
      act("undo", t("undo"), takeBack, "ghost sm"),
    );

  /** Space presses a button only for those who came to it by keyboard. */
  function key(event) {
    if (event.key === "Tab") tabbed = true;
    const button = tabbed && event.target.closest("button, a");
    const run = {
      ArrowRight: () => go(1),
      ArrowLeft: () => go(-1),
      ArrowUp: flip,
      ArrowDown: flip,
      " ": flip,
      h: hide,
      H: hide,
    }[event.key];
    if (!run || (event.key === " " && button)) return;
    event.preventDefault();
    if (event.repeat && event.key === "h") return;
    run();
  }

  element.addEventListener("pointerdown", () => (tabbed = false));
  draw();
  return { element, key, update: () => signature() !== drawn && draw() };
}

const takeBack = guarded(async () => {
  const undone = await undo();
  toast(t(undone ? "undone" : "nothingToUndo"));
});

function forms(card) {
  const seen = new Map();
  for (const { form, translation } of card.forms) if (translation) seen.set(form.toLowerCase(), `${form} – ${translation}`);
  const base = card.base_form.toLowerCase();
  const lines = [...seen].filter(([form]) => form !== base).map(([, line]) => line);
  return lines.length > 0 && h("p", { class: "forms faint" }, lines.slice(0, 6).join(", "));
}

function empty() {
  const hidden = state.deck.length > 0;
  if (state.run.busy && !hidden) return h("div", { class: "empty" }, h("p", {}, t("onTheWay")));
  return h(
    "div",
    { class: "empty" },
    h("p", {}, t(hidden ? "allHidden" : "noCards")),
    h("a", { href: `#/${state.run.id}/${hidden ? "edit" : "text"}` }, t(hidden ? "toEdit" : "toText")),
  );
}

const keys = () =>
  h(
    "div",
    { class: "hotkeys faint", role: "group", "aria-label": t("keys") },
    [["→", "next"], ["←", "previous"], ["␣", "flip"], ["h", "hide"]].map(([name, label]) => [h("kbd", {}, name), ` ${t(label)} `]),
  );
