// Components that show data of tools: HTML in a sealed frame, lists, tables.

import { confirmDialog } from "../dialog.js";
import { formatJson, guarded, h, iconButton } from "../dom.js";
import { formatNumber, t } from "../words.js";
import { cssSize, loader } from "./component_shared.js";
import { readSource, watchSource } from "./data_source.js";
import * as kv from "./kv_store.js";
import { sealedFrame } from "./sealed_frame.js";

const WINDOW = 50;

export function html_renderer({ id, data_source: source, props }) {
  const { frame, show, end } = sealedFrame(
    props.title ?? id ?? t("HTML from a tool"),
    cssSize(props.height ?? props.style?.height),
  );
  const element = h("div", { class: "part-html", style: allowedStyles(props.style) }, frame);
  const refresh = loader(element, async () => show(await readSource(source)));
  const unwatch = watchSource(source, refresh);
  return { element, refresh, value: () => null, end: () => (unwatch(), end()) };
}

const STYLES = /^(min-|max-)?(height|width)$|^(padding|margin|border|border-radius|background-color)$/;

/** The styles that a tool may set on its frame; none of them can cover the page. */
function allowedStyles(style) {
  const pairs = Object.entries(typeof style === "object" && style ? style : {});
  const kebab = pairs.map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    String(value),
  ]);
  return Object.fromEntries(kebab.filter(([name]) => STYLES.test(name)));
}

export function list_display({ data_source: source, props }) {
  const key = source?.key ?? "";
  let stop = (source?.fetch_window ?? WINDOW) - 1;
  const items = h("ul", {
    class: "list",
    tabindex: "0",
    style: { "max-height": cssSize(props.height) ?? "240px" },
  });
  const total = h("span", { class: "faint" });
  const clear = h(
    "button",
    {
      type: "button",
      class: "ghost sm",
      onclick: guarded(async () => {
        if (!(await confirmDialog(t("Clear this list?"), t("All items will be deleted."), t("Clear")))) return;
        await kv.remove(key);
        refresh();
      }),
    },
    t("Clear"),
  );
  const more = h(
    "button",
    { type: "button", class: "ghost sm", onclick: () => ((stop += WINDOW), refresh()) },
    t("Show more"),
  );
  const item = (value, index) =>
    h(
      "li",
      {},
      h("span", {}, formatJson(value)),
      props.show_delete_per_item
        ? iconButton(
            "trash",
            t("Delete item {n}", { n: index + 1 }),
            guarded(async () => {
              await kv.removeItem(key, index);
              refresh();
            }),
          )
        : null,
    );
  const element = h(
    "div",
    { class: "part-list" },
    items,
    h("div", { class: "row" }, total, more, props.show_clear ? clear : null),
  );
  const refresh = loader(element, async () => {
    const found = await kv.list(key, 0, stop);
    items.replaceChildren(...found.items.map(item));
    if (!found.items.length)
      items.append(h("li", { class: "faint" }, props.placeholder ?? t("No items yet.")));
    total.textContent = t("Total: {n}", { n: found.length });
    more.hidden = found.length <= found.items.length;
    clear.hidden = !found.length;
  });
  return { element, refresh, value: () => null, end: watchSource(source, refresh) };
}

export function table_display({ data_source: source, props }) {
  const body = h("tbody");
  const columns = props.columns?.length
    ? props.columns
    : [
        { key: "name", label: t("Name") },
        { key: "value", label: t("Value") },
      ];
  const head = h(
    "tr",
    {},
    columns.map((column) => h("th", { scope: "col" }, column.label ?? column.key)),
  );
  const again = props.show_refresh ? iconButton("refresh", t("Refresh"), () => refresh()) : null;
  const element = h(
    "div",
    { class: "part-table" },
    h(
      "div",
      { class: "scroll", tabindex: "0", style: { "max-height": cssSize(props.height) ?? "300px" } },
      h("table", {}, h("thead", {}, head), body),
    ),
    again,
  );
  const refresh = loader(element, async () => {
    const found = await readSource(source);
    const rows = Array.isArray(found) ? found : found ? [found] : [];
    body.replaceChildren(
      ...rows.map((row) =>
        h(
          "tr",
          {},
          columns.map(({ key, format }) =>
            h("td", { class: format && format !== "text" ? "number" : "" }, formatted(row?.[key], format)),
          ),
        ),
      ),
    );
    if (!rows.length)
      body.append(
        h("tr", {}, h("td", { colspan: columns.length, class: "faint" }, props.placeholder ?? t("No rows."))),
      );
  });
  return { element, refresh, value: () => null, end: watchSource(source, refresh) };
}

function formatted(value, format) {
  if (value === null || value === undefined) return "–";
  const number = Number(value);
  if (!Number.isFinite(number) || value === "" || typeof value === "object") return formatJson(value);
  if (format === "currency") return formatNumber(number, { style: "currency", currency: "USD" });
  if (format === "number") return formatNumber(number);
  return String(value);
}
