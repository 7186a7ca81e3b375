// Says that the model of the open conversation is not there any more, and offers another.

import { h } from "../dom.js";
import { t } from "../words.js";
import { pickModel } from "./model_picker.js";
import { modelName } from "./welcome.js";

/** Shows the note, or takes it away if `because` is empty. */
export function showGone(model, because) {
  document.getElementById("model-gone")?.remove();
  if (!because) return;
  document
    .getElementById("offline")
    .after(
      h(
        "p",
        { class: "offline", id: "model-gone", role: "status" },
        t("The model {model} is not available: {because}.", { model: modelName(model), because }),
        " ",
        h("button", { type: "button", class: "outline", onclick: pickModel }, t("Choose another model")),
      ),
    );
}
