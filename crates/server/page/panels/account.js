// The panel “Account”: who I am here, what I may do, what I used and what it cost, where I am signed in.

import { get, path, remove } from "../api.js";
import { costText } from "../cost.js";
import { confirmDialog, openLoaded } from "../dialog.js";
import { formatTime, guarded, h, toast } from "../dom.js";
import { icon } from "../icon.js";
import { state } from "../state.js";
import { formatNumber, locale, t } from "../words.js";

export const showAccount = () => openLoaded({ title: t("Account"), kind: "panel" }, loadAccount);

async function loadAccount() {
  const used = h("section", { class: "stack" }, h("h3", {}, t("What you used")));
  const signedIn = h("section", { class: "stack" }, h("h3", {}, t("Where you are signed in")));
  await Promise.all([fillUsage(used), state.session.signedIn ? fillLogins(signedIn) : noLogins(signedIn)]);
  return [whoSection(), rightsSection(), used, signedIn];
}

function whoSection() {
  const { owner, operator } = state.session;
  const role = operator
    ? t("You are the operator of this server.")
    : t("The operator of this server is the owner of its first token.");
  return h("section", {}, h("h3", {}, t("Who you are here")), h("p", {}, h("strong", {}, owner)), h("p", { class: "faint" }, role));
}

function rightsSection() {
  const { operator } = state.session;
  const rights = [
    [true, t("Use every model that this server has, and every tool that is switched on.")],
    [true, t("Approve or decline the calls of your conversations and of your programs.")],
    [true, t("Keep conversations, documents, personas, settings and a library that nobody else sees.")],
    [operator, t("Switch tools on and off for everybody.")],
    [operator, t("Add providers and keys for everybody.")],
    [operator, t("Use Ghostpen, which works in the folder of the project.")],
  ];
  const row = ([may, text]) =>
    h("li", { class: may ? "" : "faint" }, icon(may ? "check" : "x"), h("span", { class: "grow" }, may ? text : t("Only the operator: {right}", { right: text })));
  return h("section", {}, h("h3", {}, t("What you may do")), h("ul", { class: "list" }, rights.map(row)));
}

const PERIODS = { 1: t("Today"), 7: t("7 days"), 30: t("30 days") };

async function fillUsage(section) {
  const { periods, isCut } = await get(`/usage/periods?utcOffset=${-new Date().getTimezoneOffset()}`);
  section.append(...periods.map(periodTable));
  const note = t("From your conversations; those that you deleted are not counted. Prices come from a dated list.");
  section.append(h("p", { class: "faint" }, note, isCut ? ` ${t("Only the newest conversations were read.")}` : ""));
}

function periodTable({ days, turns, cost, models }) {
  const sum = [t("{n} {n:turn|turns}", { n: turns }), costText(cost)].filter(Boolean).join(" · ");
  const head = h("div", { class: "row" }, h("h4", { class: "grow" }, PERIODS[days]), h("span", { class: "faint" }, sum));
  if (!models.length) return h("div", { class: "period" }, head);
  const titles = [t("Model"), t("turns"), t("input tokens"), t("output tokens"), t("cost")];
  return h(
    "div",
    { class: "period" },
    head,
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": PERIODS[days] },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, title)))),
        h("tbody", {}, models.map(modelRow)),
      ),
    ),
  );
}

function modelRow({ model, turns, usage, cost }) {
  const input = usage.input + usage.cache_read + usage.cache_write;
  const numbers = [turns, input, usage.output].map((number) => formatNumber(number));
  const cells = [...numbers, costText(cost)].map((text) => h("td", { class: "number" }, text));
  return h("tr", {}, h("th", { scope: "row" }, model), cells);
}

function noLogins(section) {
  section.append(h("p", { class: "faint" }, t("This server needs no token, so nobody signs in.")));
}

async function fillLogins(section) {
  const list = h("ul", { class: "list roomy", "aria-label": t("Browsers") });
  const fill = async () => list.replaceChildren(...(await get("/logins")).map((login) => loginRow(login, fill)));
  const everywhere = guarded(async () => {
    const text = t("Every browser will need the token again, this one too.");
    if (!(await confirmDialog(t("Sign out everywhere?"), text, t("Sign out everywhere")))) return;
    await remove("/logins");
    location.replace("/login");
  });
  await fill();
  section.append(list, h("div", { class: "row" }, h("button", { type: "button", class: "outline", onclick: everywhere }, t("Sign out everywhere"))));
}

function loginRow(login, again) {
  const { id, isThis, host, browser, begun, lastUsed } = login;
  const name = browserName(browser);
  const since = begun ? t("since {time}", { time: formatTime(begun) }) : "";
  const used = t("last used {day}", { day: new Date(lastUsed).toLocaleDateString(locale, { dateStyle: "medium", timeZone: "UTC" }) });
  const end = guarded(async () => {
    if (isThis) {
      await remove("/session");
      return location.replace("/login");
    }
    await remove(path`/logins/${id}`);
    toast(t("Signed out"));
    return again();
  });
  return h(
    "li",
    {},
    h(
      "span",
      { class: "grow" },
      h("strong", {}, name),
      isThis ? h("span", { class: "chip" }, t("this browser")) : null,
      h("span", { class: "about" }, [host, since, used].filter(Boolean).join(" · ")),
    ),
    h("button", { type: "button", class: "outline sm", "aria-label": t("Sign out of {name}", { name }), onclick: end }, t("Sign out")),
  );
}

const BROWSERS = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** “Firefox on Linux”, as far as the browser says it. */
function browserName(agent) {
  const find = (list) => list.find(([pattern]) => pattern.test(agent ?? ""))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser && system) return t("{browser} on {system}", { browser, system });
  return browser ?? system ?? t("A browser");
}
