// The event stream of one conversation over fetch: it resumes where it was cut.

const WAIT_MIN = 500;
const WAIT_MAX = 15000;

/**
 * Reads `path` until `stop()`. `onevent({type, data, id})` gets each event once, in order;
 * `onstate` gets "open", "lost" or "gone" (the server does not want us any more).
 */
export function follow(path, { last, onevent, onstate }) {
  const control = new AbortController();
  const place = { last, wait: WAIT_MIN };
  loop(path, place, control.signal, onevent, onstate);
  return { stop: () => control.abort() };
}

async function loop(path, place, signal, onevent, onstate) {
  while (!signal.aborted) {
    try {
      const headers = { Accept: "text/event-stream" };
      if (place.last !== undefined && place.last !== null) headers["Last-Event-ID"] = String(place.last);
      const answer = await fetch(path, { headers, signal, cache: "no-store" });
      if ([401, 403, 404, 410].includes(answer.status)) return onstate("gone");
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      onstate("open");
      await read(answer.body, place, signal, onevent);
    } catch {
      // The next round tries again; an abort ends the loop.
    }
    if (signal.aborted) return undefined;
    onstate("lost");
    await pause(place.wait * (0.75 + Math.random() / 2), signal);
    place.wait = Math.min(place.wait * 2, WAIT_MAX);
  }
  return undefined;
}

async function read(body, place, signal, onevent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done || signal.aborted) return;
    place.wait = WAIT_MIN;
    const blocks = (rest + value).replace(/\r\n?/g, "\n").split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) dispatch(block, place, onevent);
  }
}

function dispatch(block, place, onevent) {
  const event = { type: "message", id: null, data: [] };
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (field === "data") event.data.push(value);
    else if (field === "event") event.type = value;
    else if (field === "id") event.id = value;
  }
  if (event.id !== null) place.last = event.id;
  if (!event.data.length) return;
  try {
    onevent({ type: event.type, id: event.id, data: JSON.parse(event.data.join("\n")) });
  } catch (fault) {
    console.error("an event could not be shown", event.type, fault);
  }
}

/** Waits, but not longer than until the machine is online again. */
function pause(milliseconds, signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    const now = () => (clearTimeout(timer), done());
    addEventListener("online", now, { once: true });
    signal.addEventListener("abort", now, { once: true });
  });
}
