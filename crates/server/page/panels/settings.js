// The panels “Settings”, “Personas” and “Library”.

import { get, path, post, put, remove } from "../api.js";
import { listSnippets, saveSnippet } from "../components/snippets.js";
import { confirmDialog, open, openLoaded } from "../dialog.js";
import { guarded, h, iconButton, toast } from "../dom.js";
import { setTheme, state } from "../state.js";
import { t } from "../words.js";
import { schemaForm } from "./schema_form.js";
import { shortcutList } from "./shortcuts.js";

/** What the fields of the settings are called, and what they do. */
const FIELDS = {
  userName: [t("Your name"), t("Replaces {{user}}.")],
  userDescription: [t("About you"), t("Sent to the model.")],
  systemPrompt: [t("System prompt"), t("The first instructions for the model; {{user}} and {{char}} are replaced.")],
  systemPrompts: [t("More system prompts"), t("More prompts, each with a title; those that are on follow the system prompt.")],
  dateTime: [t("Tell the model the date and time"), t("Prevents prompt caching across turns.")],
  sampling: [t("Sampling"), t("Sampling parameters; a model ignores those that it does not support.")],
  temperature: [t("Temperature")],
  topP: [t("Top p")],
  maxTokens: [t("Answer limit in tokens")],
  frequencyPenalty: [t("Frequency penalty")],
  presencePenalty: [t("Presence penalty")],
  seed: [t("Seed")],
  title: [t("Title")],
  content: [t("Prompt")],
  on: [t("In use")],
};

/** The server's schema with these names; the language has a choice of its own. */
function named({ properties = {}, ...schema }) {
  const fields = Object.entries(properties).filter(([name]) => name !== "language");
  const one = ([name, field]) => {
    const [title = field.title, description = field.description] = FIELDS[name] ?? [];
    const inner = field.properties ? named(field) : field.items?.properties ? { ...field, items: named(field.items) } : field;
    return [name, { ...inner, title, description }];
  };
  return { ...schema, properties: Object.fromEntries(fields.map(one)) };
}

export const showSettings = () => openLoaded({ title: t("Settings"), kind: "panel" }, loadSettings);

async function loadSettings() {
  const { schema: served, values: present } = await get("/settings");
  const schema = named(served);
  const form = schemaForm(schema, present);
  const known = Object.keys(schema.properties ?? {});
  const kept = Object.fromEntries(Object.entries(present).filter(([name]) => !known.includes(name)));
  const save = guarded(async (event) => {
    event.preventDefault();
    await put("/settings", { ...kept, ...form.read() });
    toast(t("Saved"));
  });
  return [
    h("section", { class: "stack" }, h("h3", {}, t("Appearance")), themes(), languages(present)),
    h(
      "form",
      { class: "stack", onsubmit: save },
      h("h3", {}, t("Conversation")),
      form.element,
      h("div", { class: "row end" }, h("button", { class: "primary" }, t("Save"))),
    ),
    h(
      "section",
      {},
      h("h3", {}, t("Keyboard shortcuts")),
      shortcutList(),
    ),
    state.session.signedIn
      ? h(
          "section",
          {},
          h("h3", {}, t("This browser")),
          h("button", { type: "button", class: "outline", onclick: signOut }, t("Sign out")),
        )
      : null,
    h("p", { class: "faint" }, `Ghostpad ${state.session.version ?? ""}`),
  ];
}

/** Ends the login on the server, so that a copied cookie is invalid too. */
const signOut = guarded(async () => {
  await remove("/session");
  location.replace("/login");
});

function themes() {
  const now = document.documentElement.dataset.theme ?? "";
  const choices = [
    ["", t("System")],
    ["light", t("Light")],
    ["dark", t("Dark")],
  ];
  return h(
    "div",
    { class: "choices", role: "radiogroup", "aria-label": t("Theme") },
    choices.map(([value, label]) => {
      const input = h("input", { type: "radio", name: "theme", value, onchange: () => setTheme(value) });
      input.checked = value === now;
      return h("label", {}, input, label);
    }),
  );
}

const LANGUAGES = { en: "English", uk: "Українська", ru: "Русский" };

/** The language of the page: kept with the settings, and shown after a reload. */
function languages(present) {
  const select = h(
    "select",
    {},
    h("option", { value: "" }, t("As in the browser")),
    Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code }, name)),
  );
  select.value = present.language ?? "";
  const choose = guarded(async () => {
    const { values } = await get("/settings");
    await put("/settings", { ...values, language: select.value || null });
    location.reload();
  });
  select.addEventListener("change", choose);
  return h("label", { class: "field" }, h("span", {}, t("Language")), select);
}

export const showPersonas = () => openLoaded({ title: t("Personas"), kind: "panel" }, loadPersonas);

