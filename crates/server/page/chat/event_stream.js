// Reads server-sent events over fetch; reconnects and resumes after the last event.

const WAIT_MIN = 500;
const WAIT_MAX = 15000;

/**
 * Reads `path` until `stop()`. `onevent({type, data, id})` gets each event once, in order;
 * `onstate` gets "open", "lost" or "gone" (the server refuses the stream).
 */
export function follow(path, { last, onevent, onstate }) {
  const control = new AbortController();
  const position = { last, wait: WAIT_MIN };
  loop(path, position, control.signal, onevent, onstate);
  return { stop: () => control.abort() };
}

async function loop(path, position, signal, onevent, onstate) {
  while (!signal.aborted) {
    try {
      const headers = { Accept: "text/event-stream" };
      if (position.last !== undefined && position.last !== null) headers["Last-Event-ID"] = String(position.last);
      const answer = await fetch(path, { headers, signal, cache: "no-store" });
      if ([401, 403, 404, 410].includes(answer.status)) return onstate("gone");
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      onstate("open");
      await read(answer.body, position, signal, onevent);
    } catch {
      // Try again below; an abort ends the loop.
    }
    if (signal.aborted) return undefined;
    onstate("lost");
    await pause(position.wait * (0.75 + Math.random() / 2), signal);
    position.wait = Math.min(position.wait * 2, WAIT_MAX);
  }
  return undefined;
}

async function read(body, position, signal, onevent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done || signal.aborted) return;
    position.wait = WAIT_MIN;
    const blocks = (rest + value).replace(/\r\n?/g, "\n").split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) dispatch(block, position, onevent);
  }
}

function dispatch(block, position, onevent) {
  const event = { type: "message", id: null, data: [] };
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (field === "data") event.data.push(value);
    else if (field === "event") event.type = value;
    else if (field === "id") event.id = value;
  }
  if (event.id !== null) position.last = event.id;
  if (!event.data.length) return;
  try {
    onevent({ type: event.type, id: event.id, data: JSON.parse(event.data.join("\n")) });
  } catch (fault) {
    console.error("failed to show an event", event.type, fault);
  }
}

/** Waits, or returns early when the machine is back online. */
function pause(milliseconds, signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    const now = () => (clearTimeout(timer), done());
    addEventListener("online", now, { once: true });
    signal.addEventListener("abort", now, { once: true });
  });
}
