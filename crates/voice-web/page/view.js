// What a person sees while they talk: the words of both sides, what tools do, and a few large buttons.

import { announce, h } from "../dom.js";
import { icon } from "../icon.js";
import { previewBox, withoutName } from "../preview.js";
import { t } from "../words.js";
import { FormPanel } from "./form.js";

const STATUS = {
  connecting: t("Connecting…"),
  reconnecting: t("Connection lost. Reconnecting…"),
  listening: t("Listening"),
  hearing: t("Listening…"),
  thinking: t("Thinking…"),
  speaking: t("Speaking"),
  muted: t("Microphone off"),
  failed: t("Not connected"),
};

const TOOL_STATE = {
  asked: t("wants to run"),
  running: t("is running…"),
  waiting: t("waits for your yes"),
  done: t("done"),
  failed: t("failed"),
  cancelled: t("cancelled"),
};

export class View {
  constructor(handle) {
    Object.assign(this, { handle, lines: new Map(), tools: new Map(), isMuted: false, phase: "connecting" });
    this.build();
    loadStyle();
    this.focusedBefore = document.activeElement;
    document.body.append(this.box);
    this.box.showModal();
    this.endButton.focus();
  }

  build() {
    const { handle } = this;
    this.statusLine = h("p", { class: "voice-status", role: "status" });
    this.words = h("div", { class: "voice-words", role: "log", "aria-live": "off", "aria-label": t("What is said"), tabindex: "0" });
    this.ask = h("section", { class: "voice-ask", "aria-label": t("Approval"), hidden: true });
    this.form = new FormPanel({ onedit: handle.onformedit, onanswer: handle.onformanswer, onsend: handle.onformsend });
    this.forms = h("details", { class: "voice-forms", hidden: true });
    this.orb = h("div", { class: "voice-orb", "aria-hidden": "true" }, h("span"));
    this.hintLine = h("p", { class: "voice-hint faint", hidden: true });
    this.problem = h("div", { class: "voice-problem", role: "alert", hidden: true });
    this.muteButton = button("mic", t("Mute"), () => this.mute(), { "aria-pressed": "false" });
    this.stopButton = button("stop", t("Stop"), () => handle.onstop());
    this.endButton = button("phone-off", t("End"), () => handle.onend(), { class: "voice-button end" });
    this.box = h(
      "dialog",
      { class: "voice", "aria-labelledby": "voice-title" },
      h("header", {}, h("h2", { id: "voice-title" }, t("Talk")), this.statusLine, this.forms),
      this.words,
      this.ask,
      this.form.element,
      this.problem,
      this.orb,
      this.hintLine,
      h("footer", {}, this.muteButton, this.stopButton, this.endButton),
      h("div", { class: "toasts", role: "status" }),
    );
    // Escape hangs up; what was said is kept.
    this.box.addEventListener("cancel", (event) => (event.preventDefault(), handle.onend()));
  }

  /** `phase` is a key of STATUS. */
  status(phase) {
    this.phase = phase;
    const shown = this.isMuted && phase !== "reconnecting" ? "muted" : phase;
    this.box.dataset.phase = shown;
    this.statusLine.textContent = STATUS[shown];
    if (phase !== "failed") this.problem.hidden = true;
    for (const one of [this.muteButton, this.stopButton]) one.disabled = ["connecting", "failed"].includes(phase);
  }

  event(event) {
    this[`on_${event.type}`]?.(event);
  }

  on_phase({ phase }) {
    this.status(phase);
  }

  on_words({ who, id, text, final }) {
    const known = this.lines.get(id);
    if (text === undefined) {
      known?.remove();
      this.lines.delete(id);
      return;
    }
    const line = known ?? this.add(h("p", { class: `voice-line ${who}` }, h("span", { class: "sr" }, SPEAKER[who]), h("span")));
    this.lines.set(id, line);
    line.lastChild.textContent = text;
    line.classList.toggle("interim", !final);
    this.scroll();
  }

  on_more_words({ who, id, text }) {
    const soFar = this.lines.get(id)?.lastChild.textContent ?? "";
    this.on_words({ who, id, text: soFar + text, final: false });
  }

  on_tool({ call, tool, state }) {
    const line = this.tools.get(call) ?? this.add(h("p", { class: "voice-tool" }, icon("tool"), h("span")));
    this.tools.set(call, line);
    line.dataset.state = state;
    line.lastChild.textContent = `${tool}: ${TOOL_STATE[state]}`;
    this.scroll();
  }

