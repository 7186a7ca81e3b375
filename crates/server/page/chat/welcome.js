// The welcome screen: what to try, how to add a key. And the name of the model in the bar.

import { guarded, h } from "../dom.js";
import { icon } from "../icon.js";
import { state } from "../state.js";
import { t, withParts } from "../words.js";

/** How to ask for well-known tools in plain words. */
const PROMPTS = {
  "dice.roll_dice": ["dice", t("Roll 2d6")],
  "calculator.calculator": ["tool", t("What is 12*7?")],
  "notebook.add_note": ["book", t("Note: buy oat milk")],
  "web_search.web_search": ["search", t("Search for bread")],
  "battle.attack": ["swords", t("Attack the goblin")],
  "timer.set_timer": ["clock", t("Set a timer for 5 minutes")],
};
const TRIES_MAX = 6;

/** Suggests what to try with the available tools: in plain words, or else as a call. */
function suggestions(tries) {
  const prompts = tries.filter(({ tool }) => PROMPTS[tool]).map(({ tool }) => PROMPTS[tool]);
  const calls = tries
    .filter(({ tool, args }) => !PROMPTS[tool] && args)
    .map(({ tool, args }) => ["tool", `/${tool} ${JSON.stringify(args)}`]);
  return [...prompts, ...calls].slice(0, TRIES_MAX);
}

const LEGEND = [
  ["zap", t("Forms and actions that tools add to a conversation")],
  ["tool", t("All tools: turn them on or off, read about them, run them")],
  ["key", t("Calls with outside effects wait for your approval")],
];

/** `provider:name`, or only the name if both are the same. */
export function modelName(model = "") {
  const [provider, ...rest] = model.split(":");
  return provider === rest.join(":") ? provider : model;
}

/** Shows which model answers; `gone` says why it cannot. */
export function showModel(model, gone = null) {
  const button = document.getElementById("model");
  button.hidden = !model;
  button.textContent = modelName(model ?? "");
  button.setAttribute("aria-label", t("Model: {model}. Choose another", { model: modelName(model ?? "") }));
  button.classList.toggle("gone", Boolean(gone));
  if (gone || document.getElementById("model-gone")) import("./model_gone.js").then(({ showGone }) => showGone(model, gone));
}

/** `choose` gets the suggestion that a person clicks. */
export function welcome(choose) {
  const { firstRun, model = "", tries = [] } = state.session;
  const attempt = ([name, text]) =>
    h("button", { type: "button", class: "try", onclick: () => choose(text) }, icon(name), h("span", {}, text));
  return h(
    "div",
    { class: "welcome" },
    h("div", { class: "ghost-big" }, icon("ghost")),
    h("h2", {}, firstRun ? t("Welcome. The ghost has hands.") : t("What would you like to do?")),
    h("p", { class: "faint" }, t("Tools run on your machine, and you see every call.")),
    h("div", { class: "tries" }, suggestions(tries).map(attempt)),
    model.startsWith("rehearsal") ? addKey() : null,
    firstRun ? legend() : null,
  );
}

function legend() {
  return h(
    "div",
    { class: "legend" },
    LEGEND.flatMap(([name, text]) => [icon(name), h("span", {}, text)]),
  );
}

const showProviders = guarded(async () => (await import("../panels/providers.js")).showProviders());

/** Shown while the built-in stand-in answers. */
function addKey() {
  const { operator } = state.session;
  return h(
    "section",
    { class: "steps" },
    h("h3", {}, icon("key"), t("Connect a real model")),
    h(
      "p",
      {},
      withParts("You are talking to {model}, a built-in stand-in that needs no key and knows only a few tricks.", {
        model: h("code", {}, "rehearsal"),
      }),
      " ",
      operator ? null : t("To use a real model, ask the operator of this server to add a key."),
    ),
    operator ? h("button", { type: "button", class: "primary", onclick: showProviders }, t("Add a key or a local server")) : null,
    h(
      "details",
      {},
      h("summary", {}, icon("chevron"), t("Or set a key in the shell that runs the server, and restart it")),
      h("pre", { tabindex: "0" }, t("export ANTHROPIC_API_KEY=…   # or OPENAI_API_KEY, GEMINI_API_KEY")),
    ),
    h("p", { class: "faint" }, t("Keys stay on the server. The browser never gets them back.")),
  );
}
