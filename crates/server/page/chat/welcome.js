// What a person sees before there is a conversation: what to try, and how to add a key.

import { h } from "../dom.js";
import { icon } from "../icon.js";
import { state } from "../state.js";

/** How people say it, of tools that many have. */
const SAID = {
  "dice.roll_dice": ["dice", "Roll 2d6"],
  "calculator.calculator": ["tool", "What is 12*7?"],
  "notebook.add_note": ["book", "Note: buy oat milk"],
  "web_search.web_search": ["search", "Search for bread"],
  "battle.attack": ["swords", "Attack the goblin"],
  "timer.set_timer": ["clock", "Set a timer for 5 minutes"],
};
const TRIES_MAX = 6;

/** What can be tried with the tools that are there: in words, or else as a call. */
function suggestions(tries) {
  const said = tries.filter(({ tool }) => SAID[tool]).map(({ tool }) => SAID[tool]);
  const calls = tries
    .filter(({ tool, args }) => !SAID[tool] && args)
    .map(({ tool, args }) => ["tool", `/${tool} ${JSON.stringify(args)}`]);
  return [...said, ...calls].slice(0, TRIES_MAX);
}

const LEGEND = [
  ["zap", "what tools add to a conversation: forms and actions"],
  ["tool", "all tools: switch them, read about them, run them by hand"],
  ["key", "what changes something outside waits until you agree"],
];

/** `provider:name`, or the name alone where both are the same. */
export function modelName(model = "") {
  const [provider, ...rest] = model.split(":");
  return provider === rest.join(":") ? provider : model;
}

/** `choose` takes the text that a person picks. */
export function welcome(choose) {
  const { firstRun, model = "", models = [], tries = [] } = state.session;
  const attempt = ([name, text]) =>
    h("button", { type: "button", class: "try", onclick: () => choose(text) }, icon(name), h("span", {}, text));
  return h(
    "div",
    { class: "welcome" },
    h("div", { class: "ghost-big" }, icon("ghost")),
    h("h2", {}, firstRun ? "Welcome. The ghost has hands." : "What shall we do?"),
    h("p", { class: "faint" }, "Tools run on your machine, and every call is shown."),
    h("div", { class: "tries" }, suggestions(tries).map(attempt)),
    models.length > 1 ? picker(models, model) : null,
    model.startsWith("rehearsal") ? addKey() : null,
    firstRun ? legend() : null,
  );
}

function picker(models, chosen) {
  const option = (entry) => {
    const name = entry.id ?? entry;
    const made = h("option", { value: name }, entry.label ?? modelName(name));
    made.selected = name === chosen;
    return made;
  };
  return h("label", { class: "pick" }, "Model ", h("select", { id: "pick-model" }, models.map(option)));
}

function legend() {
  return h(
    "div",
    { class: "legend" },
    LEGEND.flatMap(([name, text]) => [icon(name), h("span", {}, text)]),
  );
}

/** The stand-in answers; a key brings a real model. */
function addKey() {
  return h(
    "section",
    { class: "steps" },
    h("h3", {}, icon("key"), "Add a key for a real model"),
    h(
      "p",
      {},
      "Now ",
      h("code", {}, "rehearsal"),
      " answers: it needs no key, and knows only a few tricks. Set a key in the shell that runs the server, then start it again as before:",
    ),
    h("pre", { tabindex: "0" }, "export ANTHROPIC_API_KEY=…   # or OPENAI_API_KEY, GEMINI_API_KEY"),
    h("p", { class: "faint" }, "Keys stay on the server. This page never sees them."),
  );
}
