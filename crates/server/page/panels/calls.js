// The panel “Calls and usage”: recent calls with verdict and duration, and token counts.

import { get, path } from "../api.js";
import { openLoaded } from "../dialog.js";
import { formatDuration, formatTime, h } from "../dom.js";
import { icon } from "../icon.js";
import { state } from "../state.js";
import { formatNumber, t } from "../words.js";

const LINES_MAX = 200;

/** What a person did with a question comes before what the rules said. */
const ANSWERED = { "approval.declined": t("declined"), "approval.expired": t("expired") };
const ASKED = "CONFIRMATION_REQUIRED";
const VERDICT = { run: t("allowed"), ask: t("approved"), refuse: t("refused"), reuse: t("reused") };

export const showCalls = () => openLoaded({ title: t("Calls and usage"), kind: "panel" }, loadCalls);

async function loadCalls() {
  const [lines, used] = await Promise.all([
    get("/audit"),
    state.conversation ? get(path`/usage?conversation=${state.conversation.id}`) : null,
  ]);
  const newest = lines
    .toSorted((one, other) => String(other.at).localeCompare(String(one.at), "en", { numeric: true }))
    .filter(isNewest())
    .slice(0, LINES_MAX);
  return [
    used?.usage ? usage(used) : null,
    h(
      "section",
      {},
      h("h3", {}, t("Recent calls")),
      newest.length
        ? h("ul", { class: "list" }, newest.map(line))
        : h("p", { class: "faint" }, t("No calls yet.")),
    ),
  ];
}

/** A question that was answered has a newer line for its call. */
function isNewest() {
  const seen = new Set();
  return ({ call, error }) => {
    const isKnown = seen.has(call);
    seen.add(call);
    return !isKnown || error !== ASKED;
  };
}

function usage({ turns, usage: tokens }) {
  const count = (number) => formatNumber(Number(number ?? 0));
  const rare = [
    [t("cached input tokens"), tokens.cache_read],
    [t("thinking tokens"), tokens.thinking],
  ];
  const pairs = [
    [t("turns"), turns],
    [t("input tokens"), tokens.input],
    [t("output tokens"), tokens.output],
    ...rare.filter(([, number]) => number),
  ];
  return h(
    "section",
    {},
    h("h3", {}, t("This conversation")),
    h(
      "dl",
      { class: "figures" },
      pairs.map(([name, number]) => h("div", {}, h("dt", {}, name), h("dd", {}, count(number)))),
    ),
  );
}

function line({ tool, at, verdict, rule, ok, error, duration, overBudget, args, edited }) {
  const isPending = error === ASKED && !ANSWERED[rule];
  const end = ok ? formatDuration(duration) || t("done") : isPending ? t("needs approval") : ANSWERED[rule] ? t("not run") : String(error ?? t("failed")).toLowerCase();
  const given = Object.entries(args ?? {}).map(([name, shape]) => `${name}: ${shape}`);
  return h(
    "li",
    { class: "call" },
    icon(ok ? "check" : isPending ? "clock" : "x"),
    h(
      "span",
      { class: "grow" },
      h("code", {}, tool),
      h("span", { class: "about" }, [formatTime(at), ...given].filter(Boolean).join(" · ")),
    ),
    edited ? h("span", { class: "chip" }, t("edited")) : null,
    isPending ? null : h("span", { class: "chip" }, ANSWERED[rule] ?? VERDICT[verdict] ?? verdict),
    h("span", { class: `took ${(ok && !overBudget) || isPending || ANSWERED[rule] ? "" : "late"}` }, end),
  );
}
