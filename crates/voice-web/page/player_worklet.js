// Runs on the audio thread: plays utterances one at a time, and counts the samples that were played.
//
// In: audio, play, pause, resume, cut, tone. Out: `played` with the number of samples, ten times a second, at the
// end of what is there, and when a pause has become silence. Must hold: what is paused is silent within the fade.

const REPORTS_PER_SECOND = 10;
/** Shorter than what the server allows: its message takes time, too. */
const FADE_MS_MAX = 60;
const TONE_HERTZ = 660;
const TONE_SECONDS = 0.12;
const TONE_LOUDNESS = 0.08;

class Player extends AudioWorkletProcessor {
  constructor({ processorOptions: { rate } }) {
    super();
    this.step = rate / sampleRate;
    this.tracks = new Map(); // utterance → {pieces, first, total, at, reported}
    this.playing = null;
    this.gain = 1;
    this.fade = 0; // change of the gain for each sample
    this.pausedAt = null; // the frame at which a pause arrived
    this.tone = 0; // samples of the tone that are left
    this.untilReport = 0;
    this.port.onmessage = ({ data }) => this[data.do](data);
  }

  audio({ utterance, samples }) {
    if (this.gone?.has(utterance)) return; // it was cut while its audio was on its way
    const track = this.track(utterance);
    track.pieces.push(new Int16Array(samples));
    track.total += track.pieces.at(-1).length;
  }

  track(utterance) {
    if (!this.tracks.has(utterance))
      this.tracks.set(utterance, { pieces: [], first: 0, total: 0, at: 0, reported: -1 });
    return this.tracks.get(utterance);
  }

  play({ utterance }) {
    this.track(utterance);
    this.playing = utterance;
    this.gain = 1;
    this.fade = 0;
    this.pausedAt = null;
  }

  resume(message) {
    this.play(message);
    this.gain = 0;
    this.fade = 1 / (0.02 * sampleRate);
  }

  pause({ utterance, fade_ms }) {
    if (this.playing !== utterance) return this.report(utterance);
    const track = this.tracks.get(utterance);
    this.pausedAt = currentFrame;
    if (track.at >= track.total) return this.hold(0);
    this.fade = -1 / Math.max(1, Math.floor((Math.min(fade_ms, FADE_MS_MAX) / 1000) * sampleRate));
    return undefined;
  }

  cut({ utterance }) {
    this.tracks.delete(utterance);
    (this.gone ??= new Set()).add(utterance);
    if (this.playing === utterance) this.playing = null;
  }

  beep() {
    this.tone = Math.floor(TONE_SECONDS * sampleRate);
  }

  report(utterance) {
    const track = this.tracks.get(utterance);
    if (!track) return;
    const samples = Math.min(Math.floor(track.at), track.total);
    if (samples === track.reported) return;
    track.reported = samples;
    this.port.postMessage({ played: samples, utterance });
  }

  /** The next sample, between two of the track. */
  next(track) {
    while (track.pieces.length && track.at >= track.first + track.pieces[0].length && track.pieces.length > 1) {
      track.first += track.pieces[0].length;
      track.pieces.shift();
    }
    const [piece, following] = track.pieces;
    const place = track.at - track.first;
    const index = Math.floor(place);
    const here = piece[index];
    const there = piece[index + 1] ?? following?.[0] ?? here;
    track.at += this.step;
    return (here + (there - here) * (place - index)) / 32768;
  }

  process(_inputs, [[output]]) {
    const track = this.playing === null ? null : this.tracks.get(this.playing);
    for (let index = 0; index < output.length; index += 1) {
      output[index] = track && this.playing !== null ? this.sample(track, index) : 0;
      if (this.tone > 0) {
        const share = this.tone / (TONE_SECONDS * sampleRate);
        output[index] += Math.sin((2 * Math.PI * TONE_HERTZ * this.tone) / sampleRate) * TONE_LOUDNESS * share;
        this.tone -= 1;
      }
    }
    if (track && this.playing !== null) {
      this.untilReport -= output.length;
      const isOver = track.at >= track.total;
      if (this.untilReport <= 0 || isOver) {
        this.untilReport = sampleRate / REPORTS_PER_SECOND;
        this.report(this.playing);
      }
    }
    return true;
  }

  sample(track, index) {
    if (track.at >= track.total) return 0;
    this.gain = Math.min(1, Math.max(0, this.gain + this.fade));
    if (this.gain === 0 && this.fade < 0) {
      this.hold(index);
      return 0;
    }
    return this.next(track) * this.gain;
  }

  /** The fade is over: the rest waits, and the position is reported. */
  hold(index) {
    const utterance = this.playing;
    this.playing = null;
    this.tracks.get(utterance).reported = -1;
    this.report(utterance);
    this.port.postMessage({ held: utterance, from: this.pausedAt, to: currentFrame + index, rate: sampleRate });
  }
}

registerProcessor("player", Player);
