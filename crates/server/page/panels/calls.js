// The panel of calls and usage: what ran lately, by whose leave, how long it took, and the tokens.

import { get, path } from "../api.js";
import { open } from "../dialog.js";
import { guarded, h, spoken, when } from "../dom.js";
import { icon } from "../icon.js";
import { state } from "../state.js";

const LINES_MAX = 200;

const VERDICT = { run: "allowed", ask: "asked first", refuse: "refused", reuse: "used again" };

export const showCalls = guarded(async () => {
  const { body } = open({ title: "Calls and usage", kind: "panel" });
  body.setAttribute("aria-busy", "true");
  const [lines, used] = await Promise.all([
    get("/audit"),
    state.talk ? get(path`/usage?conversation=${state.talk.id}`) : null,
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
      h("h3", {}, "Last calls"),
      newest.length
        ? h("ul", { class: "list" }, newest.map(line))
        : h("p", { class: "faint" }, "No tool was called yet."),
    ),
  );
});

function usage({ turns, usage: tokens }) {
  const count = (number) => Number(number ?? 0).toLocaleString();
  const rare = [
    ["read from cache", tokens.cache_read],
    ["for thinking", tokens.thinking],
  ];
  const pairs = [
    ["turns", turns],
    ["tokens read", tokens.input],
    ["tokens written", tokens.output],
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
  const waits = error === "CONFIRMATION_REQUIRED";
  const end = ok ? spoken(duration) || "done" : waits ? "waits" : String(error ?? "failed").toLowerCase();
  const given = Object.entries(args ?? {}).map(([name, shape]) => `${name}: ${shape}`);
  return h(
    "li",
    { class: "call" },
    icon(ok ? "check" : waits ? "clock" : "x"),
    h(
      "span",
      { class: "grow" },
      h("code", {}, tool),
      h("span", { class: "about" }, [when(at), ...given].filter(Boolean).join(" · ")),
    ),
    edited ? h("span", { class: "chip" }, "changed") : null,
    h("span", { class: "chip" }, VERDICT[verdict] ?? verdict),
    h("span", { class: `took ${(ok && !overBudget) || waits ? "" : "late"}` }, end),
  );
}
