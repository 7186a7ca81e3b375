// What a test adds to the page before it runs: a person at the microphone, and ears at the loudspeaker.
(() => {
  const person = (window.person = { sockets: [], held: [], spoken: [], recorder: null });

  // The microphone hears what the person makes. A test of the real one does not call this.
  person.takesMicrophone = () => {
    navigator.mediaDevices.getUserMedia = async () => {
      person.mouth ??= new AudioContext();
      await person.mouth.resume();
      person.stream = person.mouth.createMediaStreamDestination();
      return person.stream.stream;
    };
  };

  // The microphone is pulled out, and there is no other.
  person.losesMicrophone = () => {
    navigator.mediaDevices.getUserMedia = async () => {
      throw new DOMException("no such device", "NotFoundError");
    };
    const [track] = person.stream.stream.getAudioTracks();
    track.stop();
    track.dispatchEvent(new Event("ended"));
  };

  person.findsMicrophone = () => {
    person.takesMicrophone();
    navigator.mediaDevices.dispatchEvent(new Event("devicechange"));
  };

  // The tab is put away with its connection, and its timers stand still.
  person.looksAway = () => {
    const later = window.setTimeout;
    window.setTimeout = (work, ms) => later(work, ms + 3600000);
    person.sockets.at(-1).close();
    person.looksBack = () => {
      window.setTimeout = later;
      document.dispatchEvent(new Event("visibilitychange"));
    };
  };

  // The detector takes a steady tone for speech.
  person.speaks = (ms) =>
    new Promise((ended) => {
      const tone = new OscillatorNode(person.mouth, { frequency: 220 });
      const loudness = new GainNode(person.mouth, { gain: 0.4 });
      tone.connect(loudness).connect(person.stream);
      tone.onended = () => ended(true);
      tone.start();
      tone.stop(person.mouth.currentTime + ms / 1000);
    });

  // Everything that comes out is recorded too.
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (target, ...rest) {
    if (target === this.context.destination) {
      const ears = this.context.createMediaStreamDestination();
      connect.call(this, ears);
      const pieces = [];
      const recorder = new MediaRecorder(ears.stream, { mimeType: "audio/webm" });
      recorder.ondataavailable = ({ data }) => pieces.push(data);
      recorder.start();
      person.recorded = () =>
        new Promise((done) => {
          recorder.onstop = async () => {
            const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
            done(btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), "")));
          };
          recorder.stop();
        });
    }
    return connect.call(this, target, ...rest);
  };

  // When a pause became silence, by the clock of the sound.
  const Worklet = AudioWorkletNode;
  window.AudioWorkletNode = class extends Worklet {
    constructor(...args) {
      super(...args);
      this.port.addEventListener("message", ({ data }) => data?.held !== undefined && person.held.push(data));
    }
  };

  const Socket = WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...args) {
      super(...args);
      person.sockets.push(this);
    }
  };
})();
