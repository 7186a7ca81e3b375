//! Talking on the page with a speech model of a provider, by `voice.road`.

use fake_providers::{FakeVoice, VoiceStep, VoiceWire};
use serde_json::json;

use super::person::{PERSON, VOICE_TOOLS, sent};
use crate::pad::{Pad, SHOWCASE};

/// A page of a server with this speech model.
fn spoken(wire: VoiceWire, name: &str) -> (tokio::runtime::Runtime, FakeVoice, Pad) {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(1).enable_all().build().unwrap();
    let voice = runtime.block_on(FakeVoice::start(wire)).unwrap();
    let shape = if wire == VoiceWire::Gemini { "gemini" } else { "responses" };
    let settings = format!(
        "[voice]\nroad = \"talker:{name}\"\n\n[providers.talker]\nwire = \"{shape}\"\n\
         base_url = \"{}\"\nkey_env = \"FAKE_KEY\"\n",
        voice.base_url()
    );
    let pad = Pad::set(&[SHOWCASE[0], VOICE_TOOLS], &settings);
    (runtime, voice, pad)
}

#[test]
fn the_speech_model_of_the_settings_hears_and_speaks_on_the_page() {
    // Gemini's names may have dots.
    let roads = [
        (VoiceWire::Realtime, "gpt-realtime-2.1", "showcase_send"),
        (VoiceWire::Gemini, "gemini-live-of-tomorrow", "showcase.send"),
    ];
    for (wire, name, tool) in roads {
        let (_runtime, voice, pad) = spoken(wire, name);
        voice.hears(["tell everybody"]).script([
            VoiceStep::calls("call-1", tool, json!({ "text": "we start" })),
            VoiceStep::says("It is sent.", 900),
        ]);
        let tab = pad.tab_with(PERSON);
        tab.eval("person.takesMicrophone()");
        tab.click("#talk");
        tab.sees(".voice[data-phase=listening]");
        tab.eval("await person.speaks(800)");
        tab.sees(".voice-line.user:not(.interim) >> tell everybody");
        tab.sees(".voice-ask >> we start");
        tab.click(".voice-choices button >> Approve");
        tab.sees(".voice-tool[data-state=done] >> showcase");
        tab.sees(".voice-line.assistant:not(.interim) >> It is sent.");
        tab.click(".voice-button.end");
        tab.misses("dialog.voice");
        tab.sees("#log .assistant >> It is sent.");
        assert_eq!(sent(&tab), "we start", "{name}");
        tab.assert_quiet();
        voice.assert_used_up();
    }
}

#[test]
fn what_is_wrong_beside_a_speech_model_is_said_and_does_not_stop_the_server() {
    let settings = "[voice]\nroad = \"talker:gpt-realtime-2.1\"\ntranscribe = \"nobody:ears\"\n\n\
                    [providers.talker]\nwire = \"responses\"\nbase_url = \"http://127.0.0.1:9\"\n\
                    key_env = \"FAKE_KEY\"\n";
    let pad = Pad::set(&[SHOWCASE[0], VOICE_TOOLS], settings);
    let tab = pad.tab_with(PERSON);
    tab.eval("person.takesMicrophone()");
    tab.click("#talk");
    tab.sees(".voice >> nobody");
}

#[test]
fn a_speech_model_without_a_key_is_said_with_what_to_do() {
    let settings = "[voice]\nroad = \"talker:gpt-realtime-2.1\"\n\n[providers.talker]\n\
                    wire = \"responses\"\nbase_url = \"http://127.0.0.1:9\"\n\
                    key_env = \"NOBODY_SET_THIS_KEY\"\n";
    let pad = Pad::set(&[SHOWCASE[0], VOICE_TOOLS], settings);
    let tab = pad.tab_with(PERSON);
    tab.eval("person.takesMicrophone()");
    tab.click("#talk");
    tab.sees(".voice >> NOBODY_SET_THIS_KEY");
}
