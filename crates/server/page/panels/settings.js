// The panels “Settings”, “Personas” and “Library”.

import { get, path, post, put, remove } from "../api.js";
import { listSnippets, saveSnippet } from "../components/snippets.js";
import { confirmDialog, open } from "../dialog.js";
import { guarded, h, iconButton, toast } from "../dom.js";
import { setTheme, state } from "../state.js";
import { schemaForm } from "./schema_form.js";
import { shortcutList } from "./shortcuts.js";

/** Used if the server sends no schema. */
const SETTINGS = {
  properties: {
    userName: {
      type: "string",
      title: "Your name",
      maxLength: 100,
      description: "Replaces {{user}}.",
    },
    userDescription: { type: "string", title: "About you", maxLength: 4000 },
    systemPrompt: { type: "string", title: "System prompt", maxLength: 100000 },
    thinking: { type: "boolean", title: "Think before answering" },
    dateTime: { type: "boolean", title: "Tell the model the date and time" },
    sampling: {
      type: "object",
      title: "Sampling",
      properties: {
        temperature: { type: "number", title: "Temperature", minimum: 0, maximum: 2 },
        topP: { type: "number", title: "Top p", minimum: 0, maximum: 1 },
        maxTokens: { type: "integer", title: "Answer limit in tokens", minimum: 1 },
        frequencyPenalty: { type: "number", title: "Frequency penalty", minimum: -2, maximum: 2 },
        presencePenalty: { type: "number", title: "Presence penalty", minimum: -2, maximum: 2 },
        seed: { type: "integer", title: "Seed" },
      },
    },
  },
};

export const showSettings = guarded(async () => {
  const { schema = SETTINGS, values, ...rest } = (await get("/settings")) ?? {};
  const present = values ?? rest;
  const form = schemaForm(schema, present);
  const known = Object.keys(schema.properties ?? {});
  const kept = Object.fromEntries(Object.entries(present).filter(([name]) => !known.includes(name)));
  const save = guarded(async (event) => {
    event.preventDefault();
    await put("/settings", { ...kept, ...form.read() });
    toast("Saved");
  });
  open(
    { title: "Settings", kind: "panel" },
    h("section", {}, h("h3", {}, "Appearance"), themes()),
    h(
      "form",
      { class: "stack", onsubmit: save },
      h("h3", {}, "Conversation"),
      form.element,
      h("div", { class: "row end" }, h("button", { class: "primary" }, "Save")),
    ),
    h(
      "section",
      {},
      h("h3", {}, "Keyboard shortcuts"),
      shortcutList(),
    ),
    state.session.signedIn
      ? h(
          "section",
          {},
          h("h3", {}, "This browser"),
          h("button", { type: "button", class: "outline", onclick: signOut }, "Sign out"),
        )
      : null,
    h("p", { class: "faint" }, `Ghostpad ${state.session.version ?? ""}`),
  );
});

/** Ends the login on the server, so that a copied cookie is invalid too. */
const signOut = guarded(async () => {
  await remove("/session");
  location.replace("/login");
});

function themes() {
  const now = document.documentElement.dataset.theme ?? "";
  const choices = [
    ["", "System"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  return h(
    "div",
    { class: "choices", role: "radiogroup", "aria-label": "Theme" },
    choices.map(([value, label]) => {
      const input = h("input", { type: "radio", name: "theme", value, onchange: () => setTheme(value) });
      input.checked = value === now;
      return h("label", {}, input, label);
    }),
  );
}

export const showPersonas = guarded(async () => {
  const list = h("ul", { class: "list roomy" });
  const { box } = open(
    { title: "Personas", kind: "panel" },
    h(
      "p",
      { class: "faint" },
      "Personas answer in a conversation. Select those of the open conversation; the first one replaces {{char}}.",
    ),
    list,
    h("button", { type: "button", class: "outline", onclick: () => editPersona(null, fill) }, "New persona"),
  );
  const fill = guarded(async () => {
    const all = (await get("/personas")) ?? [];
    const here = new Set((state.conversation?.personas ?? []).map((one) => one?.id ?? one));
    list.replaceChildren(...all.map((persona) => personaRow(persona, here, fill)));
  });
  await fill();
  return box;
});

function personaRow(persona, here, again) {
  const tick = h("input", {
    type: "checkbox",
    "aria-label": `Use ${persona.name}`,
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
    tick,
    h(
      "span",
      { class: "grow" },
      h("strong", {}, persona.name),
      h("span", { class: "about" }, persona.description ?? ""),
    ),
    iconButton("edit", `Edit ${persona.name}`, () => editPersona(persona, again)),
    iconButton(
      "trash",
      `Delete ${persona.name}`,
      guarded(async () => {
        if (!(await confirmDialog("Delete this persona?", `“${persona.name}” will be deleted.`, "Delete"))) return;
        await remove(path`/personas/${persona.id}`);
        again();
      }),
    ),
  );
}

const PERSONA = {
  required: ["name"],
  properties: {
    name: { type: "string", title: "Name", maxLength: 100 },
    description: { type: "string", title: "Description", maxLength: 20000 },
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
    { title: persona ? "Edit persona" : "New persona", size: "sm" },
    h(
      "form",
      { class: "stack", onsubmit: save },
      form.element,
      h("div", { class: "row end" }, h("button", { class: "primary" }, "Save")),
    ),
  );
}

export const showLibrary = guarded(async () => {
  const found = await get("/library").catch(() => []);
  const types = (found ?? []).map((one) => one.type ?? one);
  const kind = h("input", {
    type: "text",
    list: "library-types",
    value: types[0] ?? "prompts",
    "aria-label": "Snippet type",
  });
  const list = h("ul", { class: "list roomy" });
  open(
    { title: "Library", kind: "panel" },
    h("label", { class: "field" }, h("span", {}, "Type"), kind),
    h(
      "datalist",
      { id: "library-types" },
      types.map((type) => h("option", { value: type })),
    ),
    list,
    h(
      "button",
      { type: "button", class: "outline", onclick: () => saveSnippet(kind.value, "", null, fill) },
      "New snippet",
    ),
  );
  const fill = guarded(async () => {
    const type = kind.value.trim();
    const all = type ? await listSnippets(type) : [];
    list.replaceChildren(...all.map((snippet) => snippetRow(type, snippet, fill)));
    if (!all.length) list.append(h("li", { class: "faint" }, "Nothing saved yet."));
  });
  kind.addEventListener("change", fill);
  await fill();
});

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
    iconButton("message", `Insert ${snippet.title} into the message`, () => {
      const draft = document.getElementById("draft");
      draft.value += snippet.content;
      draft.dispatchEvent(new Event("input"));
      toast("Inserted");
    }),
    iconButton("edit", `Edit ${snippet.title}`, () => saveSnippet(type, snippet.content, snippet, again)),
    iconButton(
      "trash",
      `Delete ${snippet.title}`,
      guarded(async () => {
        if (!(await confirmDialog("Delete this snippet?", `“${snippet.title}” will be deleted.`, "Delete"))) return;
        await remove(path`/library/${type}/${snippet.id}`);
        again();
      }),
    ),
  );
}
