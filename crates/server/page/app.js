// Entry point: loads the session, draws the bar, and routes by the URL hash.

import { get, path } from "./api.js";
import { startComposer, suggest } from "./chat/composer.js";
import { importConversation, startConversationList } from "./chat/conversation_list.js";
import { showModel, welcome } from "./chat/welcome.js";
import { guarded, h, iconButton, showError, toast } from "./dom.js";
import { icon } from "./icon.js";
import { attachMenu } from "./menu.js";
import { showInbox, startInbox } from "./panels/inbox.js";
import { emit, on, state, toggleTheme } from "./state.js";
import { t } from "./words.js";

// Loaded with the first conversation.
let chatModule = null;
const loadChat = () => (chatModule ??= import("./chat/conversation.js"));

// Panels are loaded when first opened.
const showTools = guarded(async () => (await import("./panels/tools.js")).showTools());
const showSettings = guarded(async () => (await import("./panels/settings.js")).showSettings());
const showPersonas = guarded(async () => (await import("./panels/settings.js")).showPersonas());
const showCalls = guarded(async () => (await import("./panels/calls.js")).showCalls());
const showShortcuts = guarded(async () => (await import("./panels/shortcuts.js")).showShortcuts());
const showAccount = guarded(async () => (await import("./panels/account.js")).showAccount());
const showDocuments = guarded(async () => (await import("./panels/documents.js")).showDocuments());
const showLibrary = guarded(async () => (await import("./panels/settings.js")).showLibrary());

const showConversationSettings = guarded(async () =>
  (await import("./panels/conversation_settings.js")).showConversationSettings(),
);
const showProviders = guarded(async () => (await import("./panels/providers.js")).showProviders());
const showServers = guarded(async () => (await import("./panels/mcp_servers.js")).showServers());
const showShares = guarded(async () => (await import("./organise/share.js")).showShares(state.conversation));
const pickModel = guarded(async () => (await import("./chat/model_picker.js")).pickModel());

function drawBar() {
  document.getElementById("model").addEventListener("click", pickModel);
  const features = iconButton("zap", t("Tool features"));
  const tools = iconButton("tool", t("Tools"), showTools);
  const more = iconButton("more", t("More"));
  const featureEntries = async () => (state.conversation ? (await import("./components/features.js")).featureEntries() : []);
  attachMenu(features, featureEntries, t("Open a conversation to see what tools add to it."));
  attachMenu(more, moreEntries);
  document.getElementById("bar-tools").append(startInbox(), features, tools, more);
  document
    .getElementById("side-foot")
    .append(
      iconButton("user", t("Personas"), showPersonas),
      iconButton("book", t("Library"), showLibrary),
      iconButton("settings", t("Settings"), showSettings),
      iconButton("moon", t("Toggle theme"), toggleTheme),
    );
}

function moreEntries() {
  const off = !state.conversation;
  const save = (as) => () => download(path`/api/conversations/${state.conversation.id}/export?as=${as}`);
  return [
    { icon: "inbox", label: t("Inbox"), run: showInbox },
    { icon: "user", label: t("Personas"), run: showPersonas },
    { icon: "book", label: t("Library"), run: showLibrary },
    { icon: "file", label: t("Documents"), run: showDocuments },
    { icon: "settings", label: t("Settings"), run: showSettings },
    { icon: "circle-user", label: t("Account"), run: showAccount },
    { icon: "settings", label: t("Settings of this conversation…"), run: showConversationSettings, off },
    { icon: "edit", label: t("Rename…"), run: async () => (await import("./chat/message_actions.js")).renameConversation(), off },
    { icon: "share", label: off ? t("Shared links") : t("Share…"), run: showShares },
    { icon: "download", label: t("Export as Markdown"), run: save("md"), off },
    { icon: "download", label: t("Export as JSON"), run: save("json"), off },
    { icon: "upload", label: t("Import…"), run: importConversation },
    { icon: "chart", label: t("Calls and usage"), run: showCalls },
    { icon: "plug", label: t("MCP servers"), run: showServers },
    { icon: "keyboard", label: t("Keyboard shortcuts"), run: showShortcuts },
    ...(state.session.operator ? [{ icon: "key", label: t("Providers and keys…"), run: showProviders }] : []),
  ];
}

function download(href) {
  h("a", { href, download: "" }).click();
}

/** `#/ID` is a conversation, `#/` the welcome screen, `#inbox` what waits; programs are told `#approvals`. */
const route = guarded(async () => {
  if (["#approvals", "#inbox"].includes(location.hash)) {
    history.replaceState(null, "", `#/${state.conversation?.id ?? ""}`);
    showInbox();
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
  document.getElementById("title").textContent = state.newTemporary ? t("Temporary conversation") : t("New conversation");
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
    "aria-label": t("Token"),
    placeholder: t("Token"),
  });
  const signIn = guarded(async (event) => {
    event.preventDefault();
    const response = await fetch("/login", { method: "POST", body: new URLSearchParams({ token: token.value }) });
    if (response.ok) location.reload();
    else toast(t("Invalid token."), "bad");
  });
  document
    .getElementById("app")
    .replaceChildren(
      h(
        "main",
        { class: "locked" },
        h("div", { class: "ghost-big" }, icon("ghost")),
        h("h1", {}, t("Sign in")),
        h(
          "p",
          { class: "faint" },
          t("Open the link that the server printed at startup, or paste its token."),
        ),
        h("form", { class: "row", onsubmit: signIn }, token, h("button", { class: "primary" }, t("Sign in"))),
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
