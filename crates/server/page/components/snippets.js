// Snippets of the library, by type: the components that load, save and manage them.

import { get, path, post, put, remove } from "../api.js";
import { open, sure } from "../dialog.js";
import { guarded, h, iconButton, toast } from "../dom.js";

export const snippets = async (type) => (await get(path`/library/${type}`)) ?? [];

/** The component `library_loader`, `library_saver` or `library_manager`. */
export const library =
  (does) =>
  ({ data_source: source = {}, props }, surface) => {
    const type = source.library_type ?? props.library_type ?? "snippets";
    const target = () => surface.parts.get(source.target_component_id ?? props.target_component_id);
    const from = () =>
      surface.parts.get(source.content_source_id ?? props.content_source_id ?? source.target_component_id);
    const load = h(
      "button",
      {
        type: "button",
        class: "outline sm",
        onclick: guarded(() => choose(type, (content) => target()?.set?.(content), does === "manage")),
      },
      props.label ?? (does === "load" ? "Load…" : "Library…"),
    );
    const save = h(
      "button",
      { type: "button", class: "outline sm", onclick: () => keep(type, String(from()?.value?.() ?? "")) },
      props.save_label ?? "Save…",
    );
    const buttons = { load: [load], save: [save], manage: [load, save] }[does];
    return { element: h("div", { class: "part-library row" }, buttons), value: () => null };
  };

/** Shows the snippets of a type and hands over the one that is picked. */
async function choose(type, take, manage) {
  const found = await snippets(type);
  const row = (snippet) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "ghost grow", onclick: () => (take(snippet.content), shown.close()) },
        snippet.title ?? snippet.name ?? snippet.id,
      ),
      manage
        ? iconButton(
            "trash",
            `Delete ${snippet.title ?? snippet.id}`,
            guarded(async (event) => {
              const line = event.target.closest("li");
              if (!(await sure("Delete this snippet?", `“${snippet.title}” will be gone.`, "Delete"))) return;
              await remove(path`/library/${type}/${snippet.id}`);
              line.remove();
            }),
          )
        : null,
    );
  const shown = open(
    { title: `Library: ${type}`, size: "sm" },
    found.length
      ? h("ul", { class: "list" }, found.map(row))
      : h("p", { class: "faint" }, "Nothing saved yet."),
  );
}

/** Saves `content` under a title. */
export function keep(type, content, snippet = null, done = () => {}) {
  const title = h("input", {
    type: "text",
    required: true,
    maxlength: "200",
    value: snippet?.title ?? "",
    "aria-label": "Title",
    placeholder: "Title",
  });
  const text = h("textarea", { rows: "8", "aria-label": "Content", value: content });
  const save = guarded(async (event) => {
    event.preventDefault();
    const body = { title: title.value.trim(), content: text.value };
    if (snippet) await put(path`/library/${type}/${snippet.id}`, body);
    else await post(path`/library/${type}`, body);
    toast("Saved");
    shown.close();
    done();
  });
  const shown = open(
    { title: snippet ? "Edit" : `Save to ${type}`, size: "sm" },
    h(
      "form",
      { class: "stack", onsubmit: save },
      title,
      text,
      h("div", { class: "row end" }, h("button", { class: "primary" }, "Save")),
    ),
  );
}
