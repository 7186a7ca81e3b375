// Entry point: loads the session, draws the bar, and routes by the URL hash.

import { get, path } from "./api.js";
import { startComposer, suggest } from "./chat/composer.js";
import { importConversation, startConversationList } from "./chat/conversation_list.js";
import { showModel, welcome } from "./chat/welcome.js";
import { guarded, h, iconButton, showError, toast } from "./dom.js";
import { icon } from "./icon.js";
import { attachMenu } from "./menu.js";
import { showProgramApprovals, startProgramApprovals } from "./panels/program_approvals.js";
import { emit, on, setTheme, state } from "./state.js";

// Loaded with the first conversation.
let chatModule = null;
const loadChat = () => (chatModule ??= import("./chat/conversation.js"));

// Panels are loaded when first opened.
const showTools = guarded(async () => (await import("./panels/tools.js")).showTools());
const showSettings = guarded(async () => (await import("./panels/settings.js")).showSettings());
const showPersonas = guarded(async () => (await import("./panels/settings.js")).showPersonas());
const showCalls = guarded(async () => (await import("./panels/calls.js")).showCalls());
const showShortcuts = guarded(async () => (await import("./panels/shortcuts.js")).showShortcuts());
const showDocuments = guarded(async () => (await import("./panels/documents.js")).showDocuments());
const showLibrary = guarded(async () => (await import("./panels/settings.js")).showLibrary());

const showConversationSettings = guarded(async () =>
  (await import("./panels/conversation_settings.js")).showConversationSettings(),
);
const showProviders = guarded(async () => (await import("./panels/providers.js")).showProviders());
const showShares = guarded(async () => (await import("./organise/share.js")).showShares(state.conversation));
const pickModel = guarded(async () => (await import("./chat/model_picker.js")).pickModel());

function drawBar() {
  document.getElementById("model").addEventListener("click", pickModel);
  const features = iconButton("zap", "Tool features");
  const tools = iconButton("tool", "Tools", showTools);
  const more = iconButton("more", "More");
  const featureEntries = async () => (state.conversation ? (await import("./components/features.js")).featureEntries() : []);
  attachMenu(features, featureEntries, "Open a conversation to see what tools add to it.");
  attachMenu(more, moreEntries);
  document.getElementById("bar-tools").append(startProgramApprovals(), features, tools, more);
  document
    .getElementById("side-foot")
    .append(
      iconButton("user", "Personas", showPersonas),
      iconButton("book", "Library", showLibrary),
      iconButton("settings", "Settings", showSettings),
      iconButton("moon", "Toggle theme", toggleTheme),
    );
}

function moreEntries() {
  const off = !state.conversation;
  const save = (as) => () => download(path`/api/conversations/${state.conversation.id}/export?as=${as}`);
  return [
    { icon: "user", label: "Personas", run: showPersonas },
    { icon: "book", label: "Library", run: showLibrary },
    { icon: "file", label: "Documents", run: showDocuments },
    { icon: "settings", label: "Settings", run: showSettings },
    { icon: "settings", label: "Settings of this conversation…", run: showConversationSettings, off },
    { icon: "edit", label: "Rename…", run: async () => (await import("./chat/message_actions.js")).renameConversation(), off },
    { icon: "share", label: off ? "Shared links" : "Share…", run: showShares },
    { icon: "download", label: "Export as Markdown", run: save("md"), off },
    { icon: "download", label: "Export as JSON", run: save("json"), off },
    { icon: "upload", label: "Import…", run: importConversation },
    { icon: "chart", label: "Calls and usage", run: showCalls },
    { icon: "keyboard", label: "Keyboard shortcuts", run: showShortcuts },
    ...(state.session.operator ? [{ icon: "key", label: "Providers and keys…", run: showProviders }] : []),
  ];
}

function download(href) {
  h("a", { href, download: "" }).click();
}

function toggleTheme() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  setTheme(dark ? "light" : "dark");
}

/** `#/ID` is a conversation, `#/` the welcome screen, `#approvals` the requests from programs. */
const route = guarded(async () => {
  if (location.hash === "#approvals") {
    history.replaceState(null, "", `#/${state.conversation?.id ?? ""}`);
    guarded(showProgramApprovals)();
  }
  if (location.hash && !location.hash.startsWith("#/")) return;
  const id = decodeURIComponent(location.hash.slice(2));
  if (id && id === state.conversation?.id) return;
  if (!id) return showWelcome();
  state.newTemporary = false;
  try {
    await (await loadChat()).openConversation(id);
  } catch (fault) {
    showError(fault);
    location.hash = "#/";
  }
  return undefined;
});

async function showWelcome() {
  if (state.conversation || chatModule) (await loadChat()).closeConversation();
  document.getElementById("title").textContent = state.newTemporary ? "Temporary conversation" : "New conversation";
  showModel(state.newModel ?? state.session.model);
  document.title = "Ghostpad";
  const log = document.getElementById("log");
  log.removeAttribute("aria-busy");
  log.replaceChildren(welcome(suggest));
  emit("conversation", null);
  if (state.newTemporary) (await import("./organise/temporary.js")).showTemporary();
}

/** Shown without a valid login. */
function showSignIn() {
  const token = h("input", {
    type: "password",
    name: "token",
    required: true,
    autocomplete: "off",
    "aria-label": "Token",
    placeholder: "Token",
  });
  const signIn = guarded(async (event) => {
    event.preventDefault();
    const response = await fetch("/login", { method: "POST", body: new URLSearchParams({ token: token.value }) });
    if (response.ok) location.reload();
    else toast("Invalid token.", "bad");
  });
  document
    .getElementById("app")
    .replaceChildren(
      h(
        "main",
        { class: "locked" },
        h("div", { class: "ghost-big" }, icon("ghost")),
        h("h1", {}, "Sign in"),
        h(
          "p",
          { class: "faint" },
          "Open the link that the server printed at startup, or paste its token.",
        ),
        h("form", { class: "row", onsubmit: signIn }, token, h("button", { class: "primary" }, "Sign in")),
      ),
    );
}

function followKeys(event) {
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  const withControl = event.ctrlKey || event.metaKey;
  if (event.key === "?" && !isTyping && !withControl && !document.querySelector("dialog[open]")) showShortcuts();
  if (event.key.toLowerCase() === "o" && event.shiftKey && withControl) {
    event.preventDefault();
    document.getElementById("new").click();
  }
}

/** The page is usable before the session has loaded. */
function start() {
  state.started = loadSession();
  drawBar();
  startConversationList();
  startComposer();
  document.addEventListener("keydown", followKeys);
  if (matchMedia("(pointer: fine)").matches) document.getElementById("draft").focus();
  performance.mark("ready");
}

/** Loads the session, then shows the conversation in the URL. */
async function loadSession() {
  if (location.hash.length > 2) loadChat();
  try {
    Object.assign(state.session, await get("/session"));
  } catch (fault) {
    if (fault.status === 401) return showSignIn();
    showError(fault);
  }
  addEventListener("hashchange", route);
  on("welcome", showWelcome);
  on("models_changed", () => (state.conversation ? emit("stale") : showWelcome()));
  return route();
}

start();
