// The browser's own speech, for what the server cannot do: it writes down what is said, and it speaks.

import { t } from "../words.js";

const Recognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;

export const canHear = Boolean(Recognition);
export const canSpeak = Boolean(globalThis.speechSynthesis);

/** Listens until `close`. `onwords` gets the words so far, and whether they are final; `onfault` a sentence. */
export class BrowserHears {
  constructor(language, { onwords, onfault }) {
    Object.assign(this, { onwords, onfault, isOn: true, isSpeaking: false });
    this.recognition = new Recognition();
    Object.assign(this.recognition, { lang: language, continuous: true, interimResults: true });
    this.recognition.onresult = (event) => this.result(event);
    this.recognition.onerror = ({ error }) => this.fault(error);
    // Browsers stop after a while of silence.
    this.recognition.onend = () => {
      this.finish("");
      if (this.isOn) this.recognition.start();
    };
    this.recognition.start();
  }

  result({ results, resultIndex }) {
    for (let index = resultIndex; index < results.length; index += 1) {
      const words = results[index][0].transcript.trim();
      if (results[index].isFinal) this.finish(words);
      else if (words) {
        this.isSpeaking = true;
        this.onwords(words, false);
      }
    }
  }

  finish(words) {
    if (!words && !this.isSpeaking) return;
    this.isSpeaking = false;
    this.onwords(words, true);
  }

  fault(error) {
    if (error === "no-speech" || error === "aborted") return;
    this.isOn = false;
    this.onfault(
      error === "not-allowed"
        ? t("The microphone is blocked. Allow it for this page in the browser's settings, then try again.")
        : t("The browser's speech recognition does not work here ({fault}).", { fault: error }),
    );
  }

  mute(muted) {
    this.isOn = !muted;
    if (muted) this.recognition.abort();
    else this.recognition.start();
  }

  close() {
    this.isOn = false;
    this.recognition.abort();
  }
}

/** Speaks utterances sentence by sentence; `onplayed` gets the place, in the samples that the server counts with. */
export class BrowserSpeaks {
  constructor(language, { onplayed }) {
    Object.assign(this, { language, onplayed, sentences: new Map(), playing: null, isHeld: false });
  }

  add({ utterance, text, samples }) {
    const track = this.track(utterance);
    track.sentences.push({ text, samples });
    if (this.playing === utterance && !this.current && !this.isHeld) this.next();
  }

  track(utterance) {
    if (!this.sentences.has(utterance)) this.sentences.set(utterance, { sentences: [], before: 0 });
    return this.sentences.get(utterance);
  }

  play(utterance) {
    this.track(utterance);
    this.playing = utterance;
    this.isHeld = false;
    if (!this.current) this.next();
  }

  next() {
    const [utterance, track] = [this.playing, this.sentences.get(this.playing)];
    const sentence = track?.sentences[0];
    if (!sentence) return;
    const spoken = new SpeechSynthesisUtterance(sentence.text);
    spoken.lang = this.language;
    this.current = spoken;
    spoken.onboundary = ({ charIndex }) => {
      const share = charIndex / Math.max(1, sentence.text.length);
      this.onplayed(utterance, track.before + Math.floor(sentence.samples * share));
    };
    spoken.onend = spoken.onerror = () => {
      if (this.current !== spoken) return;
      this.current = null;
      if (this.isHeld) return;
      track.sentences.shift();
      track.before += sentence.samples;
      this.onplayed(utterance, track.before);
      this.next();
    };
    speechSynthesis.speak(spoken);
  }

  /** The browser cannot go on within a sentence: a held one is said again. */
  pause() {
    this.isHeld = true;
    this.silence();
  }

  cut(utterance) {
    this.sentences.delete(utterance);
    if (this.playing !== utterance) return;
    this.playing = null;
    this.silence();
  }

  silence() {
    this.current = null;
    speechSynthesis.cancel();
  }

  close() {
    this.silence();
  }
}
