// Talking: joins the microphone, the loudspeaker, the connection and the view. Loaded with the first click.

import { get, path, post } from "../api.js";
import { confirmDialog } from "../dialog.js";
import { emit, state } from "../state.js";
import { locale, t } from "../words.js";
import { MicrophoneFault, openAudio } from "./audio.js";
import { BrowserHears, BrowserSpeaks, canHear, canSpeak } from "./browser_speech.js";
import { Connection } from "./connection.js";
import { View } from "./view.js";

/** A level below this is silence. */
const QUIET = 0.02;

/** Opens the voice view in the open conversation, or in a new one. */
export async function talk() {
  if (document.querySelector("dialog.voice")) return;
  if (!state.conversation) {
    const { id } = await post("/conversations", state.newTemporary ? { temporary: true } : {});
    location.hash = `#/${id}`;
    emit("conversations");
    await new Talk(id).start();
  } else {
    await new Talk(state.conversation.id).start();
  }
}

/** A tool asks to go on by voice: the person decides. */
export async function offer() {
  const text = t("The assistant suggests to go on by voice. Your browser will ask for the microphone.");
  if (!(await confirmDialog(t("Go on by voice?"), text, t("Talk"), t("Not now")))) return;
  // The answer that offered it ends first.
  for (let waits = 0; state.running && waits < 300; waits += 1) await new Promise((next) => setTimeout(next, 100));
  await talk();
}

class Talk {
  constructor(conversation) {
    this.conversation = conversation;
    this.view = new View({
      onmute: (muted) => this.mute(muted),
      onstop: () => this.connection?.send({ type: "stop" }),
      onend: () => this.end(),
      onanswer: (request, answer) => this.connection?.send({ type: "answer", request, answer }),
      onretry: () => this.start(),
      onform: (tool) => this.connection?.send({ type: "form", tool }),
      onformedit: (form, answers) => this.connection?.send({ type: "form_edit", form, answers }),
      onformanswer: (form, action, content) => this.connection?.send({ type: "form_answer", form, action, content }),
      onformsend: (form, target, params) => this.connection?.send({ type: "form_send", form, target, params }),
    });
    this.onvisible = () => this.visible();
    document.addEventListener("visibilitychange", this.onvisible);
  }

  async start() {
    this.view.status("connecting");
    try {
      const server = await get("/voice");
      this.sides = choose(server);
      await this.openSound(server);
      this.connect();
      this.offerForms();
    } catch (fault) {
      this.stopSound();
      const sentence = fault.fix ? `${fault.message}. ${fault.fix}` : fault.message;
      this.view.fail(sentence, fault instanceof MicrophoneFault || fault.status === 0);
    }
  }

  async openSound({ inputRate, outputRate, languages: [language] }) {
    const { hears, speaks } = this.sides;
    if (hears === "server" || speaks === "server") {
      this.audio = await openAudio({
        inputRate,
        outputRate,
        withMicrophone: hears === "server",
        onpiece: ({ pcm, level }) => this.piece(pcm, level),
        onplayed: (report) => this.played(report),
        onlost: (fault) => this.view.note(fault ? fault.message : t("The microphone changed.")),
      });
    }
    if (hears === "browser") {
      this.hears = new BrowserHears(language, {
        onwords: (text, final) => this.connection?.send({ type: "heard", text, final }),
        onfault: (sentence) => this.fail({ message: sentence }),
      });
    }
    if (speaks === "browser") {
      const onplayed = (utterance, samples) => this.played({ utterance, played: samples });
      this.speaks = new BrowserSpeaks(language, { onplayed });
    }
    this.view.hint(hears === "browser" || !this.audio?.hasHeadphones, hears === "browser");
  }

  /** The forms of the tools here; a person can begin one. Without the list, everything else works. */
  async offerForms() {
    const found = await get(path`/features?conversation=${this.conversation}`).catch(() => []);
    const isForm = ({ feature, available }) => available !== false && feature.layout?.components?.length;
    this.view.offer(found.filter(isForm).map(({ tool, feature }) => ({ tool, label: feature.label ?? tool })));
  }

  connect() {
    const url = new URL(path`/api/conversations/${this.conversation}/voice`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const hello = { ...this.sides, utc_offset: -new Date().getTimezoneOffset() };
    this.connection = new Connection(url, hello, {
      onevent: (event) => this.event(event),
      onaudio: (utterance, samples) => this.audio.send({ do: "audio", utterance, samples }, samples),
      onstate: (status) => this.connected(status),
      onend: (error) => (error ? this.fail(error) : this.close()),
    });
  }

  connected(status) {
    this.view.status(status === "open" ? "listening" : "reconnecting");
    if (status === "open" && this.muted) this.connection.send({ type: "mute", muted: true });
  }

  piece(pcm, level) {
    if (this.muted) return;
    this.view.level(level < QUIET ? 0 : level);
    this.connection?.sendAudio(pcm);
  }

  played({ utterance, played, held }) {
    if (held !== undefined) return;
    this.connection?.send({ type: "played", utterance, samples: played, seen: this.connection.seen });
  }

  event(event) {
    const { type, utterance } = event;
    if (type === "speak") return this.speaks?.add(event);
    if (["play", "pause", "resume", "cut"].includes(type)) {
      if (this.speaks) return this.speaks[type === "resume" ? "play" : type](utterance);
      return this.audio.send({ ...event, do: type });
    }
    if (type === "tone") return this.audio?.send({ do: "beep" });
    return this.view.event(event);
  }

  mute(muted) {
    this.muted = muted;
    this.audio?.mute(muted);
    this.hears?.mute(muted);
    this.view.level(0);
    this.connection?.send({ type: "mute", muted });
  }

  /** A phone that slept, or a tab that was hidden, may have lost its sound and its connection. */
  visible() {
    if (document.visibilityState !== "visible") return;
    this.audio?.context.resume();
    this.connection?.wake();
  }

  end() {
    if (!this.connection || this.connection.isOver) return this.close();
    this.connection.send({ type: "end" });
    // The server says when it is over; nobody waits for one that is gone.
    this.leaving ??= setTimeout(() => this.close(), 2000);
    return undefined;
  }

  fail({ message, fix = "", until }) {
    this.stopSound();
    this.connection?.close();
    const time = until && new Date(until).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
    this.view.fail(time ? t("{message}, until {time}.", { message, time }) : [message, fix].filter(Boolean).join(". "), !until);
    this.refresh();
  }

  stopSound() {
    for (const part of [this.audio, this.hears, this.speaks]) part?.close();
    this.audio = this.hears = this.speaks = null;
  }

  close() {
    clearTimeout(this.leaving);
    document.removeEventListener("visibilitychange", this.onvisible);
    this.stopSound();
    this.connection?.close();
    this.view.close();
    this.refresh();
  }

  /** The conversation has what was said and heard. */
  refresh() {
    emit("stale");
    emit("conversations");
  }
}

/** Who hears and who speaks: the server if it can, else this browser. */
function choose({ road, hears, speaks }) {
  if (!road.ready) throw Object.assign(new Error(road.name), { fix: road.fix });
  const side = (part, browserCan) => (part.ready ? "server" : browserCan ? "browser" : null);
  const chosen = { hears: side(hears, canHear), speaks: side(speaks, canSpeak) };
  const missing = chosen.hears ? (chosen.speaks ? null : speaks) : hears;
  if (!missing) return chosen;
  const fix = t("This browser cannot do it either: use Chrome, Edge or Safari, or {fix}", { fix: missing.fix });
  throw Object.assign(new Error(missing.name), { fix });
}
