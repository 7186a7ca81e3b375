// The panel “Tools”, file by file: switches, flags, schema, documentation, recent calls, explanation, run.

import { get, path, post } from "../api.js";
import { approvalCard } from "../chat/tool_call.js";
import { open, openLoaded } from "../dialog.js";
import { formatDuration, formatJson, formatTime, guarded, h, toggle } from "../dom.js";
import { icon } from "../icon.js";
import { nodesFromHtml } from "../rendered_html.js";
import { emit, state } from "../state.js";
import { t } from "../words.js";
import { schemaForm } from "./schema_form.js";

const EFFECT = { none: t("no effects"), read_only: t("read-only"), writes: t("writes") };
const CATEGORY = { retrieval: t("retrieval"), action: t("action"), utility: t("utility") };
const FLAGS = {
  streaming: t("streaming"),
  conditional: t("conditional"),
  status: t("status"),
  cleanup: t("cleanup"),
  auto: t("auto"),
  oneTime: t("one time"),
  asksFirst: t("asks first"),
  ui: t("ui"),
};

export const showTools = () => openLoaded({ title: t("Tools"), kind: "panel" }, loadTools);

async function loadTools() {
  const list = h("div", { class: "stack" });
  const filter = h("input", { type: "search", placeholder: t("Filter tools"), "aria-label": t("Filter tools") });
  const applyFilter = () => filterTools(list, filter.value.trim().toLowerCase());
  filter.addEventListener("input", applyFilter);
  await fill(list, applyFilter);
  return [filter, list];
}

/** `applyFilter` runs after each load. */
async function fill(list, applyFilter) {
  const [tools, missing] = await Promise.all([get("/tools"), get("/tools/left-out")]).then((found) =>
    found.map((list) => list ?? []),
  );
  const files = new Map();
  for (const tool of tools) {
    const file = tool.file ?? tool.category ?? "tools";
    files.set(file, [...(files.get(file) ?? []), tool]);
  }
  const reload = async () => {
    const openNow = new Set([...list.querySelectorAll("details[open]")].map(({ dataset }) => dataset.tool));
    await fill(list, applyFilter);
    for (const one of list.querySelectorAll("details")) one.open = openNow.has(one.dataset.tool);
    emit("features_changed");
  };
  list.replaceChildren(
    ...(missing.length ? [leftOut(missing)] : []),
    ...[...files].map(([file, members]) => group(file, members, reload)),
  );
  if (!tools.length && !missing.length)
    list.append(
      h("p", { class: "faint" }, t("No tools. Add a file to the tools directory; it shows up here automatically.")),
    );
  applyFilter();
}

/** Tools that were not loaded: what is wrong, where, and how to fix it. */
function leftOut(missing) {
  const one = ({ name, faults }) =>
    h(
      "div",
      { class: "tool broken" },
      h(
        "details",
        { "data-tool": name },
        h(
          "summary",
          {},
          icon("chevron"),
          h("span", { class: "grow" }, h("code", {}, name), h("span", { class: "because" }, faults[0]?.what ?? "")),
        ),
        h(
          "ul",
          { class: "why" },
          faults.map(({ code, place, what, fix }) =>
            h("li", {}, h("code", {}, place), ` ${what} (${code}). ${fix}`),
          ),
        ),
      ),
    );
  return h(
    "section",
    { class: "file left-out", role: "group", "aria-label": t("Not loaded") },
    h("div", { class: "file-head" }, h("h3", {}, t("Not loaded because of errors"))),
    missing.map(one),
  );
}

function group(file, tools, reload) {
  const on = tools.some((tool) => tool.on);
  return h(
    "section",
    { class: "file" },
    h(
      "div",
      { class: "file-head" },
      h("h3", {}, file),
      toggle(t("All tools in {name}", { name: file }), on, async (yes) => {
        await post("/files/switch", { file, on: yes });
        await reload();
      }),
    ),
    tools.map((tool) => row(tool, reload)),
  );
}

