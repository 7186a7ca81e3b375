// The dialog that adds an MCP server: by address, or by a command where the server allows it.

import { call, path } from "../api.js";
import { open } from "../dialog.js";
import { guarded, h, iconButton } from "../dom.js";
import { t } from "../words.js";
import { logIn } from "./mcp_servers.js";
import { showReview } from "./mcp_review.js";

const LOGIN = {
  none: t("No login"),
  shared: t("I log in once, for everybody"),
  each: t("Each person logs in, for their own calls"),
};

export function addServer({ commands }, done) {
  const inputs = {
    kind: select({ address: t("At an address (HTTP)"), command: t("A command on this machine") }),
    name: input({ required: true, maxlength: "20", pattern: "[a-z][a-z0-9_]*", placeholder: "tracker" }),
    address: input({ type: "url", maxlength: "300", placeholder: "https://tracker.example/mcp" }),
    program: input({ maxlength: "1000", placeholder: "uvx" }),
    args: area("mcp-server-time"),
    network: h("input", { type: "checkbox" }),
    read: area(""),
    write: area(""),
    login: select(LOGIN),
    clientId: input({ maxlength: "1000" }),
    clientSecret: input({ type: "password", maxlength: "4096" }),
  };
  const secrets = secretList();
  const fields = [
    field(t("Kind"), inputs.kind),
    field(t("Name (prefix of its tools)"), inputs.name),
    only("address", field(t("Address"), inputs.address)),
    only("address", field(t("Login"), inputs.login)),
    only("login", field(t("Client id (if the service does not register clients by itself)"), inputs.clientId)),
    only("login", field(t("Client secret"), inputs.clientSecret)),
    only("command", h("p", { class: "faint" }, commandText(commands))),
    only("command", field(t("Program"), inputs.program)),
    only("command", field(t("Arguments, one in each line"), inputs.args)),
    only("command", field(t("Files and folders it may read, one in each line"), inputs.read)),
    only("command", field(t("Files and folders it may write, one in each line"), inputs.write)),
    only("command", h("div", { class: "choices" }, h("label", {}, inputs.network, t("It may connect to the internet")))),
    secrets.node,
  ];
  const send = h("button", { class: "primary" }, t("Try and save"));
  const show = () => {
    const isCommand = inputs.kind.value === "command";
    const hasLogin = !isCommand && inputs.login.value !== "none";
    const shown = { address: !isCommand, command: isCommand, login: hasLogin };
    for (const one of fields) if (one.dataset.for) one.hidden = !shown[one.dataset.for];
    inputs.address.required = !isCommand;
    inputs.program.required = isCommand;
    secrets.rename(isCommand ? t("Secret variables") : t("Secret headers, such as Authorization"));
    send.disabled = isCommand && !commands;
  };
  inputs.kind.addEventListener("change", show);
  inputs.login.addEventListener("change", show);
  show();
  const problem = h("p", { class: "fault", role: "alert", hidden: true });
  const save = async (event) => {
    event.preventDefault();
    send.disabled = true;
    problem.hidden = true;
    try {
      const { name, review } = await call("PUT", path`/mcp-servers/${inputs.name.value.trim()}`, bodyOf(inputs, secrets.values()));
      dialog.close();
      done();
      if (review) showReview(review, done);
      else await guarded(logIn)(name);
    } catch (fault) {
      problem.textContent = [fault.message, fault.fix].filter(Boolean).join(". ");
      problem.hidden = false;
    }
    show();
  };
  const dialog = open(
    { title: t("Add an MCP server"), size: "md" },
    h("form", { class: "stack", onsubmit: save }, fields, problem, h("div", { class: "row end" }, send)),
  );
}

const commandText = (commands) =>
  commands
    ? t("It runs on this machine in the sandbox: it reads its own package and what you name here, writes only what you name here, and never sees keys of yours. `npx` and `uvx` start packages that are installed.")
    : t("This server starts no commands that are entered here, because a login of this page would then be enough to run programs. To allow it, in the sandbox, set `{setting}` in your own {file}.", { setting: 'serve.mcp_commands = "sandbox"', file: "~/.config/ghosthand/config.toml" });

function bodyOf(inputs, secrets) {
  const lines = (box) => box.value.split("\n").map((line) => line.trim()).filter(Boolean);
  if (inputs.kind.value === "command") {
    const { program, args, network, read, write } = inputs;
    const command = { program: program.value, args: lines(args), network: network.checked, read: lines(read), write: lines(write) };
    return { command, secrets };
  }
  const login = inputs.login.value;
  const client = login === "none" ? {} : { clientId: inputs.clientId.value || null, clientSecret: inputs.clientSecret.value || null };
  return { address: inputs.address.value, login, secrets, ...client };
}

/** Names and secret values, a row for each. */
function secretList() {
  const rows = h("div", { class: "stack" });
  const title = h("span", {});
  const add = () => {
    const row = h(
      "div",
      { class: "secret" },
      input({ "aria-label": t("Name"), placeholder: t("Name"), maxlength: "100" }),
      iconButton("x", t("Remove this secret"), () => row.remove()),
      input({ type: "password", "aria-label": t("Secret value"), placeholder: t("Value"), maxlength: "4096" }),
    );
    rows.append(row);
    row.querySelector("input").focus();
  };
  const node = h(
    "div",
    { class: "field", role: "group", "aria-label": t("Secrets") },
    title,
    h("p", { class: "faint" }, t("They are sent to this page's server once, tried, and kept sealed. Nobody can read them again.")),
    rows,
    h("div", { class: "row" }, h("button", { type: "button", class: "outline", onclick: add }, t("Add a secret"))),
  );
  // Without any, the server keeps those that it has for this address.
  const values = () => {
    const pairs = [...rows.children].map((row) => [...row.querySelectorAll("input")].map(({ value }) => value.trim()));
    return pairs.length ? Object.fromEntries(pairs.filter(([name]) => name)) : null;
  };
  return { node, values, rename: (text) => (title.textContent = text) };
}

/** Shown only for one kind of server. */
function only(what, node) {
  node.dataset.for = what;
  return node;
}

const input = (attributes) => h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes });

const area = (placeholder) => h("textarea", { rows: "2", class: "mono", placeholder, spellcheck: "false" });

const select = (options) => h("select", {}, Object.entries(options).map(([value, label]) => h("option", { value }, label)));

const field = (label, control) => h("label", { class: "field" }, h("span", {}, label), control);
