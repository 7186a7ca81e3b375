// Library snippets, by type: the components that load, save and manage them.

import { get, path, post, put, remove } from "../api.js";
import { confirmDialog, open } from "../dialog.js";
import { guarded, h, iconButton, toast } from "../dom.js";
import { t } from "../words.js";

export const listSnippets = async (type) => (await get(path`/library/${type}`)) ?? [];

/** The component `library_loader`, `library_saver` or `library_manager`. */
export const libraryComponent =
  (mode) =>
  ({ data_source: source = {}, props }, surface) => {
    const type = source.library_type ?? props.library_type ?? "snippets";
    const target = () => surface.components.get(source.target_component_id ?? props.target_component_id);
    const from = () =>
      surface.components.get(source.content_source_id ?? props.content_source_id ?? source.target_component_id);
    const load = h(
      "button",
      {
        type: "button",
        class: "outline sm",
        onclick: guarded(() => pickSnippet(type, (content) => target()?.set?.(content), mode === "manage")),
      },
      props.label ?? (mode === "load" ? t("Load…") : t("Library…")),
    );
    const save = h(
      "button",
      { type: "button", class: "outline sm", onclick: () => saveSnippet(type, String(from()?.value?.() ?? "")) },
      props.save_label ?? t("Save…"),
    );
    const buttons = { load: [load], save: [save], manage: [load, save] }[mode];
    return { element: h("div", { class: "part-library row" }, buttons), value: () => null };
  };

/** Lists the snippets of a type and passes the picked one to `use`. */
async function pickSnippet(type, use, manage) {
  const found = await listSnippets(type);
  const row = (snippet) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "ghost grow", onclick: () => (use(snippet.content), dialog.close()) },
        snippet.title ?? snippet.name ?? snippet.id,
      ),
      manage
        ? iconButton(
            "trash",
            t("Delete {name}", { name: snippet.title ?? snippet.id }),
            guarded(async (event) => {
              const line = event.target.closest("li");
              if (!(await confirmDialog(t("Delete this snippet?"), t("“{name}” will be deleted.", { name: snippet.title }), t("Delete")))) return;
              await remove(path`/library/${type}/${snippet.id}`);
              line.remove();
            }),
          )
        : null,
    );
  const dialog = open(
    { title: t("Library: {type}", { type }), size: "sm" },
    found.length
      ? h("ul", { class: "list" }, found.map(row))
      : h("p", { class: "faint" }, t("Nothing saved yet.")),
  );
}

/** Asks for a title and saves `content`. */
export function saveSnippet(type, content, snippet = null, done = () => {}) {
  const title = h("input", {
    type: "text",
    required: true,
    maxlength: "200",
    value: snippet?.title ?? "",
    "aria-label": t("Title"),
    placeholder: t("Title"),
  });
  const text = h("textarea", { rows: "8", "aria-label": t("Content"), value: content });
  const save = guarded(async (event) => {
    event.preventDefault();
    const body = { title: title.value.trim(), content: text.value };
    if (snippet) await put(path`/library/${type}/${snippet.id}`, body);
    else await post(path`/library/${type}`, body);
    toast(t("Saved"));
    dialog.close();
    done();
  });
  const dialog = open(
    { title: snippet ? t("Edit") : t("Save to {type}", { type }), size: "sm" },
    h(
      "form",
      { class: "stack", onsubmit: save },
      title,
      text,
      h("div", { class: "row end" }, h("button", { class: "primary" }, t("Save"))),
    ),
  );
}
