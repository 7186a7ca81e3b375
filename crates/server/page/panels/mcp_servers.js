// The panel “MCP servers”: what each offers, what waits, who is logged in. The operator adds and removes.

import { get, path, post, remove } from "../api.js";
import { confirmDialog, openLoaded } from "../dialog.js";
import { guarded, h, iconButton, toast } from "../dom.js";
import { state } from "../state.js";
import { t } from "../words.js";

/** Where a login returns to; `logged_in.js` of the crate `mcp-web` reads it. */
const RETURN_TO = "mcp-login-return";

export const showServers = () => openLoaded({ title: t("MCP servers"), kind: "panel" }, loadServers);

async function loadServers() {
  const list = h("ul", { class: "list roomy", "aria-label": t("MCP servers") });
  const about = h("div", { class: "stack" });
  const fill = async () => {
    const found = await get("/mcp-servers");
    list.hidden = found.servers.length === 0;
    list.replaceChildren(...found.servers.map((server) => serverRow(server, found, again)));
    about.replaceChildren(...aboutServers(found, again));
  };
  const again = guarded(fill);
  await fill();
  return [list, about];
}

function aboutServers(found, fill) {
  const { servers, mayAdd } = found;
  if (!mayAdd) {
    const text = servers.length
      ? t("These servers use your own login. Nobody else can use it, and no model sees it.")
      : t("No MCP server on this page needs a login of yours.");
    return [h("p", { class: "faint" }, text)];
  }
  const add = async () => (await import("./mcp_add.js")).addServer(found, fill);
  return [
    h("p", { class: "faint" }, t("Tools of a server are off until you have looked at them and accepted them. What changes later stays off until you accept it again.")),
    h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: guarded(add) }, t("Add a server"))),
  ];
}

/** What a person should know first. */
function stateText({ state: word, pending, fault, ofPage, tools, name }) {
  if (word === "failed") return fault;
  if (word === "login") return ofPage ? t("Log in to use it.") : t("Needs a login: run `{command}`.", { command: `ghosthand mcp login ${name}` });
  if (word === "changed") return pending === 1 ? t("One tool is new or has changed, and is off.") : t("{n} tools are new or have changed, and are off.", { n: pending });
  if (word === "new") return ofPage ? t("Nothing is accepted yet.") : t("Nothing is approved yet: run `{command}`.", { command: `ghosthand mcp import ${name}` });
  return tools.length ? "" : t("No tool is accepted.");
}

const LOGIN = { none: "", shared: t("one login for everybody"), each: t("each person logs in") };

function serverRow(server, { mayAdd }, fill) {
  const { name, place, ofPage, login, loggedIn, tools, secrets } = server;
  const many = t("{n} {n:tool|tools}", { n: tools.length });
  const given = secrets.length ? t("given: {names}", { names: secrets.join(", ") }) : "";
  const about = [place, ofPage ? "" : t("from the settings files"), LOGIN[login], given, tools.length ? many : ""];
  const text = stateText(server);
  const mayLogIn = ofPage && (login === "each" || (login === "shared" && mayAdd));
  const look = async () => (await import("./mcp_review.js")).lookAtServer(name, fill);
  return h(
    "li",
    { class: "server" },
    h(
      "span",
      { class: "grow" },
      h("strong", {}, name),
      h("span", { class: "about" }, about.filter(Boolean).join(" · ")),
      loggedIn ? h("span", { class: "about" }, t("You are logged in.")) : null,
      text ? h("span", { class: "because" }, text) : null,
    ),
    mayLogIn && !loggedIn
      ? h("button", { type: "button", class: "primary", "aria-label": t("Log in to {name}", { name }), onclick: guarded(() => logIn(name)) }, t("Log in"))
      : null,
    mayLogIn && loggedIn
      ? h("button", { type: "button", class: "outline", "aria-label": t("Disconnect from {name}", { name }), onclick: guarded(() => disconnect(name, fill)) }, t("Disconnect"))
      : null,
    mayAdd && ofPage && loggedIn !== false
      ? h("button", { type: "button", class: "outline", "aria-label": t("Tools of {name}", { name }), onclick: guarded(look) }, t("Tools"))
      : null,
    mayAdd && ofPage ? iconButton("trash", t("Remove {name}", { name }), guarded(() => removeServer(name, fill))) : null,
  );
}

/** Leaves the page for the login of a server; its redirect comes back here. */
export async function logIn(name) {
  const { link } = await post(path`/mcp-servers/${name}/login`);
  if (!/^https?:\/\//.test(link)) throw new Error(t("The server sent a link that is not a web address"));
  try {
    sessionStorage.setItem(RETURN_TO, state.conversation?.id ?? "");
  } catch {
    /* then it returns to the welcome screen */
  }
  location.assign(link);
}

async function disconnect(name, fill) {
  await remove(path`/mcp-servers/${name}/login`);
  toast(t("Your login at {name} is deleted.", { name }));
  fill();
}

async function removeServer(name, fill) {
  const text = t("“{name}”, its secrets and everybody's logins will be deleted. Its tools are gone at once.", { name });
  if (!(await confirmDialog(t("Remove this server?"), text, t("Remove")))) return;
  await remove(path`/mcp-servers/${name}`);
  fill();
}
