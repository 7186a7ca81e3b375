// A CSV text as a table that can be sorted by each column.

import { h } from "../dom.js";
import { icon } from "../icon.js";
import { locale, t } from "../words.js";

/** More rows are sorted, but not drawn. */
const ROWS = 500;
const COLUMNS = 100;
/** More rows are not read. */
const ROWS_READ = 100_000;

/** The rows of a text; fields may be quoted, and the separator is the one that the first line has most of. */
export function parseCsv(text) {
  const separator = separatorOf(text);
  const rows = [];
  let [row, field, at, isQuoted] = [[], "", 0, false];
  const endField = () => {
    row.push(field);
    field = "";
  };
  const endRow = () => {
    endField();
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  };
  for (; at < text.length && rows.length < ROWS_READ; at += 1) {
    const c = text[at];
    if (isQuoted) {
      if (c !== '"') field += c;
      else if (text[at + 1] === '"') field += text[(at += 1)];
      else isQuoted = false;
    } else if (c === '"' && field === "") isQuoted = true;
    else if (c === separator) endField();
    else if (c === "\n") endRow();
    else if (c !== "\r") field += c;
  }
  if (field || row.length) endRow();
  return rows;
}

function separatorOf(text) {
  const line = text.slice(0, text.indexOf("\n") + 1 || undefined);
  const count = (separator) => line.split(separator).length;
  return [",", ";", "\t", "|"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

const numberOf = (text) => (/^\s*[-+]?[\d.,\s]*\d%?\s*$/.test(text) ? Number.parseFloat(text.replace(/[,\s]/g, "")) : Number.NaN);

/** Sorts by one column: numbers by value if all are numbers, else words; what is empty comes last. */
export function sortRows(rows, column, direction) {
  const value = (row) => (row[column] ?? "").trim();
  const isNumeric = rows.every((row) => value(row) === "" || !Number.isNaN(numberOf(value(row))));
  const compare = isNumeric
    ? (one, other) => numberOf(one) - numberOf(other)
    : (one, other) => one.localeCompare(other, locale, { numeric: true });
  return [...rows].sort((first, second) => {
    const [one, other] = [value(first), value(second)];
    if (one === "" || other === "") return Number(one === "") - Number(other === "");
    return direction * compare(one, other);
  });
}

/** The table; `update` shows another text in it and keeps the order that was chosen. */
export function csvTable(text, title) {
  const head = h("tr");
  const body = h("tbody");
  const note = h("p", { class: "faint artifact-note", role: "status" });
  const table = h("table", {}, h("caption", { class: "sr" }, title), h("thead", {}, head), body);
  const element = h("div", { class: "artifact-table" }, h("div", { class: "scroll", tabindex: "0" }, table), note);
  let [names, rows, sorted] = [[], [], null];

  const draw = () => {
    const shown = sorted ? sortRows(rows, sorted.column, sorted.direction) : rows;
    const isNumber = names.map((_, column) => rows.slice(0, 50).every((row) => !row[column] || !Number.isNaN(numberOf(row[column]))));
    head.replaceChildren(...names.map(heading));
    body.replaceChildren(
      ...shown.slice(0, ROWS).map((row) =>
        h("tr", {}, names.map((_, column) => h("td", { class: isNumber[column] ? "number" : null, dir: "auto" }, row[column] ?? ""))),
      ),
    );
    note.textContent =
      rows.length > ROWS
        ? t("The first {shown} of {n} rows are shown. Download the file to see all.", { shown: ROWS, n: rows.length })
        : t("{n} {n:row|rows}", { n: rows.length });
  };
  const heading = (name, column) => {
    const direction = sorted?.column === column ? sorted.direction : 0;
    const sort = () => {
      // Ascending, descending, as it was.
      sorted = { 0: { column, direction: 1 }, 1: { column, direction: -1 } }[direction] ?? null;
      draw();
      head.children[column].querySelector("button").focus();
    };
    const order = { 1: "ascending", [-1]: "descending" }[direction] ?? "none";
    return h(
      "th",
      { scope: "col", "aria-sort": order },
      h("button", { type: "button", onclick: sort }, h("span", {}, name || t("Column {n}", { n: column + 1 })), icon(direction < 0 ? "down" : "up")),
    );
  };
  const update = (newText) => {
    const [first = [], ...rest] = parseCsv(newText);
    [names, rows] = [first.slice(0, COLUMNS), rest];
    draw();
  };
  update(text);
  return { element, update };
}
