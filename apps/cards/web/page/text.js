// Where a text comes in: its languages, what it will cost, and the texts from before.

import { formatTime, guarded, h } from "../dom.js";
import { confirmDialog } from "../dialog.js";
import { icon } from "../icon.js";
import { importer } from "./files.js";
import { money } from "./notices.js";
import { begin, drop, open, state, work } from "./run.js";
import { session, wishes } from "./review/session.js";
import { sources } from "./source.js";
import { language, locale, t } from "./words.js";

const CODES = (
  "lv en uk ru de ar be bg cs da el es et fi fr ga he hr hu it ja ka ko lt nl no pl pt ro sv tr zh"
).split(" ");

export function text() {
  return state.run ? ofRun() : ofNew();
}

/** The text of a run as it was written. */
function ofRun() {
  const element = h("div", { class: "stack" });
  const draw = () => {
    const { from, to, progress } = state.run;
    const whole = state.sentences.map(({ gap, text }) => gap + text).join("");
    const strays = state.run.metrics.unknown;
    element.replaceChildren(
      h("p", { class: "faint" }, `${language(from)} → ${language(to)} · ${t("sentencesOf", { n: state.run.sentences })}`),
      ...(strays ? [h("p", { class: "faint", id: "strays" }, t("strays", { n: strays }))] : []),
      ...(progress.waiting && !state.run.busy ? [offer()] : []),
      h("div", { class: "source", lang: from, dir: "auto" }, whole),
      h("p", {}, h("a", { href: "#", class: "button" }, t("back"))),
    );
  };
  draw();
  return { element, update: draw };
}

/** What it would cost; nothing has been sent. */
function offer() {
  const { estimate } = state.run;
  const { batches, model } = state.info ?? {};
  const free = estimate.cost === 0;
  const limit = h("input", { type: "number", min: "0", max: "10000", step: "0.01", inputmode: "decimal", id: "max-cost" });
  limit.value = state.run.cost_max ?? suggested(estimate.cost);
  const batch = h("input", { type: "checkbox", id: "batch" });
  const label = h("span", {}, t("start"));
  batch.addEventListener("change", () => (label.textContent = t(batch.checked ? "sendBatch" : "start")));
  const start = guarded(async () => {
    const order = { batch: batch.checked };
    if (limit.value) order.max_cost = Number(limit.value);
    await work(order);
    location.hash = `#/${state.run.id}/flash`;
  });
  const { cost, requests, sentences, reused, known: skipped } = estimate;
  const known = cost !== null;
  const words = { cost: known && money(cost), model, requests, sentences };
  return h(
    "div",
    { class: "offer" },
    reused > 0 && h("p", { id: "reused" }, t("reused", { n: reused })),
    skipped > 0 && h("p", { id: "known-sentences" }, t("knownSentences", { n: skipped })),
    !free && h("p", {}, t(known ? "estimate" : "estimateUnknown", words)),
    !free && known && h("label", { class: "field" }, h("span", {}, t("maxCost")), limit, h("span", { class: "faint small" }, t("maxCostHint"))),
    batches && h("label", { class: "check" }, batch, t("batch")),
    h("button", { type: "button", class: "primary", id: "start", onclick: start }, label),
  );
}

/** Three times the estimate leaves room for retries, and still limits them. */
const suggested = (cost) => (cost ? Math.max(0.05, Math.ceil(cost * 300) / 100) : "");

function ofNew() {
  const history = h("section", { class: "history" });
  const due = h("div", { class: "due-now", hidden: true });
  const note = h("p", { class: "faint small", hidden: true });
  const informed = () => {
    note.textContent = t("rehearsal");
    note.hidden = !state.info?.rehearsal;
    history.replaceChildren(h("h2", {}, t("history")), runs());
  };
  const element = h("div", { class: "stack" }, h("div", { class: "hello" }, h("h2", {}, t("newText")), h("p", { class: "faint" }, t("intro"))), due, form(), note, history, importer(null));
  informed();
  dueNow(due);
  return { element, informed };
}

/** Says what is to be reviewed today; nothing if there is nothing. */
async function dueNow(place) {
  const now = session(null, wishes());
  await now.load().catch(() => null);
  if (!now.left()) return;
  place.replaceChildren(h("span", { class: "grow" }, t("dueNow", { n: now.left() })), h("a", { href: "#/review", class: "button", id: "review-now" }, t("reviewNow")));
  place.hidden = false;
}

