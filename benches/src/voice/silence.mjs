// Talks with the page in Chromium and interrupts it again and again. Prints, as JSON, milliseconds of each
// interruption: `speech` (from the first sound at the microphone to silence), `order` (from the server's order to
// pause, as it reaches the page, to silence), `fade` (on the audio clock). Silence is when the page's own player
// reports it from the audio thread; that report's way to the page counts, too.
// Arguments: the address of the server, how many interruptions, how many seconds they may take.

import { inChromium } from "../page/chromium.mjs";

const [address, count, seconds] = process.argv.slice(2);

await inChromium(["--autoplay-policy=no-user-gesture-required"], async (tab) => {
  await tab.call("Page.enable");
  await tab.call("Page.addScriptToEvaluateOnNewDocument", { source: `(${prepared})()` });
  await tab.call("Page.navigate", { url: address });
  await tab.until("document.querySelector('.welcome') !== null");
  await tab.evaluate("document.getElementById('talk').click()");
  await tab.until("document.querySelector('.voice[data-phase=listening]') !== null");
  const samples = await tab.evaluate(`(${interrupts})(${count}, ${seconds})`);
  console.log(JSON.stringify(samples));
});
process.exit(0);

/** In the page before it runs: a person at the microphone, and a look at what the page gets and plays. */
function prepared() {
  const person = (window.person = { order: null, silent: null, resumed: null, speaking: false });
  navigator.mediaDevices.getUserMedia = async () => {
    person.mouth = new AudioContext();
    await person.mouth.resume();
    person.stream = person.mouth.createMediaStreamDestination();
    return person.stream.stream;
  };
  // The detector takes a steady tone for speech.
  person.speaks = (ms) => {
    const tone = new OscillatorNode(person.mouth, { frequency: 220 });
    tone.connect(new GainNode(person.mouth, { gain: 0.4 })).connect(person.stream);
    tone.start();
    tone.stop(person.mouth.currentTime + ms / 1000);
    return performance.now();
  };
  const Worklet = AudioWorkletNode;
  window.AudioWorkletNode = class extends Worklet {
    constructor(...args) {
      super(...args);
      this.port.addEventListener("message", ({ data }) => {
        if (data?.held === undefined) return;
        person.silent = { at: performance.now(), fade: ((data.to - data.from) * 1000) / data.rate };
      });
    }
  };
  const Socket = WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", ({ data }) => {
        if (typeof data !== "string") return;
        const { type } = JSON.parse(data);
        if (type === "pause") person.order = performance.now();
        if (type === "resume") person.resumed = performance.now();
        if (type === "play") person.plays = performance.now();
      });
    }
  };
}

/** In the page: asks for an answer when there is none, and makes a short noise into it. */
async function interrupts(count, seconds) {
  const { person } = window;
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const end = performance.now() + seconds * 1000;
  const until = async (isSo, ms) => {
    const last = Math.min(end, performance.now() + ms);
    while (!isSo() && performance.now() < last) await pause(5);
    return isSo();
  };
  const speaking = () => document.querySelector(".voice[data-phase=speaking]") !== null;
  const found = [];
  while (found.length < count && performance.now() < end) {
    if (!speaking()) {
      person.speaks(900);
      await until(speaking, 10000);
      await pause(700);
      continue;
    }
    Object.assign(person, { order: null, silent: null, resumed: null });
    const spoke = person.speaks(150);
    if (!(await until(() => person.silent && person.order, 3000))) continue;
    const { at, fade } = person.silent;
    found.push({ speech: at - spoke, order: at - person.order, fade });
    await until(() => person.resumed, 5000);
    await pause(200 + 100 * Math.random());
  }
  return found;
}
