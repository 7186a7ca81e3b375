// The dialog that chooses a model: for the open conversation, for a new one, or for one answer.

import { get, path, post, put } from "../api.js";
import { open } from "../dialog.js";
import { guarded, h, iconButton, toast } from "../dom.js";
import { emit, state } from "../state.js";
import { t } from "../words.js";
import { modelName, showModel } from "./welcome.js";

/** For the open conversation, or for the one that begins with the next message. */
export const pickModel = guarded(async () => {
  const { conversation } = state;
  const before = conversation ? conversation.model : (state.newModel ?? state.session.model);
  const model = await chooseModel(t("Choose a model"), before);
  if (!model) return;
  if (conversation) {
    await put(path`/conversations/${conversation.id}/model`, { model });
    emit("stale");
  } else {
    state.newModel = model;
  }
  showModel(model);
  toast(t("{model} answers from now on.", { model: modelName(model) }));
});

/** Asks the same again, once, with another model. */
export const pickForTurn = guarded(async ({ turn }) => {
  const model = await chooseModel(t("Answer with another model"), null);
  if (!model) return;
  await post(path`/conversations/${state.conversation.id}/regenerate`, { turn, model });
  emit("reload");
});

/** Opens the dialog; resolves to the id of the chosen model, or to null if it is closed without one. */
export const chooseModel = async (title, chosen) => (await findModel(title, chosen))?.id ?? null;

/** The same, with what is known about the model. */
export function findModel(title, chosen) {
  return new Promise((resolve) => {
    const search = h("input", { type: "search", placeholder: t("Search models"), "aria-label": t("Search models"), autocomplete: "off" });
    const list = h("div", { class: "stack models" }, h("p", { class: "faint", role: "status" }, t("Loading models…")));
    const foot = h("div", { class: "row end" });
    const picker = { list, search, chosen, found: null, result: null };
    const dialog = open({ title, size: "lg tall", onclose: () => resolve(picker.result) }, search, list, foot);
    search.focus();
    picker.choose = (model) => {
      picker.result = model;
      dialog.close();
    };
    search.addEventListener("input", () => draw(picker));
    dialog.box.addEventListener("keydown", (event) => move(event, picker));
    const load = guarded(async (path) => {
      picker.found = await get(path);
      draw(picker);
    });
    foot.append(h("button", { type: "button", class: "ghost", onclick: () => load("/models?fresh=true") }, t("Ask the providers again")));
    if (state.session.operator)
      foot.append(h("button", { type: "button", class: "outline", onclick: manage(dialog) }, t("Providers and keys…")));
    load("/models");
  });
}

const manage = (dialog) =>
  guarded(async () => {
    dialog.close();
    (await import("../panels/providers.js")).showProviders();
  });

/** Favourites come first, then the models by provider. */
function draw(picker) {
  const { list, search, found } = picker;
  if (!found) return;
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ id, title }) => words.every((word) => `${id} ${title ?? ""}`.toLowerCase().includes(word));
  const shown = found.models.filter(fits);
  const liked = new Set(found.favourites);
  const favourites = t("Favourites");
  const groups = new Map();
  for (const model of shown) {
    const name = liked.has(model.id) ? favourites : model.provider;
    groups.set(name, [...(groups.get(name) ?? []), model]);
  }
  const names = [...groups.keys()].sort((a, b) => (b === favourites) - (a === favourites));
  const focused = document.activeElement?.dataset?.model;
  list.replaceChildren(
    ...names.map((name) => group(name, groups.get(name), picker)),
    ...found.faults.map(({ provider, message, fix }) =>
      h("p", { class: "fault", role: "note" }, `${provider}: ${message}. ${fix}`),
    ),
  );
  if (!shown.length) list.append(h("p", { class: "faint" }, t("No model fits.")));
  if (focused) list.querySelector(`[data-model="${CSS.escape(focused)}"]`)?.focus();
}

function group(name, models, picker) {
  return h(
    "section",
    {},
    h("h3", {}, name),
    h("ul", { class: "list roomy" }, models.map((model) => row(model, picker))),
  );
}

function row(model, picker) {
  const { id } = model;
  const { found, chosen } = picker;
  const isLiked = found.favourites.includes(id);
  const isDefault = found.default === id;
  return h(
    "li",
    { class: id === chosen ? "here" : "" },
    h(
      "button",
      {
        type: "button",
        class: "ghost grow model-row",
        "data-model": id,
        "aria-current": id === chosen ? "true" : null,
        onclick: () => picker.choose(model),
      },
      h(
        "span",
        {},
        h("strong", {}, model.title ?? model.name),
        model.title ? h("code", { class: "faint" }, ` ${model.name}`) : null,
        h("span", { class: "chips" }, abilities(model, isDefault).map((text) => h("span", { class: "chip" }, text))),
      ),
    ),
    iconButton("star", t("Favourite: {model}", { model: id }), () => prefer(picker, id, "favourite"), {
      "aria-pressed": String(isLiked),
      class: `quiet ${isLiked ? "pressed" : ""}`,
    }),
    iconButton("pin", t("Use {model} for new conversations", { model: id }), () => prefer(picker, id, "default"), {
      "aria-pressed": String(isDefault),
      class: `quiet ${isDefault ? "pressed" : ""}`,
    }),
  );
}

/** What a model can do, in a few words; what nobody knows is left out. */
export function abilities({ tools, pictures, thinking, window, price, standIn }, isDefault = false) {
  return [
    isDefault && t("for new conversations"),
    standIn && t("stand-in, needs no key"),
    tools && t("tools"),
    tools === false && t("no tools"),
    pictures && t("pictures"),
    thinking && t("thinking"),
    window && t("{size} window", { size: tokens(window) }),
    price && t("${read} in, ${written} out per million tokens", { read: price.input, written: price.output }),
  ].filter(Boolean);
}

function tokens(count) {
  if (count >= 1_000_000) return t("{n}M", { n: Math.round(count / 100_000) / 10 });
  return count >= 1000 ? t("{n}k", { n: Math.round(count / 1000) }) : String(count);
}

/** Saves a favourite, or the model of new conversations; the same again takes it back. */
const prefer = guarded(async (picker, id, what) => {
  const { found } = picker;
  const liked = new Set(found.favourites);
  let chosen = found.chosen ? found.default : null;
  if (what === "default") chosen = chosen === id ? null : id;
  else liked[liked.has(id) ? "delete" : "add"](id);
  await put("/models/preferences", { default: chosen, favourites: [...liked] });
  Object.assign(found, { favourites: [...liked], chosen: chosen !== null, default: chosen ?? found.serverDefault });
  if (what === "default") {
    state.session.model = found.default;
    if (!state.conversation && !state.newModel) showModel(found.default);
  }
  draw(picker);
});

/** The arrow keys move between the models, also from the search field; Enter there takes the first. */
function move(event, { list, search }) {
  const rows = [...list.querySelectorAll(".model-row")];
  const at = rows.indexOf(document.activeElement);
  const isSearch = document.activeElement === search;
  if (event.key === "Enter" && isSearch && search.value && rows.length) {
    event.preventDefault();
    rows[0].click();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || (at < 0 && !isSearch)) return;
  event.preventDefault();
  const next = isSearch ? (step > 0 ? 0 : -1) : at + step;
  (rows[next] ?? search).focus();
}
