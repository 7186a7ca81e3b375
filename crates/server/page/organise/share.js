// The dialog “Share”: a link to what is in the conversation now, and the links that exist.

import { get, path, post, remove } from "../api.js";
import { confirmDialog, open } from "../dialog.js";
import { copyText, guarded, h, toast } from "../dom.js";
import { icon } from "../icon.js";

const HOUR = 3600;
const ENDS = [
  [HOUR, "In 1 hour"],
  [24 * HOUR, "In 1 day"],
  [7 * 24 * HOUR, "In 7 days"],
  [30 * 24 * HOUR, "In 30 days"],
];
const DATE = "date";

/** Shares this conversation; without one, only the list of links is shown. */
export async function showShares(conversation) {
  const canShare = conversation && !conversation.temporary;
  const links = h("section", { class: "stack", "aria-label": "Your shared links" });
  open(
    { title: canShare ? "Share this conversation" : "Shared links" },
    conversation?.temporary ? h("p", {}, "A temporary conversation cannot be shared. Branch it, and share the copy.") : null,
    canShare ? newLink(conversation, links) : null,
    links,
  );
  await fill(links);
}

function newLink(conversation, links) {
  const option = ([value, text]) => h("option", { value: String(value) }, text);
  const end = h("select", { id: "share-end" }, [...ENDS, [DATE, "On a date…"]].map(option));
  end.value = String(7 * 24 * HOUR);
  const date = h("input", { type: "datetime-local", id: "share-date", min: localTime(HOUR), max: localTime(365 * 24 * HOUR), value: localTime(24 * HOUR) });
  const dateField = h("div", { class: "field", hidden: true }, h("label", { for: "share-date" }, "Date and time"), date);
  end.addEventListener("change", () => {
    dateField.hidden = end.value !== DATE;
    date.required = end.value === DATE;
  });
  const tools = check("share-tools", "Tool calls, with their arguments and results");
  const files = check("share-files", "Pictures and other files");
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
    h("p", { class: "faint" }, "Whoever has the link can read the messages as they are now. Later messages are not part of it."),
    h("div", { class: "field" }, h("label", { for: "share-end" }, "The link ends"), end),
    dateField,
    h("fieldset", { class: "stack share-also" }, h("legend", {}, "Also share"), tools.label, files.label),
    h("div", { class: "row end" }, h("button", { class: "primary" }, "Create link")),
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
  const field = h("input", { type: "text", readonly: true, id: "share-link", "aria-label": "The link", value: address });
  return [
    h("div", { class: "row nowrap" }, field, h("button", { type: "button", class: "outline", onclick: () => copyText(address) }, icon("copy"), "Copy")),
    h("p", { class: "faint" }, "Copy it now. The server keeps only a digest of it and cannot show it again."),
  ];
}

async function fill(links) {
  const shares = await get("/shares");
  if (!shares.length) return links.replaceChildren(h("p", { class: "faint" }, "You have no shared links."));
  const rows = shares.map((share) => drawLink(share, () => fill(links)));
  return links.replaceChildren(h("h3", {}, "Your shared links"), h("ul", { class: "list" }, rows));
}

function drawLink(share, reload) {
  const name = share.title || "Conversation";
  const ends = new Date(share.expiresAt).toLocaleString([], { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  const update = guarded(async () => {
    await post(path`/shares/${share.id}/update`);
    toast("The link now shows the conversation as it is.");
    await reload();
  });
  const revoke = guarded(async () => {
    if (!(await confirmDialog("Revoke this link?", `Nobody can open “${name}” with it any more.`, "Revoke"))) return;
    await remove(path`/shares/${share.id}`);
    toast("Revoked");
    await reload();
  });
  const also = [share.tools ? "with tool calls" : null, share.files ? "with files" : null].filter(Boolean).join(", ");
  return h(
    "li",
    { class: "share-row" },
    h(
      "span",
      { class: "grow" },
      h("span", { class: "conversation-title", dir: "auto" }, name),
      h("span", { class: "about" }, `Ends ${ends}`),
      also ? h("span", { class: "about" }, also) : null,
    ),
    h("button", { type: "button", class: "outline sm", "aria-label": `Update ${name}`, onclick: update }, "Update"),
    h("button", { type: "button", class: "outline sm", "aria-label": `Revoke ${name}`, onclick: revoke }, "Revoke"),
  );
}
