// Runs on the audio thread: the microphone as 16-bit samples at the rate of the server, in pieces of 20 ms.

/** A windowed sinc, so that nothing above half of the lower rate is folded into speech. */
function lowPass(taps, cutoff) {
  const middle = (taps - 1) / 2;
  const weights = Array.from({ length: taps }, (_, index) => {
    const x = index - middle;
    const sinc = x === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * x) / (Math.PI * x);
    return sinc * (0.54 - 0.46 * Math.cos((2 * Math.PI * index) / (taps - 1)));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

class Microphone extends AudioWorkletProcessor {
  constructor({ processorOptions: { rate } }) {
    super();
    this.step = sampleRate / rate;
    this.weights = lowPass(63, Math.min(0.5, (0.45 * rate) / sampleRate));
    this.recent = new Float32Array(this.weights.length - 1);
    this.at = 0; // the place of the next sample, in samples of this context
    this.piece = new Int16Array(rate / 50);
    this.filled = 0;
    this.loudest = 0;
  }

  process([[input]]) {
    if (!input) return true;
    const all = new Float32Array(this.recent.length + input.length);
    all.set(this.recent);
    all.set(input, this.recent.length);
    while (this.at + 1 < input.length) {
      const base = Math.floor(this.at);
      const share = this.at - base;
      this.add(this.filtered(all, base) * (1 - share) + this.filtered(all, base + 1) * share);
      this.at += this.step;
    }
    this.at -= input.length;
    this.recent = all.slice(input.length);
    return true;
  }

  filtered(all, at) {
    // The last sample of a block has its neighbour in the next one.
    let sum = 0;
    for (let tap = 0; tap < this.weights.length; tap += 1) sum += (all[at + tap] ?? 0) * this.weights[tap];
    return sum;
  }

  add(value) {
    const sample = Math.max(-1, Math.min(1, value));
    this.loudest = Math.max(this.loudest, Math.abs(sample));
    this.piece[this.filled] = Math.round(sample * 32767);
    this.filled += 1;
    if (this.filled < this.piece.length) return;
    const { buffer } = this.piece.slice();
    this.port.postMessage({ pcm: buffer, level: this.loudest }, [buffer]);
    this.filled = 0;
    this.loudest = 0;
  }
}

registerProcessor("microphone", Microphone);