async function loadPersonas() {
  const list = h("ul", { class: "list roomy" });
  const fill = async () => {
    const all = (await get("/personas")) ?? [];
    const here = new Set((state.conversation?.personas ?? []).map((one) => one?.id ?? one));
    list.replaceChildren(...all.map((persona) => personaRow(persona, here, again)));
    list.hidden = !all.length;
  };
  const again = guarded(fill);
  await fill();
  return [
    h(
      "p",
      { class: "faint" },
      t("Personas answer in a conversation. Select those of the open conversation; the first one replaces {{char}}."),
    ),
    list,
    h("button", { type: "button", class: "outline", onclick: () => editPersona(null, again) }, t("New persona")),
  ];
}

function personaRow(persona, here, again) {
  const tick = h("input", {
    type: "checkbox",
    "aria-label": t("Use {name}", { name: persona.name }),
    disabled: !state.conversation,
  });
  tick.checked = here.has(persona.id);
  tick.addEventListener(
    "change",
    guarded(async () => {
      here[tick.checked ? "add" : "delete"](persona.id);
      await put(path`/conversations/${state.conversation.id}/personas`, { ids: [...here] });
      state.conversation.personas = [...here];
    }),
  );
  return h(
    "li",
    {},
    h(
      "label",
      { class: "grow touch" },
      tick,
      h(
        "span",
        { class: "grow" },
        h("strong", {}, persona.name),
        h("span", { class: "about" }, persona.description ?? ""),
      ),
    ),
    iconButton("edit", t("Edit {name}", { name: persona.name }), () => editPersona(persona, again)),
    iconButton(
      "trash",
      t("Delete {name}", { name: persona.name }),
      guarded(async () => {
        if (!(await confirmDialog(t("Delete this persona?"), t("“{name}” will be deleted.", { name: persona.name }), t("Delete")))) return;
        await remove(path`/personas/${persona.id}`);
        again();
      }),
    ),
  );
}

const PERSONA = {
  required: ["name"],
  properties: {
    name: { type: "string", title: t("Name"), maxLength: 100 },
    description: { type: "string", title: t("Description"), maxLength: 20000 },
  },
};

function editPersona(persona, done) {
  const form = schemaForm(PERSONA, persona ?? {});
  const save = guarded(async (event) => {
    event.preventDefault();
    const body = { description: "", ...form.read() };
    if (persona) await put(path`/personas/${persona.id}`, body);
    else await post("/personas", body);
    dialog.close();
    done();
  });
  const dialog = open(
    { title: persona ? t("Edit persona") : t("New persona"), size: "sm" },
    h(
      "form",
      { class: "stack", onsubmit: save },
      form.element,
      h("div", { class: "row end" }, h("button", { class: "primary" }, t("Save"))),
    ),
  );
}

export const showLibrary = () => openLoaded({ title: t("Library"), kind: "panel" }, loadLibrary);

async function loadLibrary() {
  const found = await get("/library").catch(() => []);
  const types = (found ?? []).map((one) => one.type ?? one);
  const kind = h("input", {
    type: "text",
    list: "library-types",
    value: types[0] ?? "prompts",
    "aria-label": t("Snippet type"),
  });
  const list = h("ul", { class: "list roomy" });
  const fill = guarded(async () => {
    const type = kind.value.trim();
    const all = type ? await listSnippets(type) : [];
    list.replaceChildren(...all.map((snippet) => snippetRow(type, snippet, fill)));
    if (!all.length) list.append(h("li", { class: "faint" }, t("Nothing saved yet.")));
  });
  kind.addEventListener("change", fill);
  await fill();
  return [
    h("label", { class: "field" }, h("span", {}, t("Type")), kind),
    h(
      "datalist",
      { id: "library-types" },
      types.map((type) => h("option", { value: type })),
    ),
    list,
    h(
      "button",
      { type: "button", class: "outline", onclick: () => saveSnippet(kind.value, "", null, fill) },
      t("New snippet"),
    ),
  ];
}

function snippetRow(type, snippet, again) {
  return h(
    "li",
    {},
    h(
      "span",
      { class: "grow" },
      h("strong", {}, snippet.title ?? snippet.id),
      h("span", { class: "about" }, String(snippet.content ?? "").slice(0, 140)),
    ),
    iconButton("message", t("Insert {name} into the message", { name: snippet.title }), () => {
      const draft = document.getElementById("draft");
      draft.value += snippet.content;
      draft.dispatchEvent(new Event("input"));
      toast(t("Inserted"));
    }),
    iconButton("edit", t("Edit {name}", { name: snippet.title }), () => saveSnippet(type, snippet.content, snippet, again)),
    iconButton(
      "trash",
      t("Delete {name}", { name: snippet.title }),
      guarded(async () => {
        if (!(await confirmDialog(t("Delete this snippet?"), t("“{name}” will be deleted.", { name: snippet.title }), t("Delete")))) return;
        await remove(path`/library/${type}/${snippet.id}`);
        again();
      }),
    ),
  );
}
