// The dialog of one conversation: model, system prompt, tools on or off, sampling, presets.

import { get, path, put, remove } from "../api.js";
import { chooseModel } from "../chat/model_picker.js";
import { modelName } from "../chat/welcome.js";
import { confirmDialog, openLoaded } from "../dialog.js";
import { guarded, h, iconButton, toast } from "../dom.js";
import { emit, state } from "../state.js";
import { t } from "../words.js";

const NUMBERS = [
  ["temperature", t("Temperature"), { min: "0", max: "2", step: "0.05" }],
  ["topP", t("Top p"), { min: "0", max: "1", step: "0.05" }],
  ["maxTokens", t("Answer limit in tokens"), { min: "1", step: "1" }],
];

export const showConversationSettings = () =>
  openLoaded({ title: t("Settings of this conversation"), kind: "panel" }, loadConversationSettings);

async function loadConversationSettings(dialog) {
  const { id } = state.conversation;
  const [settings, tools, { models }] = await Promise.all([
    get(path`/conversations/${id}/settings`),
    get("/tools"),
    get("/models"),
  ]);
  const form = settingsForm(settings, tools, models);
  const presets = h("div", { class: "stack" });
  const save = guarded(async (event) => {
    event.preventDefault();
    await put(path`/conversations/${id}/settings`, form.read());
    dialog.close();
    emit("stale");
    toast(t("Saved. It counts from the next message on."));
  });
  await fillPresets(presets, form);
  return [
    h("section", { class: "stack" }, h("h3", {}, t("Presets")), presets),
    h("form", { class: "stack", onsubmit: save }, form.element, h("div", { class: "row end" }, h("button", { class: "primary" }, t("Save")))),
  ];
}

/** `write` shows other settings, `read` returns what is set. */
function settingsForm(settings, tools, models) {
  const model = h("p", { class: "row" });
  const prompt = h("textarea", { rows: "5", maxlength: "100000", dir: "auto", placeholder: t("As in your settings") });
  const toolList = h("div", { class: "stack" });
  const numbers = Object.fromEntries(
    NUMBERS.map(([name, , limits]) => [name, h("input", { type: "number", placeholder: t("As in your settings"), ...limits })]),
  );
  let now = {};
  const write = (next) => {
    now = next;
    const note = samplingNote(next.model ?? state.conversation.model, models);
    model.replaceChildren(
      h("span", { class: "grow" }, next.model ? modelName(next.model) : t("{model} (default)", { model: modelName(state.conversation.model) })),
      h("button", { type: "button", class: "outline", onclick: pick }, t("Choose…")),
    );
    prompt.value = next.systemPrompt ?? "";
    for (const [name] of NUMBERS) numbers[name].value = next.sampling?.[name] ?? "";
    noteElement.textContent = note;
    noteElement.hidden = !note;
    drawTools(toolList, tools, new Set(next.toolsOff ?? []));
  };
  const pick = guarded(async () => {
    const chosen = await chooseModel(t("Model of this conversation"), now.model ?? null);
    if (chosen) write({ ...read(), model: chosen });
  });
  const noteElement = h("p", { class: "faint", role: "note" });
  const read = () => {
    const sampling = { ...now.sampling };
    for (const [name] of NUMBERS) {
      delete sampling[name];
      if (numbers[name].value !== "") sampling[name] = Number(numbers[name].value);
    }
    return { model: now.model ?? null, systemPrompt: prompt.value.trim() ? prompt.value : null, toolsOff: toolsOff(toolList), sampling };
  };
  write(settings);
  const element = h(
    "div",
    { class: "stack" },
    h("div", { class: "field" }, h("span", {}, t("Model")), model),
    h("label", { class: "field" }, h("span", {}, t("System prompt")), prompt),
    h("fieldset", { class: "stack" }, h("legend", {}, t("Sampling")), NUMBERS.map(([name, label]) => h("label", { class: "field" }, h("span", {}, label), numbers[name])), noteElement),
    h("fieldset", { class: "stack" }, h("legend", {}, t("Tools and MCP servers")), toolList),
  );
  return { element, read, write };
}

function samplingNote(model, models) {
  const known = models.find(({ id }) => id === model);
  return known && !known.sampling ? t("{model} does not take temperature and top p; they are not sent.", { model: modelName(model) }) : "";
}

/** Tools by module or MCP server; a group is off as a whole, with tools that it gets later. */
function drawTools(list, tools, off) {
  const groups = new Map();
  for (const tool of tools.filter(({ flags, on }) => flags.callable && on)) {
    const group = tool.id.includes(".") ? tool.id.slice(0, tool.id.indexOf(".")) : "";
    groups.set(group, [...(groups.get(group) ?? []), tool]);
  }
  list.replaceChildren(
    ...[...groups].map(([group, members]) => {
      const whole = `${group}.*`;
      const rows = h("ul", { class: "list roomy" }, members.map(({ id, description }) => toolRow(id, description, !off.has(id))));
      if (!group) return rows;
      const all = switchFor(whole, t("All tools of {name}", { name: group }), !off.has(whole), (on) => (rows.hidden = !on));
      rows.hidden = off.has(whole);
      return h("div", { class: "stack" }, h("div", { class: "row" }, h("h4", { class: "grow" }, group), all), rows);
    }),
  );
}

const toolRow = (id, description, on) =>
  h("li", {}, h("span", { class: "grow" }, h("code", {}, id), h("span", { class: "about" }, description)), switchFor(id, id, on));

function switchFor(entry, label, on, changed = () => {}) {
  const input = h("input", { type: "checkbox", role: "switch", class: "switch", "aria-label": label, "data-tool": entry });
  input.checked = on;
  input.addEventListener("change", () => changed(input.checked));
  return input;
}

const toolsOff = (list) =>
  [...list.querySelectorAll("[data-tool]")].filter((input) => !input.checked).map(({ dataset }) => dataset.tool);

/** The saved presets: apply one, delete one, or save what is set now. */
async function fillPresets(place, form) {
  const again = () => fillPresets(place, form);
  const presets = await get("/presets");
  const name = h("input", { type: "text", maxlength: "100", required: true, placeholder: t("Name"), "aria-label": t("Name of the preset") });
  const save = guarded(async (event) => {
    event.preventDefault();
    await put(path`/presets/${name.value.trim()}`, { settings: form.read() });
    toast(t("Preset saved"));
    await again();
  });
  place.replaceChildren(
    h("ul", { class: "list roomy", "aria-label": t("Presets") }, presets.map((preset) => presetRow(preset, form, again))),
    h("form", { class: "row", onsubmit: save }, h("span", { class: "grow" }, name), h("button", { class: "outline" }, t("Save as preset"))),
  );
  place.firstChild.hidden = !presets.length;
}

function presetRow({ name, settings }, form, again) {
  const apply = () => {
    form.write(settings);
    toast(t("“{name}” is filled in. Save to use it.", { name }));
  };
  const discard = guarded(async () => {
    if (!(await confirmDialog(t("Delete this preset?"), t("“{name}” will be deleted.", { name }), t("Delete")))) return;
    await remove(path`/presets/${name}`);
    await again();
  });
  return h(
    "li",
    {},
    h("strong", { class: "grow" }, name),
    h("button", { type: "button", class: "outline", "aria-label": t("Apply {name}", { name }), onclick: apply }, t("Apply")),
    iconButton("trash", t("Delete preset {name}", { name }), discard),
  );
}
