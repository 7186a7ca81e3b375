// A browser's speech services, played.
window.SpeechRecognition = window.webkitSpeechRecognition = class {
  start() {
    window.person.recognition = this;
  }
  abort() {
    this.onend?.();
  }
  says(transcript, isFinal) {
    const result = Object.assign([{ transcript }], { isFinal });
    this.onresult({ resultIndex: 0, results: [result] });
  }
};
Object.defineProperty(window, "speechSynthesis", {
  value: {
    speak: (utterance) => {
      window.person.spoken.push(utterance.text);
      setTimeout(() => utterance.onend?.(), 50);
    },
    cancel: () => {},
  },
});
