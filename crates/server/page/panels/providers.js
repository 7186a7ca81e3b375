// The panel “Providers and keys”, for the operator: who answers, where keys come from, local servers.

import { call, get, path, post, remove } from "../api.js";
import { confirmDialog, open, openLoaded } from "../dialog.js";
import { guarded, h, iconButton, toast } from "../dom.js";
import { emit, state } from "../state.js";
import { t } from "../words.js";

const KINDS = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  gemini: "Google Gemini",
  ollama: "Ollama",
  compatible: t("Another server (OpenAI-compatible and others)"),
};
const WIRES = {
  chat: t("Chat Completions (OpenAI-compatible)"),
  responses: "OpenAI Responses",
  anthropic: "Anthropic Messages",
  gemini: "Gemini generateContent",
};
const OWN_ADDRESS = new Set(["anthropic", "openai", "gemini"]);

export const showProviders = () => openLoaded({ title: t("Providers and keys"), kind: "panel" }, loadProviders);

async function loadProviders() {
  const list = h("ul", { class: "list roomy", "aria-label": t("Providers") });
  const found = h("div", { class: "stack", "aria-live": "polite" });
  const fill = async () => {
    const all = await get("/providers");
    list.replaceChildren(...all.map((provider) => providerRow(provider, again)));
  };
  const again = guarded(fill);
  await fill();
  return [
    h(
      "p",
      { class: "faint" },
      t("A key is sent to this server once, tried with a small request, and kept sealed. Nobody can read it again, not even you."),
    ),
    list,
    h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: () => editProvider({}, again) }, t("Add a provider"))),
    h("section", { class: "stack" }, h("h3", {}, t("Servers on this machine or network")), lookForm(found, again), found),
  ];
}

/** Where the key comes from, in words. */
function keyText({ keyFrom, keyName, keyEnd }) {
  return {
    environment: t("key from the environment ({name})", { name: keyName }),
    file: t("key from {name}", { name: keyName }),
    page: keyEnd ? t("key {end}", { end: keyEnd }) : t("key kept sealed"),
    not_needed: t("no key needed"),
    missing: t("no key"),
  }[keyFrom];
}

function providerRow(provider, again) {
  const { name, kind, address, keyFrom, ofPage, fault, firstModel } = provider;
  const about = [KINDS[kind], address, keyText(provider), firstModel].filter(Boolean).join(" · ");
  const isOurs = ofPage || keyFrom === "missing";
  return h(
    "li",
    {},
    h(
      "span",
      { class: "grow" },
      h("strong", {}, name),
      h("span", { class: "about" }, about),
      fault && keyFrom !== "missing" ? h("span", { class: "because" }, fault) : null,
    ),
    isOurs
      ? iconButton("key", ofPage ? t("Replace the key of {name}", { name }) : t("Add the key of {name}", { name }), () => editProvider({ ...provider, isKnown: true }, again))
      : null,
    ofPage
      ? iconButton(
          "trash",
          t("Remove {name}", { name }),
          guarded(async () => {
            const text = t("“{name}” and its key will be removed. Conversations that use its models need another one.", { name });
            if (!(await confirmDialog(t("Remove this provider?"), text, t("Remove")))) return;
            await remove(path`/providers/${name}`);
            changed();
            again();
          }),
        )
      : null,
  );
}

