// Starts the page: the session, the bar at the top, and the address that names a conversation.

import { get, path } from "./api.js";
import { openTalk, startChat } from "./chat.js";
import { complain, guarded, h, iconButton } from "./dom.js";
import { featureEntries, startFeatures } from "./feature.js";
import { icon } from "./icon.js";
import { menuOn } from "./menu.js";
import { setTheme, state } from "./state.js";
import { importTalk, refresh, startTalks } from "./talks.js";

// Panels are fetched when they are first wanted.
const showTools = guarded(async () => (await import("./tools.js")).showTools());
const showSettings = guarded(async () => (await import("./settings.js")).showSettings());
const showPersonas = guarded(async () => (await import("./settings.js")).showPersonas());
const showLibrary = guarded(async () => (await import("./settings.js")).showLibrary());

function bar() {
  const features = iconButton("zap", "Features of tools");
  const tools = iconButton("tool", "Tools", showTools);
  const more = iconButton("more", "More");
  menuOn(features, featureEntries);
  menuOn(more, moreEntries);
  document.getElementById("bar-tools").append(features, tools, more);
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
    { icon: "download", label: "Export as Markdown", run: save("md"), off },
    { icon: "download", label: "Export as JSON", run: save("json"), off },
    { icon: "upload", label: "Import…", run: importTalk },
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

/** `#/ID` is a conversation, `#/` a new one; other fragments are places on the page. */
const route = guarded(async () => {
  if (location.hash && !location.hash.startsWith("#/")) return;
  const id = decodeURIComponent(location.hash.slice(2));
  if (id && id === state.talk?.id) return;
  document.getElementById("title").textContent = "Ghostpad";
  document.getElementById("model").textContent = "";
  document.title = "Ghostpad";
  try {
    await openTalk(id || null);
  } catch (fault) {
    complain(fault);
    if (id) location.hash = "#/";
  }
});

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

async function start() {
  try {
    state.session = { ...state.session, ...(await get("/session")) };
  } catch (fault) {
    if (fault.status === 401) return locked();
    complain(fault);
  }
  bar();
  startTalks();
  startFeatures();
  startChat();
  addEventListener("hashchange", route);
  await route();
  if (!state.talk) refresh();
  if (matchMedia("(pointer: fine)").matches) document.getElementById("draft").focus();
  return undefined;
}

start();
