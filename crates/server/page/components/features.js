// What tools add to the page: forms, actions that run at once, widgets.

import { get, path, post } from "../api.js";
import { open } from "../dialog.js";
import { guarded, h, toast } from "../dom.js";
import { paramsOf, problemOf } from "../forms.js";
import { emit, on, state, withConversation } from "../state.js";
import { t } from "../words.js";
import { write } from "./kv_store.js";
import { drawWidgets } from "./widgets.js";

let features = [];

/** Reloads the features; their conditions may have changed. */
export const refreshFeatures = guarded(async () => {
  const id = state.conversation?.id;
  const found = id ? await get(path`/features?conversation=${id}`) : [];
  if (id !== state.conversation?.id) return;
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
      hint: available === false ? t("Not available now") : feature.description,
      off: available === false,
      run: guarded(() => runFeature(tool, feature)),
    }));

async function runFeature(tool, feature) {
  if (feature.layout?.type === "instant") return runInstant(tool, feature);
  if (feature.type === "modal_textarea") return openTextarea(feature);
  return openSurface(tool, feature, feature.layout ?? {});
}

/** Runs the handler named like the feature, without a dialog. */
async function runInstant(tool, feature) {
  const reply = await submit(tool, feature.id, {});
  if (reply.success === false || reply.error) toast(reply.error ?? t("The action failed."), "bad");
  else toast(reply.message ?? t("{name}: done", { name: feature.label ?? feature.id }));
  emit("stale");
  refreshFeatures();
}

/** The older feature type: one text under one key. */
function openTextarea({ kv_key: key, label, id }) {
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
        props: { label: t("Save") },
        actions: [{ type: "kv_write", key, from: "text" }],
      },
    ],
  };
  return openSurface("", {}, layout);
}

/** A form is shown after this time even if some of its data is still on the way. */
const WAIT_MAX = 3000;

/** Opens a dialog with components, which find each other by id in `surface.components`. */
async function openSurface(tool, feature, layout) {
  const { createComponent } = await import("./component.js");
  const components = new Map();
  const surface = {
    components,
    toasts: [], // about the last submission; removed at the next input
    open: (inner) => openSurface(tool, feature, inner),
    runAction: (action) => runAction(surface, tool, action),
  };
  const created = (layout.components ?? []).map((declaration) => {
    const component = createComponent(declaration, surface);
    if (declaration.id) components.set(declaration.id, component);
    return component;
  });
  const wait = h("p", { class: "faint", role: "status" }, t("Loading…"));
  const form = h(
    "div",
    { class: "surface waiting", oninput: () => surface.toasts.splice(0).forEach((shown) => shown.remove()) },
    created.map(({ element }) => element),
  );
  const dialog = open(
    {
      title: layout.title ?? feature.label ?? "",
      size: layout.size ?? "md",
      onclose: () => created.forEach((component) => component.end?.()),
    },
    wait,
    form,
  );
  surface.close = dialog.close;
  // All at once: nothing moves under the pointer.
  const limit = new Promise((over) => setTimeout(over, WAIT_MAX));
  await Promise.race([Promise.all(created.map(({ loaded }) => loaded)), limit]);
  wait.remove();
  form.classList.remove("waiting");
}

/** Runs an action; returns an error message, or null. */
async function runAction(surface, tool, action) {
  const problem = problemOf(surface, action);
  if (problem) return problem;
  if (action.type === "kv_write") {
    await write(action.key, surface.components.get(action.from).value());
    return surface.close();
  }
  if (action.type !== "tool_submit") return t("Unknown action type “{type}”.", { type: action.type });
  const before = new Map([...surface.components].map(([id, component]) => [id, component.value?.()]));
  const reply = await submit(tool, action.target, paramsOf(surface, action));
  for (const id of reply.clear_inputs ?? []) {
    const component = surface.components.get(id);
    // Keep what a person typed in the meantime.
    if (component?.value?.() === before.get(id)) component?.clear?.();
  }
  for (const id of reply.refresh_components ?? []) surface.components.get(id)?.refresh?.();
  if (reply.success === false || reply.error) return reply.error ?? t("The action failed.");
  if (reply.close_modal) surface.close();
  if (reply.message) surface.toasts.push(toast(reply.message));
  return null;
}

async function submit(tool, handler, params) {
  const conversation = state.conversation?.id ?? null;
  const body = { tool, handler, params: { ...params, conversation_id: conversation }, conversation };
  return (await post("/tool_submit", body)) ?? {};
}

export function startFeatures() {
  on("conversation", refreshFeatures);
  on("features_changed", refreshFeatures);
}
