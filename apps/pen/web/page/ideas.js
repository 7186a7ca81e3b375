// Where an idea comes in, for one platform or several; below it the drafts.

import { guarded, h, iconButton } from "../dom.js";
import { icon } from "../icon.js";
import { choice, field } from "./fields.js";
import { begin, bringBack, kept, remove, state } from "./state.js";
import { onDay, platformName, t, when } from "./words.js";
import { firstProfile } from "./voice.js";

export function ideas() {
  const list = h("section", { class: "drafts", "aria-labelledby": "drafts-title" });
  const draw = () => list.replaceChildren(...[h("h2", { id: "drafts-title" }, t("drafts")), removed(), drafts()].filter(Boolean));
  const top = state.info.profiles.length ? form() : firstProfile();
  const hello = h("div", { class: "hello" }, h("h2", {}, t(state.info.profiles.length ? "newIdea" : "firstProfile")), h("p", { class: "faint" }, t(state.info.profiles.length ? "ideaIntro" : "firstProfileIntro")));
  const element = h("div", { class: "column" }, hello, noKey(), top, list);
  draw();
  return { element, update: (what) => what === "info" && draw() };
}

/** What works without a model, said once and calmly. */
function noKey() {
  if (state.info.model) return null;
  return h("div", { class: "banner", id: "no-key" }, icon("key"), h("div", { class: "grow" }, h("strong", {}, t("noKey")), h("p", {}, t("noKeyFix"))));
}

function form() {
  const before = kept.get("idea") ?? {};
  const hasModel = Boolean(state.info.model);
  const area = h("textarea", { id: "idea", rows: "3", required: true, maxlength: "4000", placeholder: t("ideaHint"), dir: "auto" });
  area.value = before.idea ?? "";
  const chosen = new Set(before.platforms ?? [state.info.platforms[0].name]);
  const platforms = state.info.platforms.map(({ name }) => {
    const box = h("input", { type: "checkbox", name: "platform", value: name });
    box.checked = chosen.has(name);
    return h("label", { class: "pick-chip" }, box, h("span", {}, platformName(name)));
  });
  const profile = choice("profile", state.info.profiles, before.profile);
  const mix = mixWith(profile, before.techniques);
  const notion = h("input", { id: "notion", type: "url", placeholder: "https://www.notion.so/…", autocomplete: "off" });
  const facts = h("input", { type: "checkbox", id: "facts" });
  const openings = h("select", { id: "openings" }, [0, 2, 3, 5].map((n) => h("option", { value: n }, n ? String(n) : t("noOpenings"))));
  const press = h("button", { class: "primary lg", id: "begin" }, icon(hasModel ? "sparkles" : "edit"), h("span", {}));
  const named = () => platforms.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value);
  const weigh = () => {
    press.lastChild.textContent = t(hasModel ? "write" : "beginEmpty", { n: Math.max(1, named().length) });
    press.disabled = !area.value.trim();
    kept.set("idea", { idea: area.value, ...chosenNow() });
  };
  const chosenNow = () => ({ platforms: named(), profile: profile.value, techniques: mix.value() });
  const send = guarded(async (event) => {
    event.preventDefault();
    press.disabled = true;
    press.setAttribute("aria-busy", "true");
    try {
      const ids = await begin({
        idea: area.value,
        platforms: named(),
        profile: profile.value,
        techniques: mix.value() || null,
        notion: notion.value || null,
        facts: facts.checked,
        openings: Number(openings.value),
        write: hasModel,
      });
      area.value = "";
      kept.set("idea", chosenNow());
      location.hash = `#/draft/${encodeURIComponent(ids[0])}`;
    } finally {
      press.removeAttribute("aria-busy");
      press.disabled = !area.value.trim();
    }
  });
  for (const part of [area, profile, mix.select, ...platforms]) part.addEventListener("input", weigh);
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) press.click();
  });
  weigh();
  const search = state.info.search ? h("label", { class: "check" }, facts, t("facts")) : h("p", { class: "faint small" }, t("noSearch"));
  const fromNotion = state.info.notion === "off" ? h("p", { class: "faint small" }, t("noNotion")) : field(t("fromNotion"), notion);
  return h(
    "form",
    { class: "card idea-form", onsubmit: send },
    field(t("idea"), area),
    h("fieldset", { class: "chips-field" }, h("legend", {}, t("platforms")), h("div", { class: "pick-chips" }, platforms)),
    h(
      "details",
      { class: "fold" },
      h("summary", {}, icon("chevron"), t("more")),
      h("div", { class: "more-grid" }, field(t("profile"), profile), mix.element, field(t("openings"), openings), fromNotion, search),
    ),
    h("div", { class: "row spread" }, h("span", { class: "faint small" }, t("ownFolder", { folder: state.info.folder })), press),
  );
}

/** Whose techniques are borrowed: any other profile's. Without another one there is nothing to mix. */
function mixWith(profile, before) {
  const select = h("select", { id: "techniques" });
  const draw = (value) => {
    const others = state.info.profiles.filter(({ name, broken }) => name !== profile.value && !broken);
    select.replaceChildren(h("option", { value: "" }, t("noTechniques")), ...others.map(({ name }) => h("option", { value: name }, name)));
    select.value = others.some(({ name }) => name === value) ? value : "";
  };
  draw(before);
  profile.addEventListener("input", () => draw(select.value));
  const element = field(t("techniques"), select);
  element.hidden = state.info.profiles.filter(({ broken }) => !broken).length < 2;
  return { element, select, value: () => select.value };
}

/** The draft that was just deleted, with the way back. */
function removed() {
  if (!state.removed) return null;
  const back = h("button", { type: "button", class: "outline sm", id: "bring-back" }, t("bringDraftBack"));
  back.addEventListener(
    "click",
    guarded(async () => {
      const id = await bringBack();
      document.querySelector(`[data-draft="${CSS.escape(id)}"] a`)?.focus();
    }),
  );
  return h("div", { class: "banner calm", id: "removed", role: "status" }, icon("trash"), h("p", { class: "grow" }, t("draftRemoved", { topic: state.removed.topic || t("untitled") })), back);
}

function drafts() {
  const all = state.info?.drafts ?? [];
  if (!all.length) return h("p", { class: "faint" }, t("noDrafts"));
  return h("ul", { class: "lines", id: "drafts" }, all.slice(0, 30).map(line));
}

export function line(draft) {
  return h(
    "li",
    { class: "with-tool", "data-draft": draft.id },
    h(
      "a",
      { href: `#/draft/${encodeURIComponent(draft.id)}` },
      h("span", { class: "line-head" }, h("span", { class: "badge", "data-platform": draft.platform }, platformName(draft.platform)), h("strong", {}, draft.topic || t("untitled"))),
      h("span", { class: "faint preview-line" }, draft.preview || t("emptyDraft")),
      h("span", { class: "faint small" }, [when(draft.updated), statusOf(draft)].join(" · ")),
    ),
    iconButton("trash", t("removeDraft", { topic: draft.topic || t("untitled") }), guarded(() => removeAndTell(draft)), { "data-act": "remove", disabled: draft.busy }),
  );
}

/** Deletes a draft, and offers to bring it back where the next press goes. */
export async function removeAndTell(draft) {
  await remove(draft);
  document.getElementById("bring-back")?.focus();
}

export function statusOf({ busy, status, planned }) {
  if (busy) return t("beingWritten");
  if (status === "saved") return t("saved");
  return planned ? t("plannedFor", { day: onDay(planned) }) : t("open");
}
