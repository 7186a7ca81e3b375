// Chromium over the DevTools protocol, for the scripts that measure the page.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs `work` with a tab of a browser of its own, which ends with it. */
export async function inChromium(more, work) {
  const folder = mkdtempSync(join(tmpdir(), "page-speed-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1440,900", "--remote-debugging-port=0", ...more];
  const chromium = spawn("chromium", [...flags, `--user-data-dir=${folder}`, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
  try {
    await work(await connect(await listening(chromium)));
  } finally {
    chromium.kill();
    await new Promise((gone) => chromium.once("exit", gone));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The address that Chromium prints. */
function listening({ stderr }) {
  return new Promise((found) => {
    let said = "";
    stderr.on("data", (data) => {
      said += data;
      const [, at] = /DevTools listening on (ws:\S+)/.exec(said) ?? [];
      if (at) found(at);
    });
  });
}

/** A tab over the DevTools protocol. */
async function connect(at) {
  const list = await (await fetch(`http://${new URL(at).host}/json/list`)).json();
  const socket = new WebSocket(list.find(({ type }) => type === "page").webSocketDebuggerUrl);
  await new Promise((done) => socket.addEventListener("open", done));
  const waiting = new Map();
  let last = 0;
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    const { done, fail } = waiting.get(id) ?? {};
    if (error) fail?.(new Error(error.message));
    else done?.(result);
  });
  const call = (method, params = {}) =>
    new Promise((done, fail) => {
      waiting.set((last += 1), { done, fail });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  const until = async (expression) => {
    while (!(await evaluate(`Boolean(${expression})`))) await new Promise((done) => setTimeout(done, 20));
  };
  return { call, evaluate, until };
}
