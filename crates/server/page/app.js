// Starts the page: the session, the bar at the top, and the address that names a conversation.

import { get, path } from "./api.js";
import { startComposer, suggest } from "./chat/composer.js";
import { importTalk, startTalks } from "./chat/conversation_list.js";
import { modelName, welcome } from "./chat/welcome.js";
import { complain, guarded, h, iconButton } from "./dom.js";
import { icon } from "./icon.js";
import { menuOn } from "./menu.js";
import { showRequests, startRequests } from "./panels/program_approvals.js";
import { emit, setTheme, state } from "./state.js";

// A conversation's part of the page is fetched with the first conversation.
let chatting = null;
const chat = () => (chatting ??= import("./chat/conversation.js"));

// Panels are fetched when they are first wanted.
const showTools = guarded(async () => (await import("./panels/tools.js")).showTools());
const showSettings = guarded(async () => (await import("./panels/settings.js")).showSettings());
const showPersonas = guarded(async () => (await import("./panels/settings.js")).showPersonas());
const showCalls = guarded(async () => (await import("./panels/calls.js")).showCalls());
const showLibrary = guarded(async () => (await import("./panels/settings.js")).showLibrary());

function bar() {
  const features = iconButton("zap", "Features of tools");
  const tools = iconButton("tool", "Tools", showTools);
  const more = iconButton("more", "More");
  const added = async () => (state.talk ? (await import("./components/features.js")).featureEntries() : []);
  menuOn(features, added, "What tools add shows here once a conversation is open.");
  menuOn(more, moreEntries);
  document.getElementById("bar-tools").append(startRequests(), features, tools, more);
  document
    .getElementById("side-foot")
    .append(
      iconButton("user", "Personas", showPersonas),
      iconButton("book", "Library", showLibrary),
      iconButton("settings", "Settings", showSettings),
      iconButton("moon", "Light or dark", flip),
    );
}

function moreEntries() {
  const off = !state.talk;
  const save = (as) => () => download(path`/api/conversations/${state.talk.id}/export?as=${as}`);
  return [
    { icon: "user", label: "Personas", run: showPersonas },
    { icon: "book", label: "Library", run: showLibrary },
    { icon: "settings", label: "Settings", run: showSettings },
    { icon: "edit", label: "Rename…", run: async () => (await import("./chat/message_actions.js")).rename(), off },
    { icon: "download", label: "Export as Markdown", run: save("md"), off },
    { icon: "download", label: "Export as JSON", run: save("json"), off },
    { icon: "upload", label: "Import…", run: importTalk },
    { icon: "chart", label: "Calls and usage", run: showCalls },
  ];
}

function download(href) {
  h("a", { href, download: "" }).click();
}

function flip() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  setTheme(dark ? "light" : "dark");
}

/** `#/ID` is a conversation, `#/` a new one, `#approvals` what programs ask; others are places. */
const route = guarded(async () => {
  if (location.hash === "#approvals") {
    history.replaceState(null, "", `#/${state.talk?.id ?? ""}`);
    guarded(showRequests)();
  }
  if (location.hash && !location.hash.startsWith("#/")) return;
  const id = decodeURIComponent(location.hash.slice(2));
  if (id && id === state.talk?.id) return;
  if (!id) return showWelcome();
  try {
    await (await chat()).openTalk(id);
  } catch (fault) {
    complain(fault);
    location.hash = "#/";
  }
  return undefined;
});

async function showWelcome() {
  if (state.talk || chatting) (await chat()).closeTalk();
  document.getElementById("title").textContent = "New conversation";
  document.getElementById("model").textContent = modelName(state.session.model);
  document.title = "Ghostpad";
  const log = document.getElementById("log");
  log.removeAttribute("aria-busy");
  log.replaceChildren(welcome(suggest));
  emit("talk", null);
}

/** Without a token the server tells nothing; its link brings one, or a person pastes it. */
function locked() {
  const token = h("input", {
    type: "password",
    name: "token",
    required: true,
    autocomplete: "off",
    "aria-label": "Token",
    placeholder: "Token",
  });
  const enter = (event) => {
    event.preventDefault();
    location.assign(`/login?token=${encodeURIComponent(token.value)}`);
  };
  document
    .getElementById("app")
    .replaceChildren(
      h(
        "main",
        { class: "locked" },
        h("div", { class: "ghost-big" }, icon("ghost")),
        h("h1", {}, "This pad is locked"),
        h(
          "p",
          { class: "faint" },
          "Open the link that the server printed when it started, or paste its token.",
        ),
        h("form", { class: "row", onsubmit: enter }, token, h("button", { class: "primary" }, "Open")),
      ),
    );
}

/** Everything can be used before the server has said who is asking. */
function start() {
  state.started = begin();
  bar();
  startTalks();
  startComposer();
  if (matchMedia("(pointer: fine)").matches) document.getElementById("draft").focus();
  performance.mark("ready");
}

/** Who is asking, and which conversation the address names. */
async function begin() {
  if (location.hash.length > 2) chat();
  try {
    Object.assign(state.session, await get("/session"));
  } catch (fault) {
    if (fault.status === 401) return locked();
    complain(fault);
  }
  addEventListener("hashchange", route);
  return route();
}

start();
