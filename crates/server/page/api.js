// Calls the server. Every failure is a Fault with a readable message.

import { language, t } from "./words.js";

export class Fault extends Error {
  constructor(status, { code = "", message = "", fix = "" } = {}) {
    super(message || t("the server answered {status}", { status: String(status) }));
    this.status = status;
    this.code = code;
    this.fix = fix;
  }
}

/** Sends one request below `/api`; returns the JSON answer, or null if it is empty. */
export async function call(method, path, body) {
  const options = { method, headers: { Accept: "application/json" }, credentials: "same-origin" };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(`/api${path}`, options);
  } catch {
    throw new Fault(0, { message: t("cannot reach the server"), fix: t("Is `ghosthand serve` running?") });
  }
  const text = await answer.text();
  const json = parse(text);
  if (!answer.ok) throw await faultOf(answer.status, json?.error ?? { message: text.slice(0, 200) });
  return json;
}

/** The fault in the language of the person. */
export async function faultOf(status, error) {
  if (language === "en") return new Fault(status, error);
  const words = await import("./faults.js").catch(() => null);
  return new Fault(status, words ? words.inWords(error) : error);
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);
export const put = (path, body) => call("PUT", path, body);
export const patch = (path, body) => call("PATCH", path, body);
export const remove = (path) => call("DELETE", path);

/** Builds a path with encoded parts: path`/tools/${id}/run`. */
export function path(pieces, ...values) {
  return pieces.reduce((whole, piece, index) => whole + encodeURIComponent(values[index - 1]) + piece);
}

function parse(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
