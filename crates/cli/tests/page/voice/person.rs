//! A person at the microphone of a page, and the tools that they may use by voice.

use std::rc::Rc;

use fake_providers::Turn;
use serde_json::json;

use crate::browser::Tab;
use crate::pad::{Pad, SHOWCASE};
use crate::program::repository;

use super::speech_server::SpeechServer;

/// Goes into the page before it runs.
pub(super) const PERSON: &str = include_str!("person.js");

/// A browser with speech of its own, played: the real one needs its maker's servers.
pub(super) const BROWSER_SPEECH: &str = include_str!("browser_speech.js");

/// Modules are for text only, unless somebody says otherwise.
pub(super) const VOICE_TOOLS: (&str, &str) =
    ("tools.toml", "[defaults]\nallowed_modes = [\"text\", \"voice\"]\n");

/// Everything by this server.
pub(super) fn settings(speech: &SpeechServer) -> String {
    format!(
        "[voice]\ntranscribe = \"speech:ears\"\nspeak = \"speech:mouth\"\n\n[providers.speech]\n\
         base_url = \"http://{}/v1\"\n",
        speech.address
    )
}

/// The files of a sample tool, with what it imports.
pub(super) fn sample_tool(name: &str) -> Vec<(String, String)> {
    let tools = repository().join("tools");
    let files = ["doc.md", "doc_summary.md", "handler.js", "schema.json"];
    let files = files.map(|file| format!("{name}/{file}"));
    let files = files.into_iter().chain(["_shared/refusal.js".to_owned()]);
    files.map(|file| (file.clone(), std::fs::read_to_string(tools.join(&file)).unwrap())).collect()
}

pub(super) fn modules(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect()
}

/// What `showcase_send` has done.
pub(super) fn sent(tab: &Tab) -> String {
    let list = "await (await fetch(`/api/kv/showcase-sent-${location.hash.slice(2)}/list`)).json()";
    tab.eval(&format!("({list}).items.join(',')")).as_str().unwrap().to_owned()
}

/// The person, at the microphone of a tab.
pub(super) struct Person {
    tab: Rc<Tab>,
    speech: SpeechServer,
}

/// A page on which somebody talks, with a tool that asks first. Every sentence that is spoken to
/// them lasts this long.
#[track_caller]
pub(super) fn talking(sentence_ms: u32) -> (Pad, Rc<Tab>, Person) {
    talking_with(&[SHOWCASE[0], VOICE_TOOLS], sentence_ms)
}

/// The same with these tools.
#[track_caller]
pub(super) fn talking_with(modules: &[(&str, &str)], sentence_ms: u32) -> (Pad, Rc<Tab>, Person) {
    let (pad, tab, speech) = silent(modules, sentence_ms);
    let person = Person::talks(&tab, speech);
    (pad, tab, person)
}

/// A page on which nobody talks yet; a person can take its microphone.
pub(super) fn silent(modules: &[(&str, &str)], sentence_ms: u32) -> (Pad, Rc<Tab>, SpeechServer) {
    let speech = SpeechServer::start(sentence_ms);
    let pad = Pad::set(modules, &settings(&speech));
    let tab = Rc::new(pad.tab_with(PERSON));
    (pad, tab, speech)
}

impl Person {
    /// Opens the voice view, with the person at its microphone.
    #[track_caller]
    pub(super) fn talks(tab: &Rc<Tab>, speech: SpeechServer) -> Self {
        tab.eval("person.takesMicrophone()");
        tab.click("#talk");
        tab.sees(".voice[data-phase=listening]");
        Self::at(tab, speech)
    }

    /// In a voice view that is open.
    pub(super) fn at(tab: &Rc<Tab>, speech: SpeechServer) -> Self {
        Self { tab: Rc::clone(tab), speech }
    }

    /// Speaks; the recogniser will have these words for it.
    #[track_caller]
    pub(super) fn says(&self, words: &str) {
        self.speech.hears(words);
        self.tab.eval("await person.speaks(800)");
    }

    /// Asks for a message to everybody; the model calls the tool, which needs a yes.
    #[track_caller]
    pub(super) fn asks_to_send(&self, pad: &Pad, text: &str) {
        pad.model.then(Turn::calls("showcase_send", json!({ "text": text })));
        self.says("tell everybody");
        self.tab.sees(&format!(".voice-ask >> {}", text.trim()));
    }

    #[track_caller]
    pub(super) fn hangs_up(&self) {
        self.tab.click(".voice-button.end");
        self.tab.misses("dialog.voice");
    }
}
