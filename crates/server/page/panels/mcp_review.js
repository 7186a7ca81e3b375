// What the operator looks at before tools of an MCP server are on: all that a model would read, what the
// server may reach, and how it differs from what was accepted. All text is the server's own, as text.

import { path, post } from "../api.js";
import { open } from "../dialog.js";
import { formatJson, guarded, h, toast } from "../dom.js";
import { icon } from "../icon.js";
import { emit } from "../state.js";
import { t } from "../words.js";

/** Asks the server, then shows its tools. */
export const lookAtServer = guarded(async (name, done = () => {}) => {
  showReview(await post(path`/mcp-servers/${name}/look`), done);
});

const ORDER = { changed: 0, new: 1, same: 2, gone: 3 };

export function showReview({ server, tools, notes, reach }, done) {
  const sorted = tools.toSorted((one, other) => ORDER[one.status] - ORDER[other.status]);
  const isFirst = tools.every(({ accepted }) => !accepted);
  const rows = sorted.map((tool) => toolRow(tool, isFirst));
  const problem = h("p", { class: "fault", role: "alert", hidden: true });
  const accept = h("button", { class: "primary" }, t("Accept as shown"));
  const save = async (event) => {
    event.preventDefault();
    accept.disabled = true;
    problem.hidden = true;
    try {
      await post(path`/mcp-servers/${server}/accept`, { tools: rows.map(({ chosen }) => chosen()).filter(Boolean) });
      dialog.close();
      toast(t("Accepted. The chosen tools are on."));
      emit("approvals_changed", "accepted");
      emit("features_changed");
      done();
    } catch (fault) {
      problem.textContent = [fault.message, fault.fix].filter(Boolean).join(". ");
      problem.hidden = false;
    }
    accept.disabled = false;
  };
  const dialog = open(
    { title: t("Tools of {name}", { name: server }), kind: "panel" },
    h(
      "form",
      { class: "stack", onsubmit: save },
      reachText(server, reach),
      notes.length ? h("ul", { class: "why" }, notes.map((note) => h("li", {}, note))) : null,
      tools.length ? h("div", { class: "file" }, rows.map(({ node }) => node)) : h("p", { class: "faint" }, t("The server offers no tools.")),
      problem,
      h("div", { class: "row end" }, h("button", { type: "button", class: "outline", onclick: () => dialog.close() }, t("Not now")), accept),
    ),
  );
}

/** What the server may reach, in sentences. */
function reachText(server, { program, place, network, read, write, secrets, login }) {
  const sentences = program
    ? [
        t("It runs on this machine in the sandbox."),
        network ? t("It may connect to the internet.") : t("It may connect to nothing."),
        write.length ? t("It may write: {paths}.", { paths: write.join(", ") }) : t("It may write nothing."),
        read.length ? t("Besides its own package it may read: {paths}.", { paths: read.join(", ") }) : t("It may read its own package and the files that its arguments name."),
      ]
    : [t("It is another service: it gets the arguments of every call, and nothing else from this machine.")];
  if (secrets.length) sentences.push(t("It is given these secrets: {names}.", { names: secrets.join(", ") }));
  if (login === "shared") sentences.push(t("All calls use the operator's login."));
  if (login === "each") sentences.push(t("Each call uses the login of the person whose conversation it is."));
  return h("section", { class: "stack" }, h("p", {}, h("code", {}, place)), h("p", { class: "faint" }, sentences.join(" ")), h("p", { class: "faint" }, t("All descriptions were written by {name}. Nobody has checked them.", { name: server })));
}

const STATUS = { new: t("new"), changed: t("changed"), same: "", gone: t("no longer offered") };

function toolRow({ id, name, title, description, inputSchema, outputSchema, reads, claims, digest, status, accepted, changes }, isFirst) {
  const isGone = status === "gone";
  // What is new or has changed is off until a person ticks it; the first time there is nothing to compare.
  const isOn = status === "same" ? accepted : isFirst;
  const on = h("input", { type: "checkbox", role: "switch", class: "switch", "aria-label": t("{name} is on", { name }), disabled: isGone });
  on.checked = isOn && !isGone;
  const effect = h("span", { class: "chip" });
  const onlyReads = h("input", { type: "checkbox" });
  const showEffect = () => {
    effect.textContent = onlyReads.checked ? t("only reads") : t("asks before each call");
    effect.classList.toggle("writes", !onlyReads.checked);
  };
  onlyReads.checked = reads;
  onlyReads.addEventListener("change", showEffect);
  showEffect();
  const node = h(
    "div",
    { class: "tool", "data-tool": name },
    h(
      "details",
      { open: status === "changed" },
      h(
        "summary",
        {},
        icon("chevron"),
        h(
          "span",
          { class: "grow" },
          h("code", {}, id),
          title ? h("span", { class: "about" }, title) : null,
          h("span", { class: "about" }, description),
          h(
            "span",
            { class: "chips" },
            STATUS[status] ? h("span", { class: `chip ${status === "changed" ? "writes" : ""}` }, STATUS[status]) : null,
            isGone ? null : effect,
            claims.length ? h("span", { class: "chip" }, t("claims: {names}", { names: claims.join(", ") })) : null,
          ),
        ),
      ),
      h(
        "div",
        { class: "tool-body" },
        changes.map(difference),
        part(t("Arguments"), inputSchema),
        outputSchema ? part(t("Result"), outputSchema) : null,
      ),
      isGone
        ? null
        : h("div", { class: "choices" }, h("label", {}, onlyReads, t("It only reads: run it without asking a person."))),
    ),
    on,
  );
  return { node, chosen: () => (on.checked && !isGone ? { digest, reads: onlyReads.checked } : null) };
}

const CHANGED = {
  title: t("The title has changed"),
  description: t("The description has changed"),
  arguments: t("The arguments have changed"),
  result: t("The result has changed"),
  claims: t("The claims have changed"),
};

function difference({ what, before, after }) {
  return h(
    "div",
    { class: "part change" },
    h("div", { class: "part-head" }, h("span", {}, CHANGED[what] ?? what)),
    h("p", { class: "before" }, h("span", { class: "sr" }, t("Before: ")), before || t("nothing")),
    h("p", { class: "after" }, h("span", { class: "sr" }, t("Now: ")), after || t("nothing")),
  );
}

function part(name, value) {
  return h("div", { class: "part" }, h("div", { class: "part-head" }, h("span", {}, name)), h("pre", { tabindex: "0" }, formatJson(value)));
}
