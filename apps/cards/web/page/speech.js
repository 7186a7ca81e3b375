// Plays how a word or a sentence sounds, where a speech server is set up.

import { Fault } from "../api.js";
import { showError } from "../dom.js";
import { state } from "./run.js";

export const speaks = () => state.info?.speech === true;

let context = null;
let playing = null;

/** The word of a card, or one of its sentences. */
export async function play(card, sentence = null) {
  if (!speaks()) return;
  const query = new URLSearchParams({ card: card.key });
  if (sentence !== null) query.set("context", sentence);
  try {
    const answer = await fetch(`/api/cards/speech?${query}`, { credentials: "same-origin" });
    if (!answer.ok) throw new Fault(answer.status, (await answer.json().catch(() => null))?.error);
    context ??= new AudioContext();
    const buffer = await context.decodeAudioData(await answer.arrayBuffer());
    playing?.stop();
    playing = new AudioBufferSourceNode(context, { buffer });
    playing.connect(context.destination);
    playing.start();
  } catch (fault) {
    showError({ message: fault.message, fix: fault.fix });
  }
}