/** The dialog for a new provider, or for the key of one that is known. */
function editProvider({ name = "", kind = "anthropic", address = "", wire = "chat", isKnown = false, firstModel }, done) {
  const inputs = {
    kind: select(KINDS, kind),
    name: h("input", { type: "text", maxlength: "32", pattern: "[a-z][a-z0-9\\-]*", value: name, autocomplete: "off" }),
    address: h("input", { type: "url", maxlength: "300", value: address, placeholder: "http://127.0.0.1:8080/v1", autocomplete: "off" }),
    wire: select(WIRES, wire),
    key: h("input", { type: "password", maxlength: "4096", autocomplete: "off", spellcheck: "false" }),
    model: h("input", { type: "text", maxlength: "200", value: firstModel ?? "", autocomplete: "off", placeholder: t("chosen from its list") }),
  };
  for (const input of [inputs.kind, inputs.name]) input.disabled = isKnown;
  const fields = {
    kind: field(t("Kind"), inputs.kind),
    name: field(t("Name"), inputs.name),
    address: field(t("Address"), inputs.address),
    wire: field(t("Protocol"), inputs.wire),
    key: field(t("Key"), inputs.key),
    model: field(t("Model to try first (optional)"), inputs.model),
  };
  const show = () => {
    const value = inputs.kind.value;
    fields.address.hidden = OWN_ADDRESS.has(value) || isKnown;
    fields.wire.hidden = value !== "compatible" || isKnown;
    inputs.key.required = OWN_ADDRESS.has(value);
    inputs.address.required = !fields.address.hidden;
    if (!isKnown) inputs.name.placeholder = value === "compatible" ? "local" : value;
  };
  inputs.kind.addEventListener("change", show);
  show();
  const send = h("button", { class: "primary" }, t("Try and save"));
  const problem = h("p", { class: "fault", role: "alert", hidden: true });
  const save = async (event) => {
    event.preventDefault();
    send.disabled = true;
    problem.hidden = true;
    const wanted = inputs.name.value || inputs.name.placeholder;
    const body = {
      kind: inputs.kind.value,
      key: inputs.key.value || null,
      model: inputs.model.value || null,
      address: address || inputs.address.value || null,
      wire: inputs.kind.value === "compatible" ? inputs.wire.value : null,
    };
    try {
      await keep(wanted, body);
      inputs.key.value = "";
      dialog.close();
      done();
    } catch (fault) {
      problem.textContent = `${fault.message}. ${fault.fix}`;
      problem.hidden = false;
    }
    send.disabled = false;
  };
  const dialog = open(
    { title: isKnown ? t("Key of {name}", { name }) : t("Add a provider"), size: "md" },
    h("form", { class: "stack", onsubmit: save }, Object.values(fields), problem, h("div", { class: "row end" }, send)),
  );
}

/** Tries and keeps a provider; its first model answers new conversations if the server has none. */
async function keep(name, body) {
  const { asked, models } = await call("PUT", path`/providers/${name}`, body);
  toast(t("{model} answered. {n} {n:model|models} can be chosen.", { model: asked, n: models.length }));
  changed();
}

/** The default may be another one now. */
const changed = guarded(async () => {
  Object.assign(state.session, await get("/session"));
  emit("models_changed");
});

function lookForm(found, again) {
  const address = h("input", { type: "text", maxlength: "300", placeholder: t("Address, or nothing for this machine"), "aria-label": t("Address of a server"), autocomplete: "off" });
  const button = h("button", { class: "outline" }, t("Look"));
  const look = guarded(async (event) => {
    event.preventDefault();
    button.disabled = true;
    found.replaceChildren(h("p", { class: "faint" }, t("Looking…")));
    try {
      const servers = await post("/providers/find", address.value.trim() ? { address: address.value.trim() } : {});
      found.replaceChildren(
        ...(servers.length
          ? servers.map((server) => serverRow(server, again))
          : [h("p", { class: "faint" }, t("No server answers on the usual ports of Ollama, LM Studio, llama.cpp and vLLM."))]),
      );
    } catch (fault) {
      found.replaceChildren(h("p", { class: "fault", role: "alert" }, `${fault.message}. ${fault.fix}`));
    }
    button.disabled = false;
  });
  return h("form", { class: "row", onsubmit: look }, h("span", { class: "grow" }, address), button);
}

function serverRow({ title, kind, address, models }, again) {
  const name = kind === "ollama" ? "ollama" : (title ?? "local").toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const add = guarded(async () => {
    await keep(name, { kind, address, model: models[0]?.name ?? null });
    again();
  });
  return h(
    "div",
    { class: "row" },
    h(
      "span",
      { class: "grow" },
      h("strong", {}, title ?? address),
      h("span", { class: "about" }, `${address} · ${models.map((model) => model.name).slice(0, 8).join(", ") || t("no models")}`),
    ),
    h("button", { type: "button", class: "outline", disabled: !models.length, "aria-label": t("Add {name}", { name: title ?? address }), onclick: add }, t("Add")),
  );
}

function select(options, chosen) {
  const made = h(
    "select",
    {},
    Object.entries(options).map(([value, label]) => h("option", { value }, label)),
  );
  made.value = chosen;
  return made;
}

const field = (label, input) => h("label", { class: "field" }, h("span", {}, label), input);
