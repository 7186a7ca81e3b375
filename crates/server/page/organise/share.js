// The dialog “Share”: a link to what is in the conversation now, and the links that exist.

import { get, path, post, remove } from "../api.js";
import { confirmDialog, open } from "../dialog.js";
import { copyText, guarded, h, toast } from "../dom.js";
import { icon } from "../icon.js";
import { locale, t } from "../words.js";

const HOUR = 3600;
const ENDS = [
  [HOUR, t("In 1 hour")],
  [24 * HOUR, t("In 1 day")],
  [7 * 24 * HOUR, t("In 7 days")],
  [30 * 24 * HOUR, t("In 30 days")],
];
const DATE = "date";

/** Shares this conversation; without one, only the list of links is shown. */
export async function showShares(conversation) {
  const canShare = conversation && !conversation.temporary;
  const links = h("section", { class: "stack", "aria-label": t("Your shared links") });
  await fill(links); // before the dialog is there: what is above would move
  open(
    { title: canShare ? t("Share this conversation") : t("Shared links") },
    conversation?.temporary ? h("p", {}, t("A temporary conversation cannot be shared. Branch it, and share the copy.")) : null,
    canShare ? newLink(conversation, links) : null,
    links,
  );
}

function newLink(conversation, links) {
  const option = ([value, text]) => h("option", { value: String(value) }, text);
  const end = h("select", { id: "share-end" }, [...ENDS, [DATE, t("On a date…")]].map(option));
  end.value = String(7 * 24 * HOUR);
  const date = h("input", { type: "datetime-local", id: "share-date", min: localTime(HOUR), max: localTime(365 * 24 * HOUR), value: localTime(24 * HOUR) });
  const dateField = h("div", { class: "field", hidden: true }, h("label", { for: "share-date" }, t("Date and time")), date);
  end.addEventListener("change", () => {
    dateField.hidden = end.value !== DATE;
    date.required = end.value === DATE;
  });
  const tools = check("share-tools", t("Tool calls, with their arguments and results"));
  const files = check("share-files", t("Pictures and other files"));
  const made = h("div", { class: "stack", role: "status" });
  const create = guarded(async (event) => {
    event.preventDefault();
    const expiresInSeconds = end.value === DATE ? Math.round((new Date(date.value) - Date.now()) / 1000) : Number(end.value);
    const choice = { expiresInSeconds, tools: tools.input.checked, files: files.input.checked };
    const link = await post(path`/conversations/${conversation.id}/shares`, choice);
    made.replaceChildren(...created(link));
    made.querySelector("input").select();
    await fill(links);
  });
  return h(
    "form",
    { class: "stack", onsubmit: create },
    h("p", { class: "faint" }, t("Whoever has the link can read the messages as they are now. Later messages are not part of it.")),
    h("div", { class: "field" }, h("label", { for: "share-end" }, t("The link ends")), end),
    dateField,
    h("fieldset", { class: "stack share-also" }, h("legend", {}, t("Also share")), tools.label, files.label),
    h("div", { class: "row end" }, h("button", { class: "primary" }, t("Create link"))),
    made,
  );
}

function check(id, text) {
  const input = h("input", { type: "checkbox", id });
  return { input, label: h("label", { class: "row touch", for: id }, input, h("span", { class: "grow" }, text)) };
}

/** The local time in so many seconds, as the field writes it. */
function localTime(seconds) {
  const at = new Date(Date.now() + seconds * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function created({ path: place }) {
  const address = `${location.origin}${place}`;
  const field = h("input", { type: "text", readonly: true, id: "share-link", "aria-label": t("The link"), value: address });
  return [
    h("div", { class: "row nowrap" }, field, h("button", { type: "button", class: "outline", onclick: () => copyText(address) }, icon("copy"), t("Copy"))),
    h("p", { class: "faint" }, t("Copy it now. The server keeps only a digest of it and cannot show it again.")),
  ];
}

async function fill(links) {
  const shares = await get("/shares");
  if (!shares.length) return links.replaceChildren(h("p", { class: "faint" }, t("You have no shared links.")));
  const rows = shares.map((share) => drawLink(share, () => fill(links)));
  return links.replaceChildren(h("h3", {}, t("Your shared links")), h("ul", { class: "list" }, rows));
}

function drawLink(share, reload) {
  const name = share.title || t("Conversation");
  const ends = new Date(share.expiresAt).toLocaleString(locale, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  const update = guarded(async () => {
    await post(path`/shares/${share.id}/update`);
    toast(t("The link now shows the conversation as it is."));
    await reload();
  });
  const revoke = guarded(async () => {
    if (!(await confirmDialog(t("Revoke this link?"), t("Nobody can open “{name}” with it any more.", { name }), t("Revoke")))) return;
    await remove(path`/shares/${share.id}`);
    toast(t("Revoked"));
    await reload();
  });
  const also = [share.tools ? t("with tool calls") : null, share.files ? t("with files") : null].filter(Boolean).join(", ");
  return h(
    "li",
    { class: "share-row" },
    h(
      "span",
      { class: "grow" },
      h("span", { class: "conversation-title", dir: "auto" }, name),
      h("span", { class: "about" }, t("Ends {time}", { time: ends })),
      also ? h("span", { class: "about" }, also) : null,
    ),
    h("button", { type: "button", class: "outline sm", "aria-label": t("Update {name}", { name }), onclick: update }, t("Update")),
    h("button", { type: "button", class: "outline sm", "aria-label": t("Revoke {name}", { name }), onclick: revoke }, t("Revoke")),
  );
}
