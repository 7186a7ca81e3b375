// The WebSocket to the server. A lost connection is opened again, and goes on with the same session.

import { t } from "../words.js";

const ALIVE_MS = 8000;
const SILENCE_MS = 30000;
const WAITS_MS = [0, 500, 1000, 2000, 4000];
/** Audio that the network does not take is thrown away, as on a phone. */
const BUFFERED_MAX = 64000;

export class Connection {
  /** `handle` has onevent, onaudio, onstate ("open" or "lost") and onend (with the last error, if any). */
  constructor(url, hello, handle) {
    Object.assign(this, { url, hello, handle, session: null, seen: 0, attempts: 0, isOver: false });
    this.timer = setInterval(() => this.beat(), ALIVE_MS);
    this.open();
  }

  open() {
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.heardAt = performance.now();
    const isOurs = () => this.socket === socket && !this.isOver;
    socket.onopen = () => {
      const resume = this.session ? { session: this.session, seen: this.seen } : undefined;
      socket.send(JSON.stringify({ type: "hello", version: 1, ...this.hello, resume }));
      if (resume && isOurs()) this.handle.onstate("open");
    };
    socket.onmessage = ({ data }) => isOurs() && this.take(data);
    socket.onclose = () => isOurs() && this.lost();
  }

  take(data) {
    this.heardAt = performance.now();
    if (typeof data !== "string") {
      const head = new DataView(data, 0, 8);
      if (!this.isNew(head.getUint32(0, true))) return;
      this.handle.onaudio(head.getUint32(4, true), data.slice(8));
      return;
    }
    const event = JSON.parse(data);
    if (event.type === "error") return this.finish(event);
    if (event.type === "alive" || !this.isNew(event.seq)) return;
    this.attempts = 0;
    if (event.type === "ready") {
      this.session = event.session;
      this.resumeMs = event.resume_seconds * 1000;
      this.handle.onstate("open");
    }
    this.handle.onevent(event);
    if (event.type === "ended") this.finish(null);
  }

  /** A message counts once, also if it comes again after a lost connection. */
  isNew(seq) {
    if (seq <= this.seen) return false;
    this.seen = seq;
    return true;
  }

  lost() {
    if (!this.session) {
      return this.finish({ message: t("The connection to the server failed"), fix: t("Is `ghosthand serve` running?") });
    }
    this.lostAt ??= performance.now();
    if (this.attempts > 0 && performance.now() - this.lostAt > this.resumeMs) {
      return this.finish({ message: t("The connection was lost"), fix: t("What was said is in the conversation.") });
    }
    this.handle.onstate("lost");
    const wait = WAITS_MS[Math.min(this.attempts, WAITS_MS.length - 1)];
    this.attempts += 1;
    this.retry = setTimeout(() => this.open(), wait);
    return undefined;
  }

  /** After a pause of the page: looks whether the connection lives, and opens it again if not. */
  wake() {
    if (this.isOver || this.socket.readyState !== WebSocket.CLOSED) return this.beat();
    clearTimeout(this.retry);
    return this.open();
  }

  beat() {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.lostAt = null;
    if (performance.now() - this.heardAt > SILENCE_MS) this.socket.close();
    else this.send({ type: "alive", seen: this.seen });
  }

  send(event) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(event));
  }

  sendAudio(buffer) {
    if (this.socket.readyState === WebSocket.OPEN && this.socket.bufferedAmount < BUFFERED_MAX) this.socket.send(buffer);
  }

  finish(error) {
    if (this.isOver) return;
    this.close();
    this.handle.onend(error);
  }

  close() {
    this.isOver = true;
    clearInterval(this.timer);
    clearTimeout(this.retry);
    this.socket.close();
  }
}
