// Posts and profile side by side: how the author writes, and what was written.

import { guarded, h, showError, toast } from "../dom.js";
import { icon } from "../icon.js";
import { lines } from "./changes.js";
import { choice, field } from "./fields.js";
import { makeProfile, onceQuiet, readInfo, readPost, readPosts, readProfile, state } from "./state.js";
import { languageNames, platformName, t, when } from "./words.js";

export function voice() {
  const has = state.info.profiles.length > 0;
  const left = h("section", { class: "card pane", "aria-labelledby": "profile-title" });
  const right = h("section", { class: "card pane", "aria-labelledby": "posts-title" });
  if (has) profilePane(left);
  else left.append(h("h2", { id: "profile-title" }, t("firstProfile")), h("p", { class: "faint" }, t("firstProfileIntro")), firstProfile());
  postsPane(right);
  return { element: h("div", { class: "two" }, left, right) };
}

/** A first profile from pasted posts, measured without a model. */
export function firstProfile() {
  const area = h("textarea", { id: "posts", rows: "10", required: true, dir: "auto" });
  const press = h("button", { class: "primary", id: "make-profile" }, t("makeProfile"));
  const send = guarded(async (event) => {
    event.preventDefault();
    await makeProfile(area.value);
    toast(t("profileMade"));
    await readInfo();
    location.hash = "#/voice";
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  });
  return h("form", { class: "card idea-form", onsubmit: send }, field(t("yourPosts"), area), h("div", { class: "row end" }, press));
}

function profilePane(pane) {
  const pick = choice("profile", state.info.profiles);
  const body = h("div", { class: "stack", "aria-live": "polite" });
  const load = guarded(async () => body.replaceChildren(...profileBody(await readProfile(pick.value))));
  pick.addEventListener("change", load);
  pane.append(h("div", { class: "pane-head" }, h("h2", { id: "profile-title" }, t("profileTitle")), h("label", { class: "sr", for: "profile" }, t("profile")), pick), body);
  load();
}

const TRAITS = ["tone", "formality", "personality", "sentence_style", "paragraph_style", "emoji_usage"];
const LISTS = ["hooks", "closings", "signature_phrases", "avoid"];

function profileBody(profile) {
  const { voice: traits = {}, platforms = {}, differences, changelog } = profile;
  const trait = (name) => traits[name] && h("div", {}, h("dt", {}, t(name)), h("dd", {}, traits[name]));
  const list = (name) => traits[name]?.length && h("details", { class: "fold", open: name === "avoid" || name === "hooks" }, h("summary", {}, icon("chevron"), t(name), h("span", { class: "faint" }, String(traits[name].length))), h("ul", { class: "bullets" }, traits[name].map((item) => h("li", {}, item))));
  const rules = ([name, { max_length: most, structure }]) => h("div", {}, h("dt", {}, `${platformName(name)}${most ? ` ≤ ${most}` : ""}`), h("dd", {}, structure ?? ""));
  return [
    h("p", { class: "faint small" }, [t("profileVersion", { n: profile.version, lang: languageNames(profile.language) }), when(profile.updated), profile.source].filter(Boolean).join(" · ")),
    h("dl", { class: "traits" }, TRAITS.map(trait)),
    ...LISTS.map(list).filter(Boolean),
    numbers(profile),
    h("dl", { class: "traits" }, Object.entries(platforms).map(rules)),
    differences?.length ? differs(differences) : null,
    changelog?.length ? h("details", { class: "fold" }, h("summary", {}, icon("chevron"), t("history")), h("ul", { class: "bullets" }, changelog.slice(-10).reverse().map((one) => h("li", {}, `v${one.version} · ${when(one.date)} · ${one.description ?? one.action ?? ""}`)))) : null,
    h("p", { class: "faint small" }, t("onlyByYes")),
  ].filter(Boolean);
}

const MEASURES = ["sentenceWords", "longestSentence", "questions", "fragments", "emoji", "hashtags"];
const percent = new Set(["questions", "fragments"]);

/** What was measured when the profile was made, beside the saved posts. */
function numbers({ measured, saved }) {
  if (!measured && !saved) return null;
  const value = (style, name) => (style ? (percent.has(name) ? `${Math.round(style[name] * 100)} %` : String(Math.round(style[name] * 10) / 10)) : "–");
  const row = (name) => h("tr", {}, h("th", { scope: "row" }, t(name)), h("td", { class: "number" }, value(measured, name)), h("td", { class: "number" }, value(saved, name)));
  return h("table", { class: "measures" }, h("caption", {}, t("measured")), h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, t("inProfile")), h("th", { scope: "col" }, t("inPosts")))), h("tbody", {}, MEASURES.map(row)));
}

function differs(differences) {
  const one = ({ field: name, profile, measured }) => h("li", {}, h("code", {}, name), lines([{ change: "removed", line: profile || "–" }, { change: "added", line: measured }]));
  return h("details", { class: "fold" }, h("summary", {}, icon("chevron"), t("differences"), h("span", { class: "faint" }, String(differences.length))), h("ul", { class: "differences" }, differences.map(one)));
}

function postsPane(pane) {
  const input = h("input", { type: "search", id: "search", placeholder: t("search"), "aria-label": t("search"), autocomplete: "off" });
  const count = h("span", { class: "faint small", id: "posts-total", "aria-live": "polite" });
  const list = h("ul", { class: "lines", id: "posts" });
  const load = async () => {
    const words = input.value;
    const { posts, total } = await readPosts(words);
    if (words !== input.value) return;
    count.textContent = t("total", { n: total });
    list.replaceChildren(...(posts.length ? posts.map(post) : [h("li", { class: "faint nothing" }, t("noPosts"))]));
  };
  const soon = onceQuiet(load);
  input.addEventListener("input", soon);
  pane.append(h("div", { class: "pane-head" }, h("h2", { id: "posts-title" }, t("postsTitle")), count), input, list);
  load().catch(showError);
}

function post({ file, platform, topic, created, preview }) {
  const text = h("p", { class: "post-text", dir: "auto" }, preview);
  const box = h("details", { class: "saved-post" }, h("summary", {}, h("span", { class: "line-head" }, h("span", { class: "badge", "data-platform": platform }, platformName(platform)), h("strong", {}, topic || file)), h("span", { class: "faint small" }, when(created))), text);
  box.addEventListener("toggle", guarded(async () => box.open && (text.textContent = (await readPost(file)).text)));
  return h("li", {}, box);
}
