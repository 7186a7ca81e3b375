// The archive: conversations that are not in the list, to open, restore or delete.

import { get } from "../api.js";
import { openLoaded } from "../dialog.js";
import { formatTime, guarded, h, iconButton } from "../dom.js";
import { t } from "../words.js";
import { organise, removeConversation } from "./row_menu.js";

export const showArchived = () => openLoaded({ title: t("Archived"), kind: "panel" }, loadArchived);

async function loadArchived(dialog) {
  const list = h("ul", { class: "list", "aria-label": t("Archived conversations") });
  const none = h("p", { class: "faint" }, t("Nothing is archived."));
  const fill = async () => {
    const conversations = await get("/conversations?archived=only");
    list.hidden = !conversations.length;
    none.hidden = Boolean(conversations.length);
    list.replaceChildren(...conversations.map((one) => row(one, fill, dialog)));
  };
  await fill();
  return [list, none];
}

function row(conversation, fill, dialog) {
  const { id, title, updatedAt } = conversation;
  const name = title || t("New conversation");
  const restore = guarded(async () => {
    await organise(conversation, { archived: false }, t("Restored"));
    await fill();
  });
  const erase = guarded(async () => (await removeConversation(conversation)) && fill());
  return h(
    "li",
    {},
    h("a", { class: "grow archived-link", href: `#/${id}`, dir: "auto", onclick: () => dialog.close() }, name),
    h("span", { class: "faint" }, formatTime(updatedAt)),
    h("button", { type: "button", class: "outline sm", "aria-label": t("Restore {name}", { name }), onclick: restore }, t("Restore")),
    iconButton("trash", t("Delete {name}", { name }), erase),
  );
}
