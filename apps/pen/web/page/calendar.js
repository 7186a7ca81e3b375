// A month of drafts: planned ones on their day, the others on the day of their last change.

import { guarded, h, iconButton } from "../dom.js";
import { statusOf } from "./ideas.js";
import { plan, state } from "./state.js";
import { lang, onDay, platformName, t } from "./words.js";

const DAY_MS = 24 * 3600 * 1000;
/** Drafts that a day shows; the list beside it has them all. */
const SHOWN_MAX = 3;

const iso = (date) => `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
const dayOf = (draft) => draft.planned ?? iso(new Date(draft.updated));

export function calendar() {
  const now = new Date();
  let month = new Date(now.getFullYear(), now.getMonth(), 1);
  const title = h("h2", { id: "month", "aria-live": "polite" });
  const grid = h("table", { class: "month", "aria-labelledby": "month" });
  const agenda = h("div", { class: "stack" });
  const go = (by) => {
    month = new Date(month.getFullYear(), month.getMonth() + by, 1);
    draw();
  };
  const head = h("div", { class: "pane-head" }, iconButton("chevron", t("previous"), () => go(-1), { class: "quiet previous", id: "previous" }), title, iconButton("chevron", t("next"), () => go(1), { id: "next" }));

  const draw = () => {
    const drafts = state.info?.drafts ?? [];
    title.textContent = new Intl.DateTimeFormat(lang(), { month: "long", year: "numeric" }).format(month);
    grid.replaceChildren(weekdays(), h("tbody", {}, weeks(month).map((days) => h("tr", {}, days.map((date) => cell(date, month, drafts))))));
    const isHere = (draft) => (draft.planned || draft.status === "saved") && dayOf(draft).startsWith(iso(month).slice(0, 7));
    const here = drafts.filter(isHere);
    here.sort((one, other) => dayOf(one).localeCompare(dayOf(other)));
    const open = drafts.filter(({ planned, status }) => !planned && status !== "saved");
    agenda.replaceChildren(
      h("section", { "aria-labelledby": "agenda-title" }, h("h3", { id: "agenda-title" }, t("agenda")), listed(here)),
      h("section", { "aria-labelledby": "unplanned-title" }, h("h3", { id: "unplanned-title" }, t("unplanned")), listed(open)),
    );
  };
  draw();
  const element = h("div", { class: "two calendar" }, h("section", { class: "card pane" }, head, grid), h("section", { class: "card pane" }, agenda));
  return { element, update: (what) => what === "info" && draw() };
}

/** Weeks from Monday, as far as the month goes. */
function weeks(month) {
  const first = new Date(month);
  first.setDate(1 - ((first.getDay() + 6) % 7));
  const all = [];
  for (const date = first; date.getMonth() === month.getMonth() || date < month; ) {
    const days = [];
    for (let day = 0; day < 7; day += 1) {
      days.push(new Date(date));
      date.setDate(date.getDate() + 1);
    }
    all.push(days);
  }
  return all;
}

function weekdays() {
  const monday = new Date(2024, 0, 1);
  const name = (width, day) => new Intl.DateTimeFormat(lang(), { weekday: width }).format(new Date(monday.getTime() + day * DAY_MS + DAY_MS / 2));
  return h("thead", {}, h("tr", {}, [0, 1, 2, 3, 4, 5, 6].map((day) => h("th", { scope: "col", abbr: name("long", day) }, name("short", day)))));
}

function cell(date, month, drafts) {
  const day = iso(date);
  const here = drafts.filter((draft) => dayOf(draft) === day);
  const isToday = day === iso(new Date());
  const link = (draft) =>
    h("a", { class: "dot-link", href: `#/draft/${encodeURIComponent(draft.id)}`, "data-platform": draft.platform, "data-status": draft.status, title: `${platformName(draft.platform)}: ${draft.topic}` }, h("span", { class: "dot-text" }, draft.topic || t("untitled")));
  const kind = ["day", date.getMonth() !== month.getMonth() && "outside", isToday && "today"].filter(Boolean).join(" ");
  return h("td", { class: kind, "data-day": day }, h("span", { class: "day-number" }, String(date.getDate()), isToday && h("span", { class: "sr" }, ` ${t("today")}`)), here.slice(0, SHOWN_MAX).map(link), here.length > SHOWN_MAX && h("span", { class: "faint small" }, `+${here.length - SHOWN_MAX}`));
}

/** What is known of a draft's day: it is planned for it, was saved on it, or changed last on it. */
function standing(draft) {
  const { planned, status, updated, busy } = draft;
  const on = onDay(iso(new Date(updated)));
  if (!busy && !planned) return t(status === "saved" ? "savedOn" : "changedOn", { day: on });
  return [planned && onDay(planned), statusOf({ ...draft, planned: null })].filter(Boolean).join(" · ");
}

function listed(drafts) {
  if (!drafts.length) return h("p", { class: "faint small" }, t("nothingHere"));
  const row = (draft) => {
    const day = h("input", { type: "date", "aria-label": t("planFor", { topic: draft.topic }) });
    day.value = draft.planned ?? "";
    day.addEventListener("change", guarded(() => plan(draft.id, day.value)));
    return h(
      "li",
      { "data-draft": draft.id },
      h("a", { href: `#/draft/${encodeURIComponent(draft.id)}` }, h("span", { class: "line-head" }, h("span", { class: "badge", "data-platform": draft.platform }, platformName(draft.platform)), h("strong", {}, draft.topic || t("untitled"))), h("span", { class: "faint small" }, standing(draft))),
      day,
    );
  };
  return h("ul", { class: "lines agenda" }, drafts.map(row));
}
