// The panel “MCP servers”: what each offers, what waits, who is logged in. The operator adds and removes.

import { get, path, post, remove } from "../api.js";
import { confirmDialog, open } from "../dialog.js";
import { guarded, h, iconButton, toast } from "../dom.js";
import { state } from "../state.js";

/** Where a login returns to; `logged_in.js` of the crate `mcp-web` reads it. */
const RETURN_TO = "mcp-login-return";

export const showServers = guarded(async () => {
  const list = h("ul", { class: "list roomy", "aria-label": "MCP servers" });
  const about = h("div", { class: "stack" });
  const fill = guarded(async () => {
    const found = await get("/mcp-servers");
    list.hidden = found.servers.length === 0;
    list.replaceChildren(...found.servers.map((server) => serverRow(server, found, fill)));
    about.replaceChildren(...aboutServers(found, fill));
  });
  open({ title: "MCP servers", kind: "panel" }, list, about);
  await fill();
});

function aboutServers(found, fill) {
  const { servers, mayAdd } = found;
  if (!mayAdd) {
    const text = servers.length
      ? "These servers use your own login. Nobody else can use it, and no model sees it."
      : "No MCP server on this page needs a login of yours.";
    return [h("p", { class: "faint" }, text)];
  }
  const add = async () => (await import("./mcp_add.js")).addServer(found, fill);
  return [
    h("p", { class: "faint" }, "Tools of a server are off until you have looked at them and accepted them. What changes later stays off until you accept it again."),
    h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: guarded(add) }, "Add a server")),
  ];
}

/** What a person should know first. */
function stateText({ state: word, pending, fault, ofPage, tools, name }) {
  if (word === "failed") return fault;
  if (word === "login") return ofPage ? "Log in to use it." : `Needs a login: run \`ghosthand mcp login ${name}\`.`;
  if (word === "changed") return pending === 1 ? "One tool is new or has changed, and is off." : `${pending} tools are new or have changed, and are off.`;
  if (word === "new") return ofPage ? "Nothing is accepted yet." : `Nothing is approved yet: run \`ghosthand mcp import ${name}\`.`;
  return tools.length ? "" : "No tool is accepted.";
}

const LOGIN = { none: "", shared: "one login for everybody", each: "each person logs in" };

function serverRow(server, { mayAdd }, fill) {
  const { name, place, ofPage, login, loggedIn, tools, secrets } = server;
  const many = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  const given = secrets.length ? `given: ${secrets.join(", ")}` : "";
  const about = [place, ofPage ? "" : "from the settings files", LOGIN[login], given, tools.length ? many : ""];
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
      loggedIn ? h("span", { class: "about" }, "You are logged in.") : null,
      text ? h("span", { class: "because" }, text) : null,
    ),
    mayLogIn && !loggedIn
      ? h("button", { type: "button", class: "primary", "aria-label": `Log in to ${name}`, onclick: guarded(() => logIn(name)) }, "Log in")
      : null,
    mayLogIn && loggedIn
      ? h("button", { type: "button", class: "outline", "aria-label": `Disconnect from ${name}`, onclick: guarded(() => disconnect(name, fill)) }, "Disconnect")
      : null,
    mayAdd && ofPage && loggedIn !== false
      ? h("button", { type: "button", class: "outline", "aria-label": `Tools of ${name}`, onclick: guarded(look) }, "Tools")
      : null,
    mayAdd && ofPage ? iconButton("trash", `Remove ${name}`, guarded(() => removeServer(name, fill))) : null,
  );
}

/** Leaves the page for the login of a server; its redirect comes back here. */
export async function logIn(name) {
  const { link } = await post(path`/mcp-servers/${name}/login`);
  if (!/^https?:\/\//.test(link)) throw new Error("The server sent a link that is not a web address");
  try {
    sessionStorage.setItem(RETURN_TO, state.conversation?.id ?? "");
  } catch {
    /* then it returns to the welcome screen */
  }
  location.assign(link);
}

async function disconnect(name, fill) {
  await remove(path`/mcp-servers/${name}/login`);
  toast(`Your login at ${name} is deleted.`);
  fill();
}

async function removeServer(name, fill) {
  const text = `“${name}”, its secrets and everybody's logins will be deleted. Its tools are gone at once.`;
  if (!(await confirmDialog("Remove this server?", text, "Remove"))) return;
  await remove(path`/mcp-servers/${name}`);
  fill();
}