function row(tool, reload) {
  const flags = Object.entries(tool.flags ?? {})
    .filter(([name, set]) => set && name !== "callable")
    .map(([name]) => FLAGS[name] ?? name);
  const effect = EFFECT[tool.sideEffects] ?? tool.sideEffects;
  const details = h(
    "details",
    { "data-tool": tool.id },
    h(
      "summary",
      {},
      icon("chevron"),
      h(
        "span",
        { class: "grow" },
        h("code", {}, tool.id),
        h("span", { class: "about" }, tool.description ?? ""),
        h(
          "span",
          { class: "chips" },
          effect ? h("span", { class: `chip ${tool.sideEffects}` }, effect) : null,
          tool.category ? h("span", { class: "chip" }, CATEGORY[tool.category] ?? tool.category) : null,
          flags.map((flag) => h("span", { class: "chip" }, flag)),
        ),
        tool.because ? h("span", { class: "because" }, tool.because) : null,
      ),
    ),
  );
  details.addEventListener(
    "toggle",
    () => details.open && !details.querySelector(".tool-body") && details.append(toolBody(tool)),
  );
  return h(
    "div",
    { class: `tool ${tool.on ? "" : "off"}` },
    details,
    toggle(tool.id, tool.on, async (yes) => {
      await post(path`/tools/${tool.id}/switch`, { on: yes });
      await reload();
    }),
  );
}

function toolBody(tool) {
  const explanation = h("ul", { class: "why", hidden: true });
  const explain = guarded(async () => {
    const conversation = state.conversation ? path`?conversation=${state.conversation.id}` : "";
    const lines = await get(path`/tools/${tool.id}/why` + conversation);
    explanation.replaceChildren(...lines.map((line) => h("li", {}, line)));
    explanation.hidden = false;
  });
  const calls = Array.isArray(tool.lastCalls) ? tool.lastCalls : [];
  return h(
    "div",
    { class: "tool-body stack" },
    h(
      "div",
      { class: "row" },
      h(
        "button",
        { type: "button", class: "outline sm", onclick: () => runTool(tool) },
        icon("play"),
        t("Run tool"),
      ),
      h("button", { type: "button", class: "ghost sm", onclick: explain }, t("Explain")),
    ),
    explanation,
    tool.doc ? h("div", { class: "doc prose" }, nodesFromHtml(tool.doc)) : null,
    h(
      "details",
      {},
      h("summary", {}, icon("chevron"), t("Schema")),
      h("pre", { tabindex: "0" }, formatJson(tool.schema ?? {})),
    ),
    calls.length
      ? h(
          "details",
          {},
          h("summary", {}, icon("chevron"), t("Recent calls ({n})", { n: calls.length })),
          h(
            "ul",
            { class: "list" },
            calls.map((call) => h("li", {}, callLine(call))),
          ),
        )
      : null,
  );
}

function callLine(call) {
  if (typeof call !== "object") return String(call);
  const { at, time, verdict, state: end, error, duration } = call;
  return [formatTime(at ?? time), verdict, end, error && formatJson(error), formatDuration(duration)]
    .filter(Boolean)
    .join(" · ");
}

function filterTools(list, text) {
  for (const file of list.querySelectorAll(".file")) {
    const rows = [...file.querySelectorAll(".tool")];
    for (const one of rows)
      one.hidden = !one.querySelector("summary").textContent.toLowerCase().includes(text);
    file.hidden = rows.every((one) => one.hidden);
  }
}

/** Opens a form for the tool's arguments and runs it. */
function runTool(tool) {
  const form = schemaForm(tool.schema?.parameters ?? tool.schema ?? {});
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const result = h("div", { role: "status" });
  const press = h("button", { class: "primary" }, icon("play"), t("Run"));
  const run = async (event) => {
    event.preventDefault();
    if (press.disabled) return;
    fault.hidden = true;
    press.disabled = true;
    try {
      const settled = await post(path`/tools/${tool.id}/run`, {
        conversation: state.conversation?.id ?? null,
        args: form.read(),
      });
      result.replaceChildren(outcome(settled ?? {}));
    } catch (problem) {
      fault.textContent = [problem.message, problem.fix].filter(Boolean).join(". ");
      fault.hidden = false;
    }
    press.disabled = false;
  };
  open(
    { title: tool.id, size: "md" },
    h("p", { class: "faint" }, tool.description ?? ""),
    h("form", { class: "stack", onsubmit: run }, form.element, fault, h("div", { class: "row end" }, press)),
    result,
  );
}

function outcome(settled) {
  if (settled.waiting?.request) return approvalCard({ ...settled.waiting, remember: false });
  const bad = settled.ok === false || settled.is_error === true;
  const line = [bad ? t("Failed") : t("Done"), settled.verdict, formatDuration(settled.duration)]
    .filter(Boolean)
    .join(" · ");
  return h(
    "div",
    { class: `outcome ${bad ? "bad" : ""}` },
    h("p", { class: "faint" }, line),
    h("pre", { tabindex: "0" }, formatJson(settled.content ?? settled)),
  );
}
