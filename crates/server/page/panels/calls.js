// The panel “Calls and usage”: recent calls with verdict and duration, and token counts.

import { get, path } from "../api.js";
import { open } from "../dialog.js";
import { formatDuration, formatTime, guarded, h } from "../dom.js";
import { icon } from "../icon.js";
import { state } from "../state.js";

const LINES_MAX = 200;

const VERDICT = { run: "allowed", ask: "approved", refuse: "refused", reuse: "reused" };

export const showCalls = guarded(async () => {
  const { body } = open({ title: "Calls and usage", kind: "panel" });
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
      h("h3", {}, "Recent calls"),
      newest.length
        ? h("ul", { class: "list" }, newest.map(line))
        : h("p", { class: "faint" }, "No calls yet."),
    ),
  );
});

function usage({ turns, usage: tokens }) {
  const count = (number) => Number(number ?? 0).toLocaleString();
  const rare = [
    ["cached input tokens", tokens.cache_read],
    ["thinking tokens", tokens.thinking],
  ];
  const pairs = [
    ["turns", turns],
    ["input tokens", tokens.input],
    ["output tokens", tokens.output],
    ...rare.filter(([, number]) => number),
  ];
  return h(
    "section",
    {},
    h("h3", {}, "This conversation"),
    h(
      "dl",
      { class: "figures" },
      pairs.map(([name, number]) => h("div", {}, h("dt", {}, name), h("dd", {}, count(number)))),
    ),
  );
}

function line({ tool, at, verdict, ok, error, duration, overBudget, args, edited }) {
  const isPending = error === "CONFIRMATION_REQUIRED";
  const end = ok ? formatDuration(duration) || "done" : isPending ? "pending" : String(error ?? "failed").toLowerCase();
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
    edited ? h("span", { class: "chip" }, "edited") : null,
    h("span", { class: "chip" }, VERDICT[verdict] ?? verdict),
    h("span", { class: `took ${(ok && !overBudget) || isPending ? "" : "late"}` }, end),
  );
}
