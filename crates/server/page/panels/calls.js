// The panel “Calls and usage”: recent calls with verdict and duration, and token counts.

import { get, path } from "../api.js";
import { open } from "../dialog.js";
import { formatDuration, formatTime, guarded, h } from "../dom.js";
import { icon } from "../icon.js";
import { state } from "../state.js";
import { formatNumber, t } from "../words.js";

const LINES_MAX = 200;

const VERDICT = { run: t("allowed"), ask: t("approved"), refuse: t("refused"), reuse: t("reused") };

export const showCalls = guarded(async () => {
  const { body } = open({ title: t("Calls and usage"), kind: "panel" });
  body.setAttribute("aria-busy", "true");
  const [lines, used] = await Promise.all([
    get("/audit"),
    state.conversation ? get(path`/usage?conversation=${state.conversation.id}`) : null,
  ]);
  body.removeAttribute("aria-busy");
  const newest = lines
    .toSorted((one, other) => String(other.at).localeCompare(String(one.at), "en", { numeric: true }))
    .slice(0, LINES_MAX);
  body.append(
    used?.usage ? usage(used) : "",
    h(
      "section",
      {},
      h("h3", {}, t("Recent calls")),
      newest.length
        ? h("ul", { class: "list" }, newest.map(line))
        : h("p", { class: "faint" }, t("No calls yet.")),
    ),
  );
});

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

function line({ tool, at, verdict, ok, error, duration, overBudget, args, edited }) {
  const isPending = error === "CONFIRMATION_REQUIRED";
  const end = ok ? formatDuration(duration) || t("done") : isPending ? t("pending") : String(error ?? t("failed")).toLowerCase();
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
    h("span", { class: "chip" }, VERDICT[verdict] ?? verdict),
    h("span", { class: `took ${(ok && !overBudget) || isPending ? "" : "late"}` }, end),
  );
}