function form() {
  const [from, to] = [pick("from", kept("from") ?? "lv"), pick("to", kept("to") ?? (locale() === "en" ? "en" : locale()))];
  const name = h("input", { id: "name", maxlength: "200", placeholder: t("nameHint"), autocomplete: "off" });
  const area = h("textarea", { id: "text", rows: "8", required: true, dir: "auto", "aria-describedby": "count", spellcheck: "false" });
  const count = h("span", { class: "faint small", id: "count" });
  const press = h("button", { class: "primary lg", id: "make" }, t("make"));
  const max = state.info?.characters ?? 100000;
  const weigh = () => {
    const length = [...area.value].length;
    const over = length > max;
    count.textContent = over ? t("tooLong", { n: length - max }) : t("characters", { n: length, max });
    count.classList.toggle("fault", over);
    const same = from.value === to.value;
    to.setCustomValidity(same ? t("same") : "");
    press.disabled = over || same || !area.value.trim();
  };
  for (const part of [area, from, to]) part.addEventListener("input", weigh);
  const read = sources(
    () => from.value,
    (document) => {
      area.value = document.text;
      name.value = document.name.slice(0, 200);
      weigh();
    },
  );
  area.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    read.open(file);
  });
  const send = guarded(async (event) => {
    event.preventDefault();
    press.disabled = true;
    keep({ from: from.value, to: to.value });
    try {
      const run = await begin({ text: area.value, name: name.value, from: from.value, to: to.value });
      await open(run.id);
      // What costs nothing needs no question.
      const free = run.estimate.cost === 0 && !state.info?.batches;
      if (free && run.progress.state === "idle") await work();
      location.hash = `#/${run.id}/${free || run.progress.received ? "flash" : "text"}`;
    } finally {
      weigh();
    }
  });
  weigh();
  return h(
    "form",
    { class: "text-form", onsubmit: send },
    h("div", { class: "pair" }, field(t("from"), from), icon("chevron"), field(t("to"), to), field(t("name"), name)),
    read.element,
    field(t("yourText"), area),
    h("div", { class: "row spread" }, count, press),
  );
}

const field = (label, part) => h("div", { class: "field" }, h("label", { for: part.id }, label), part);

function pick(id, value) {
  const select = h("select", { id });
  const names = CODES.map((code) => [code, language(code)]);
  for (const [code, name] of names) select.append(h("option", { value: code }, name));
  select.value = CODES.includes(value) ? value : "lv";
  return select;
}

function runs() {
  const all = state.info?.runs ?? [];
  if (!all.length) return h("p", { class: "faint" }, t("noHistory"));
  const line = (run) =>
    h(
      "li",
      {},
      h(
        "a",
        { href: `#/${encodeURIComponent(run.id)}/${run.progress.received ? "flash" : "text"}` },
        h("strong", {}, run.document),
        h("span", { class: "faint" }, `${run.from} → ${run.to} · ${t("sentencesOf", { n: run.sentences })} · ${formatTime(run.created_at)}`),
      ),
      h("span", { class: "chip" }, stateOf(run)),
      h("button", { type: "button", class: "quiet", "aria-label": t("removeRun", { name: run.document }), title: t("remove"), onclick: guarded(async () => (await confirmDialog(t("removeSure"), run.document, t("remove"), t("cancel"))) && drop(run.id)) }, icon("trash")),
    );
  return h("ul", { class: "runs" }, all.map(line));
}

function stateOf({ busy, trouble, progress }) {
  if (busy) return t("stateBusy");
  if (trouble?.code === "EXPIRED") return t("stateExpired");
  if (progress.state === "idle") return t("stateIdle");
  if (progress.waiting) return t("stateStopped");
  return progress.holes ? t("stateHoles", { n: progress.holes }) : t("stateReady");
}

function kept(name) {
  try {
    return localStorage.getItem(`cards-${name}`);
  } catch {
    return null;
  }
}

function keep(values) {
  try {
    for (const [name, value] of Object.entries(values)) localStorage.setItem(`cards-${name}`, value);
  } catch {
    /* storage may be switched off */
  }
}
