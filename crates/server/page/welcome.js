// What a person sees before there is a conversation: what to try, and how to add a key.

import { h } from "./dom.js";
import { icon } from "./icon.js";
import { state } from "./state.js";

const TRY = [
  ["dice", "Roll two dice for me"],
  ["tool", "What is 17 * 23 + 4?"],
  ["book", "Write in the notebook: buy oat milk"],
  ["search", "Search the web for development best practices"],
];

export function welcome(choose) {
  const { firstRun, model, models = [], owner } = state.session;
  return h(
    "div",
    { class: "welcome" },
    h("div", { class: "ghost-big" }, icon("ghost")),
    h("h2", {}, firstRun ? "Welcome. The ghost has hands." : owner ? `Hello, ${owner}` : "What shall we do?"),
    h("p", { class: "faint" }, "Tools run on your machine. Whatever changes something asks you first."),
    h(
      "div",
      { class: "tries" },
      TRY.map(([name, text]) =>
        h(
          "button",
          { type: "button", class: "try", onclick: () => choose(text) },
          icon(name),
          h("span", {}, text),
        ),
      ),
    ),
    models.length > 1
      ? h(
          "label",
          { class: "pick" },
          "Model ",
          h(
            "select",
            { id: "pick-model" },
            models.map((name) => option(name, model)),
          ),
        )
      : null,
    firstRun ? firstSteps(model) : null,
  );
}

function option(entry, chosen) {
  const name = entry.id ?? entry;
  const made = h("option", { value: name }, entry.label ?? name);
  made.selected = name === chosen;
  return made;
}

function firstSteps(model) {
  return h(
    "section",
    { class: "steps" },
    h("h3", {}, icon("key"), "Add a key"),
    h(
      "p",
      {},
      "This answers with ",
      h("code", {}, model ?? "rehearsal"),
      ", which needs no key and knows only a few tricks. ",
      "For a real model, stop the server and start it again with a key in its environment:",
    ),
    h(
      "pre",
      { tabindex: "0" },
      "export ANTHROPIC_API_KEY=…   # or OPENAI_API_KEY, GEMINI_API_KEY\nghosthand serve",
    ),
    h("p", { class: "faint" }, "Keys stay on the server. This page never sees them."),
  );
}
