// The microphone and the loudspeaker of this device. Asks for permission; follows devices that come and go.

import { t } from "../words.js";

/** What went wrong with the microphone, in words for people. */
export class MicrophoneFault extends Error {}

const REASONS = {
  NotAllowedError: t("The microphone is blocked. Allow it for this page in the browser's settings, then try again."),
  NotFoundError: t("There is no microphone. Connect one, then try again."),
  NotReadableError: t("Another program is using the microphone. Close it, then try again."),
};

const WANTED = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true };

/** Must be called from a click, or the browser keeps the sound off. */
export async function openAudio({ inputRate, outputRate, onpiece, onplayed, onlost, withMicrophone }) {
  const context = new AudioContext({ latencyHint: "interactive" });
  try {
    await Promise.all([
      context.audioWorklet.addModule(new URL("player_worklet.js", import.meta.url)),
      context.audioWorklet.addModule(new URL("microphone_worklet.js", import.meta.url)),
    ]);
    const player = new AudioWorkletNode(context, "player", {
      numberOfInputs: 0,
      outputChannelCount: [1],
      processorOptions: { rate: outputRate },
    });
    player.port.onmessage = ({ data }) => onplayed(data);
    player.connect(context.destination);
    const audio = new Audio(context, player, { inputRate, onpiece, onlost });
    if (withMicrophone) await audio.listen();
    await context.resume();
    return audio;
  } catch (fault) {
    context.close();
    throw fault;
  }
}

class Audio {
  constructor(context, player, { inputRate, onpiece, onlost }) {
    Object.assign(this, { context, player, inputRate, onpiece, onlost, stream: null, source: null, isMuted: false });
    this.onchange = () => this.isDeaf && this.listenAgain();
    navigator.mediaDevices?.addEventListener("devicechange", this.onchange);
  }

  async listen() {
    if (!navigator.mediaDevices) {
      throw new MicrophoneFault(t("This browser gives the microphone only to pages from https or from this machine."));
    }
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ audio: WANTED });
    } catch (fault) {
      throw new MicrophoneFault(REASONS[fault.name] ?? t("The microphone does not start: {fault}", { fault: fault.message }));
    }
    const [track] = this.stream.getAudioTracks();
    track.addEventListener("ended", this.onchange);
    this.source?.disconnect();
    this.source = this.context.createMediaStreamSource(this.stream);
    this.node ??= this.microphoneNode();
    this.source.connect(this.node);
    this.mute(this.isMuted);
  }

  /** Whether there was a microphone, and it is gone. */
  get isDeaf() {
    return this.source !== null && this.stream?.getAudioTracks()[0]?.readyState !== "live";
  }

  microphoneNode() {
    const node = new AudioWorkletNode(this.context, "microphone", {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: "explicit",
      processorOptions: { rate: this.inputRate },
    });
    node.port.onmessage = ({ data }) => this.onpiece(data);
    return node;
  }

  /** The device is gone: the system's next choice takes its place, at once or when there is one. */
  async listenAgain() {
    if (this.isSearching) return;
    this.isSearching = true;
    this.stream = null;
    try {
      await this.listen();
      this.onlost(null);
    } catch (fault) {
      this.onlost(fault);
    } finally {
      this.isSearching = false;
    }
  }

  /** Whether the person wears something that keeps our voice out of the microphone. */
  get hasHeadphones() {
    return /head|ear|airpod|buds/i.test(this.stream?.getAudioTracks()[0]?.label ?? "");
  }

  mute(muted) {
    this.isMuted = muted;
    for (const track of this.stream?.getAudioTracks() ?? []) track.enabled = !muted;
  }

  send(message, ...transfer) {
    this.player.port.postMessage(message, transfer);
  }

  close() {
    navigator.mediaDevices?.removeEventListener("devicechange", this.onchange);
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.context.close();
  }
}
