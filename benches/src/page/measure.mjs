// Opens a long conversation in Chromium and prints, as JSON, milliseconds: `opened` (from the click to the
// last message), `key` (a keystroke in the message field), `frame` (the 95th percentile while scrolling).
// Arguments: the address of the server, the number of messages, how often "Show earlier" is pressed.

import { inChromium } from "./chromium.mjs";

const [address, messages, earlier] = process.argv.slice(2);
await inChromium([], async (tab) => {
  await tab.call("Page.navigate", { url: address });
  await tab.until("document.querySelector('.welcome') !== null");
  const id = await tab.evaluate(`(${imported})(${messages})`);
  const opened = await tab.evaluate(`(${opens})(${JSON.stringify(id)}, ${messages})`);
  for (let press = 0; press < Number(earlier); press += 1) {
    const before = await tab.evaluate("log.querySelectorAll('.entry').length");
    await tab.evaluate("log.querySelector('.earlier-entries button')?.click()");
    await tab.until(`log.querySelectorAll('.entry').length > ${before} || !log.querySelector('.earlier-entries')`);
  }
  const entries = await tab.evaluate("log.querySelectorAll('.entry').length");
  const key = await tab.evaluate(`(${types})()`);
  const frame = await tab.evaluate(`(${scrolls})()`);
  console.log(JSON.stringify({ opened, entries, key, frame }));
});
process.exit(0);

/** In the page: makes the conversation. */
async function imported(count) {
  const text = "A paragraph with **bold** words, `code` and a [link](https://example.com) in it.\n\n- one\n- two\n";
  const entries = Array.from({ length: count / 2 }, (_, at) => [
    { entry: "user", turn: at + 1, text: `Question ${at + 1}` },
    { entry: "assistant", turn: at + 1, text: `Answer ${at + 1}. ${text}` },
  ]).flat();
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ title: "Long", entries }) };
  return (await (await fetch("/api/conversations/import", options)).json()).id;
}

/** In the page: opens it. */
async function opens(id, count) {
  const start = performance.now();
  location.hash = `#/${id}`;
  const last = `Answer ${count / 2}.`;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  while (!document.getElementById("log").lastElementChild?.textContent.includes(last)) await frame();
  await frame();
  return performance.now() - start;
}

/** In the page: the median of twenty keystrokes, each with its layout. */
async function types() {
  const draft = document.getElementById("draft");
  draft.focus();
  const took = [];
  for (let key = 0; key < 20; key += 1) {
    const start = performance.now();
    document.execCommand("insertText", false, "a");
    document.body.getBoundingClientRect();
    took.push(performance.now() - start);
    await new Promise((done) => requestAnimationFrame(done));
  }
  return took.sort((one, other) => one - other)[10];
}

/** In the page: scrolls through the log. */
async function scrolls() {
  const log = document.getElementById("log");
  log.scrollTop = 0;
  const frames = [];
  let before = await new Promise((done) => requestAnimationFrame(done));
  for (let step = 0; step < 120; step += 1) {
    log.scrollTop += 400;
    const now = await new Promise((done) => requestAnimationFrame(done));
    frames.push(now - before);
    before = now;
  }
  return frames.sort((one, other) => one - other)[Math.floor(frames.length * 0.95)];
}