  on_approval({ request, tool, preview, preview_lines: lines }) {
    const answer = (choice) => () => this.handle.onanswer(request, choice);
    this.ask.dataset.request = request;
    this.ask.replaceChildren(
      h("h3", {}, icon("alert"), t("{tool} needs your yes", { tool })),
      previewBox(withoutName(lines, tool), preview),
      h("p", { class: "faint voice-how" }, t("Listen, then say yes or no. Or press:")),
      h(
        "div",
        { class: "voice-choices" },
        h("button", { type: "button", class: "primary lg", onclick: answer("approve") }, t("Approve")),
        h("button", { type: "button", class: "outline lg", onclick: answer("decline") }, t("Decline")),
      ),
    );
    this.ask.hidden = false;
    announce(t("{tool} needs your approval.", { tool }));
  }

  on_button({ request }) {
    if (this.ask.dataset.request !== request) return;
    this.ask.querySelector(".voice-how").textContent = t("Only a button can answer this:");
    this.ask.querySelector(".primary").focus();
  }

  on_approval_done({ request }) {
    if (this.ask.dataset.request !== request) return;
    const hadFocus = this.ask.contains(document.activeElement);
    this.ask.hidden = true;
    delete this.ask.dataset.request;
    if (hadFocus) this.muteButton.focus();
  }

  on_form(event) {
    this.form.show(event);
  }

  on_form_answers(event) {
    this.form.fill(event);
  }

  on_form_done(event) {
    if (this.form.done(event)) this.muteButton.focus();
  }

  on_trouble({ text }) {
    this.note(text);
    this.form.fail(text);
  }

  /** Nothing is wrong. */
  on_notice({ text }) {
    this.add(h("p", { class: "voice-line program" }, text));
    announce(text);
  }

  /** The forms that a person may begin, as a short list. */
  offer(forms) {
    this.forms.hidden = !forms.length;
    const begin = (tool) => () => {
      this.forms.open = false;
      this.forms.firstChild.focus();
      this.handle.onform(tool);
    };
    this.forms.replaceChildren(
      h("summary", {}, t("Forms")),
      h(
        "div",
        { class: "voice-form-list" },
        forms.map(({ tool, label }) => h("button", { type: "button", class: "ghost lg", onclick: begin(tool) }, label)),
      ),
    );
  }

  /** Something that people should know. */
  note(text) {
    this.add(h("p", { class: "voice-note" }, icon("alert"), h("span", {}, text)));
    announce(text);
  }

  add(line) {
    this.words.append(line);
    this.scroll();
    return line;
  }

  scroll() {
    this.words.scrollTop = this.words.scrollHeight;
  }

  level(level) {
    this.nextLevel = Math.min(1, Math.sqrt(level));
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.orb.style.setProperty("--level", this.nextLevel.toFixed(2));
    });
  }

  hint(isShown, isByBrowser) {
    const own = t("This browser writes down what you say; it may send the sound to its maker.");
    this.hintLine.textContent = [isByBrowser ? own : "", t("Headphones keep the answers out of the microphone.")].filter(Boolean).join(" ");
    this.hintLine.hidden = !isShown;
  }

  mute() {
    this.isMuted = !this.isMuted;
    this.muteButton.setAttribute("aria-pressed", String(this.isMuted));
    this.muteButton.replaceChildren(icon(this.isMuted ? "mic-off" : "mic"), h("span", {}, t("Mute")));
    this.handle.onmute(this.isMuted);
    this.status(this.phase);
  }

  /** The session cannot go on; `mayRetry` offers to begin again. */
  fail(sentence, mayRetry) {
    this.status("failed");
    this.ask.hidden = true;
    this.forms.hidden = true;
    this.form.clear();
    this.hintLine.hidden = true;
    this.level(0);
    const retry = h("button", { type: "button", class: "primary", onclick: () => this.handle.onretry() }, t("Try again"));
    this.problem.replaceChildren(h("p", {}, sentence), ...(mayRetry ? [retry] : []));
    this.problem.hidden = false;
    (mayRetry ? retry : this.endButton).focus();
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.form.clear();
    this.box.close();
    this.box.remove();
    const back = this.focusedBefore?.isConnected ? this.focusedBefore : document.getElementById("draft");
    back.focus();
  }
}

const SPEAKER = { user: t("You: "), assistant: t("Assistant: "), program: "Ghostpad: " };

function button(name, label, onclick, attributes = {}) {
  return h("button", { type: "button", class: "voice-button", onclick, ...attributes }, icon(name), h("span", {}, label));
}

function loadStyle() {
  const href = new URL("voice.css", import.meta.url).pathname;
  if (!document.querySelector(`link[href="${href}"]`)) document.head.append(h("link", { rel: "stylesheet", href }));
}
