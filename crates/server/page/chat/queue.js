// Messages that wait until the running answer is complete; each can be taken back. They belong to this tab.

import { guarded, h, iconButton } from "../dom.js";
import { on, state } from "../state.js";
import { t } from "../words.js";
import { send } from "./send.js";
import { putBack } from "./composer.js";
import { modelName } from "./welcome.js";

const QUEUE_MAX = 20;
const place = h("ul", { class: "queue", id: "queue", "aria-label": t("Messages that wait for the answer"), hidden: true });
const key = () => `queue:${state.conversation?.id ?? ""}`;

function read() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key()) ?? "[]");
    return kept.map((one) => (typeof one === "string" ? { text: one, files: [] } : one));
  } catch {
    return [];
  }
}

function write(texts) {
  try {
    if (texts.length) sessionStorage.setItem(key(), JSON.stringify(texts));
    else sessionStorage.removeItem(key());
  } catch {
    /* storage may be switched off or full; the list on the page is drawn from what is left */
  }
  draw(texts);
}

function draw(texts) {
  place.hidden = !texts.length;
  place.replaceChildren(
    ...texts.map(({ text, files, model }, index) =>
      h(
        "li",
        {},
        h("span", { class: "faint" }, t("Next")),
        h("span", { class: "grow queued", dir: "auto" }, text, files.map((file) => ` [${file.name}]`)),
        model ? h("span", { class: "chip" }, modelName(model.id)) : null,
        iconButton("edit", t("Take this message back"), () => takeBack(index)),
      ),
    ),
  );
}

function takeBack(index) {
  const texts = read();
  const [{ text, files, model }] = texts.splice(index, 1);
  write(texts);
  putBack(text, files, model);
}

/** Adds a message; throws if there are too many. */
export function enqueue(text, files = [], model = null) {
  if (!state.running) return send(text, files, model);
  const texts = read();
  if (texts.length >= QUEUE_MAX) throw new Error(t("At most {n} {n:message|messages} can wait", { n: QUEUE_MAX }));
  return write([...texts, { text, files, model }]);
}

/** Sends the first message that waits. After a stop the messages go back to the person. */
const sendNext = guarded(async (how) => {
  const [next, ...rest] = read();
  if (next === undefined || state.running) return;
  if (how !== "complete") {
    write([]);
    const all = [next, ...rest];
    const isSame = all.every(({ model }) => model?.id === next.model?.id);
    putBack(all.map(({ text }) => text).join("\n\n"), all.flatMap(({ files }) => files), isSame ? next.model : null);
    return;
  }
  write(rest);
  try {
    await send(next.text, next.files, next.model);
  } catch (fault) {
    write([next, ...read()]);
    throw fault;
  }
});

document.getElementById("composer").before(place);
on("turn_ended", sendNext);
/** After a reload: an answer that ended in the meantime is not waited for any more. */
function showQueue(conversation) {
  draw(read());
  if (conversation && !conversation.running && !conversation.waiting?.length) sendNext("interrupted");
}

on("conversation", showQueue);
showQueue(state.conversation);
