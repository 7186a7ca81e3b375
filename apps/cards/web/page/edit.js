// All cards as a list: search, change, hide, take back. Every change is kept at once.

import { guarded, h, toast } from "../dom.js";
import { icon } from "../icon.js";
import { exporter, importer } from "./files.js";
import { change, know, restore, retry, show, state, undo } from "./run.js";
import { t } from "./words.js";

const PAGE = 25;

export function edit() {
  const search = h("input", { type: "search", id: "search", placeholder: t("search"), "aria-label": t("search"), autocomplete: "off" });
  const master = h("input", { type: "checkbox", id: "master" });
  const masterLabel = h("span", {});
  const count = h("span", { class: "faint small", id: "found" });
  const sort = h("select", { id: "sort", "aria-label": t("sort"), title: t("sort") });
  for (const name of Object.keys(SORTS)) sort.append(h("option", { value: name }, t(`sort_${name}`)));
  const list = h("ul", { class: "deck" });
  const pager = h("div", { class: "row center" });
  let page = 0;
  let rows = [];

  const found = () => {
    const wanted = search.value.trim().toLowerCase();
    const has = (text) => text?.toLowerCase().includes(wanted);
    const fits = (card) =>
      has(card.base_form) || has(card.meaning) || card.contexts.some(({ text, translation }) => has(text) || has(translation));
    return sorted(wanted ? state.deck.filter(fits) : state.deck, sort.value);
  };

  function draw() {
    const all = found();
    const pages = Math.max(1, Math.ceil(all.length / PAGE));
    page = Math.min(page, pages - 1);
    const cards = all.slice(page * PAGE, (page + 1) * PAGE);
    // The same cards keep their rows, so that nobody loses the field they are in.
    const same = cards.length === rows.length && cards.every((card, index) => card.key === rows[index].key);
    if (!same) {
      rows = cards.map(row);
      list.replaceChildren(...rows.map(({ element }) => element));
    }
    cards.forEach((card, index) => rows[index].update(card));
    const visible = all.filter((card) => card.visible).length;
    master.checked = all.length > 0 && visible === all.length;
    master.indeterminate = visible > 0 && visible < all.length;
    master.disabled = all.length === 0;
    masterLabel.textContent = t(search.value.trim() ? "foundVisible" : "allVisible");
    count.textContent = t("found", { n: all.length });
    pager.replaceChildren(...(pages > 1 ? turns(pages) : []));
  }

  const turn = (step, label, off, kind) => {
    const go = () => {
      page += step;
      draw();
      document.getElementById("main").scrollTop = 0;
    };
    return h("button", { type: "button", class: `turn ${kind}`, "aria-label": label, title: label, disabled: off, onclick: go }, icon("chevron"));
  };

  const turns = (pages) => [
    turn(-1, t("previous"), page === 0, "previous"),
    h("span", { id: "page" }, t("page", { at: page + 1, all: pages })),
    turn(1, t("next"), page === pages - 1, ""),
  ];

  for (const part of [search, sort])
    part.addEventListener("input", () => {
      page = 0;
      draw();
    });
  master.addEventListener("change", guarded(() => show(found(), master.checked)));

  const takeBack = guarded(async () => toast(t((await undo()) ? "undone" : "nothingToUndo")));
  const element = h(
    "div",
    { class: "stack" },
    h(
      "div",
      { class: "edit-head" },
      search,
      sort,
      h("label", { class: "check" }, master, masterLabel),
      count,
      h("button", { type: "button", class: "outline sm", id: "undo", onclick: takeBack }, t("undo")),
    ),
    list,
    pager,
    exporter(),
    importer(state.run.id),
  );
  draw();
  return { element, update: draw };
}

/** The order of the list; equal cards stay in the order of the text. */
const SORTS = {
  text: null,
  frequency: (card) => card.sentences,
  doubts: (card) => card.doubts?.length ?? 0,
};

const sorted = (cards, name) => (SORTS[name] ? cards.toSorted((one, other) => SORTS[name](other) - SORTS[name](one)) : cards);

/** One card: `update` shows what it has become, and leaves alone what is being written. */
function row({ key }) {
  let card = null;
  const visible = h("input", { type: "checkbox", class: "switch", role: "switch", "aria-label": t("visible") });
  const front = h("input", { class: "front", "aria-label": t("front"), dir: "auto", maxlength: "2000" });
  const meaning = h("input", { class: "meaning", "aria-label": t("backSide"), dir: "auto", maxlength: "2000" });
  const chips = h("span", { class: "chips" });
  const asItCame = act(t("restore"), () => restore(card));
  const knows = h("button", { type: "button", class: "ghost sm", onclick: guarded(() => know(card, !card.known)) });
  const contexts = h("details", { class: "fold" });

  visible.addEventListener("change", guarded(() => show([card], visible.checked)));
  front.addEventListener("change", guarded(() => change(card, { front: front.value })));
  meaning.addEventListener("change", guarded(() => change(card, { translation: meaning.value })));
  const anew = act(t("regenerate"), async () => {
    await retry({ card: card.key });
    toast(t("regenerating", { word: card.base_form }));
  });

  const element = h(
    "li",
    { "data-key": key },
    h("div", { class: "line" }, visible, front, meaning),
    h("div", { class: "row under" }, chips, contexts, h("span", { class: "grow" }), asItCame, knows, anew),
  );

  function update(now) {
    const before = card;
    card = now;
    element.classList.toggle("hidden-card", !card.shown);
    visible.checked = card.visible;
    set(front, card.base_form);
    set(meaning, card.meaning);
    front.lang = card.language;
    meaning.lang = card.target;
    chips.replaceChildren(
      ...[card.unit === "phrase" && "phrase", card.edited && "edited", card.known && "known"]
        .filter(Boolean)
        .map((name) => h("span", { class: "chip" }, t(name))),
      ...(card.doubts ?? []).map((name) => h("span", { class: "chip doubt" }, t(`doubt_${name}`))),
    );
    asItCame.hidden = !card.edited;
    knows.textContent = t(card.known ? "unknow" : "know");
    if (JSON.stringify(before?.contexts) !== JSON.stringify(card.contexts)) drawContexts();
  }

  function drawContexts() {
    if (contexts.contains(document.activeElement) && document.activeElement.matches("textarea")) return;
    const sentence = ({ text, translation, sig }, at) => {
      const area = h("textarea", { rows: "2", dir: "auto", lang: card.target, "aria-label": text, maxlength: "2000" });
      area.value = translation;
      area.addEventListener("change", guarded(() => change(card, { contexts: [{ at, sig, translation: area.value }] })));
      return h("div", { class: "stack tight" }, h("p", { lang: card.language, dir: "auto" }, text), area);
    };
    contexts.hidden = card.contexts.length === 0;
    contexts.replaceChildren(
      h("summary", {}, icon("chevron"), t("contexts", { n: Math.max(card.sentences, card.contexts.length) })),
      h("div", { class: "stack" }, card.contexts.map(sentence)),
    );
  }

  return { key, element, update };
}

const act = (label, run) => h("button", { type: "button", class: "ghost sm", onclick: guarded(run) }, label);

function set(input, value) {
  if (document.activeElement !== input) input.value = value;
}
