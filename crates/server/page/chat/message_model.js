// The model of the next message alone: picked beside the composer, shown above it, gone when it is sent.

import { announce, guarded, h, iconButton } from "../dom.js";
import { icon } from "../icon.js";
import { emit, on, state } from "../state.js";
import { t } from "../words.js";
import { abilities, findModel } from "./model_picker.js";
import { modelName } from "./welcome.js";

const draft = document.getElementById("draft");
const words = h("span", { class: "grow" });
const forget = iconButton("x", t("Use the model of the conversation"), () => (set(null), draft.focus()));
const place = h("div", { class: "for-message", id: "for-message", role: "group", "aria-label": t("Model for this message"), hidden: true }, icon("sparkles"), words, forget);
let conversation; // the one that the model was picked in

/** Opens the list of models. */
export const pickForMessage = guarded(async () => {
  await state.started;
  const usual = usualModel();
  const model = await findModel(t("Model for this message"), state.messageModel?.id ?? usual);
  if (model) set(model.id === usual ? null : model);
  draft.focus();
});

/** Answers the message that is in the draft. */
export const useForMessage = (model) => set(model);

const usualModel = () => (state.conversation ? state.conversation.model : (state.newModel ?? state.session.model));

function set(model) {
  conversation = state.conversation?.id;
  state.messageModel = model;
  emit("message_model");
  if (model) announce(t("{model} answers this message.", { model: modelName(model.id) }));
}

function draw() {
  const model = state.messageModel;
  place.hidden = !model;
  document.getElementById("message-model").setAttribute("aria-pressed", String(Boolean(model)));
  if (!model) return;
  words.replaceChildren(
    h("span", {}, t("Only this message: {model}", { model: modelName(model.id) })),
    h("span", { class: "chips" }, abilities(model).map((text) => h("span", { class: "chip" }, text))),
  );
}

document.getElementById("composer").before(place);
on("message_model", draw);
on("conversation", (opened) => opened?.id !== conversation && state.messageModel && set(null));
