// What tools add to the page: dialogs they draw, actions that run at once, widgets in the bar.

import { get, path, post } from "../api.js";
import { open } from "../dialog.js";
import { guarded, h, toast } from "../dom.js";
import { emit, on, state, withConversation } from "../state.js";
import { write } from "./kv_store.js";
import { drawWidgets } from "./widgets.js";

let features = [];

/** Asks again what there is; conditions may have changed. */
export const refreshFeatures = guarded(async () => {
  const id = state.talk?.id;
  const found = id ? await get(path`/features?conversation=${id}`) : [];
  if (id !== state.talk?.id) return;
  features = found.map((one) => ({ ...one, feature: withConversation(one.feature) }));
  await drawWidgets(features.filter(({ feature, available }) => available !== false && isWidget(feature)));
});

const isWidget = ({ type }) => ["widget", "currency", "badge_panel"].includes(type);

/** The entries of the features menu. */
export const featureEntries = () =>
  features
    .filter(({ feature }) => !isWidget(feature))
    .map(({ tool, feature, available }) => ({
      icon: feature.icon ?? feature.label ?? tool,
      label: feature.label ?? feature.id,
      hint: available === false ? "not available now" : feature.description,
      off: available === false,
      run: guarded(() => start(tool, feature)),
    }));

async function start(tool, feature) {
  if (feature.layout?.type === "instant") return instant(tool, feature);
  if (feature.type === "modal_textarea") return textarea(feature);
  return surface(tool, feature, feature.layout ?? {});
}

/** No dialog: the handler with the feature's own name runs at once. */
async function instant(tool, feature) {
  const reply = await submit(tool, feature.id, {});
  if (reply.success === false || reply.error) toast(reply.error ?? "it did not work", "bad");
  else toast(reply.message ?? `${feature.label ?? feature.id}: done`);
  emit("stale");
  refreshFeatures();
}

/** The older kind: one text kept under one key. */
function textarea({ kv_key: key, label, id }) {
  const layout = {
    title: label ?? id,
    components: [
      {
        id: "text",
        type: "textarea_input",
        data_source: { type: "kv_store", key },
        props: { rows: 8, label },
      },
      {
        id: "save",
        type: "button",
        props: { label: "Save" },
        actions: [{ type: "kv_write", key, from: "text" }],
      },
    ],
  };
  return surface("", {}, layout);
}

/** A dialog with its components; they find each other by id in `parts`. */
async function surface(tool, feature, layout) {
  const { make } = await import("./component.js");
  const parts = new Map();
  const here = {
    parts,
    notes: [], // said about what stood in the form when it was sent
    open: (inner) => surface(tool, feature, inner),
    act: (action) => act(here, tool, action),
  };
  const made = (layout.components ?? []).map((component) => {
    const part = make(component, here);
    if (component.id) parts.set(component.id, part);
    return part;
  });
  const shown = open(
    {
      title: layout.title ?? feature.label ?? "",
      size: layout.size ?? "md",
      onclose: () => made.forEach((part) => part.end?.()),
    },
    h(
      "div",
      { class: "surface", oninput: () => here.notes.splice(0).forEach((note) => note.remove()) },
      made.map(({ element }) => element),
    ),
  );
  here.close = shown.close;
}

/** Runs an action; the answer is an error for the person, or nothing. */
async function act(here, tool, action) {
  if (action.type === "kv_write") {
    await write(action.key, here.parts.get(action.from).value());
    return here.close();
  }
  if (action.type !== "tool_submit") return `this page does not know the action “${action.type}”`;
  const params = Object.entries(action.params ?? {}).map(([name, value]) => [
    name,
    here.parts.get(value)?.value ? here.parts.get(value).value() : value,
  ]);
  const before = new Map([...here.parts].map(([id, part]) => [id, part.value?.()]));
  const reply = await submit(tool, action.target, Object.fromEntries(params));
  for (const id of reply.clear_inputs ?? []) {
    const part = here.parts.get(id);
    // What a person has written meanwhile is theirs.
    if (part?.value?.() === before.get(id)) part?.clear?.();
  }
  for (const id of reply.refresh_components ?? []) here.parts.get(id)?.refresh?.();
  if (reply.success === false || reply.error) return reply.error ?? "it did not work";
  if (reply.close_modal) here.close();
  if (reply.message) here.notes.push(toast(reply.message));
  return null;
}

async function submit(tool, handler, params) {
  const conversation = state.talk?.id ?? null;
  const body = { tool, handler, params: { ...params, conversation_id: conversation }, conversation };
  return (await post("/tool_submit", body)) ?? {};
}

export function startFeatures() {
  on("talk", refreshFeatures);
  on("features", refreshFeatures);
}
