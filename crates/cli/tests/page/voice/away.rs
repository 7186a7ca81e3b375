//! Talking while something changes around it: the microphone, the tab, an answer from elsewhere.

use fake_providers::Turn;
use serde_json::json;

use crate::pad::{Pad, SHOWCASE};

use super::person::{self, PERSON, Person, VOICE_TOOLS, settings};
use super::speech_server::SpeechServer;

#[test]
fn a_microphone_that_is_pulled_out_is_told_and_the_next_one_is_used() {
    let speech = SpeechServer::start(400);
    let pad = Pad::set(&[SHOWCASE[0], VOICE_TOOLS], &settings(&speech));
    let tab = pad.tab_with(PERSON);
    let person = Person::talks(&tab, &speech);
    tab.eval("person.losesMicrophone()");
    tab.sees(".voice-note >> There is no microphone");
    tab.eval("person.findsMicrophone()");
    tab.sees(".voice-note >> The microphone changed.");
    pad.model.then(Turn::says("Loud and clear."));
    person.says("do you hear me");
    tab.sees(".voice-line.assistant:not(.interim) >> Loud and clear.");
    person.hangs_up();
    tab.assert_quiet();
}

#[test]
fn a_tab_that_was_put_away_goes_on_when_it_is_seen_again() {
    let speech = SpeechServer::start(400);
    let pad = Pad::set(&[SHOWCASE[0], VOICE_TOOLS], &settings(&speech));
    let tab = pad.tab_with(PERSON);
    let person = Person::talks(&tab, &speech);
    tab.eval("person.looksAway()");
    tab.sees(".voice[data-phase=reconnecting]");
    tab.eval("person.looksBack()");
    tab.sees(".voice[data-phase=listening]");
    pad.model.then(Turn::says("Still here."));
    person.says("are you there");
    tab.sees(".voice-line.assistant:not(.interim) >> Still here.");
    person.hangs_up();
    tab.assert_quiet();
}

#[test]
fn an_approval_in_another_tab_lets_the_spoken_call_run_once() {
    let speech = SpeechServer::start(700);
    let pad = Pad::set(&[SHOWCASE[0], VOICE_TOOLS], &settings(&speech));
    let tab = pad.tab_with(PERSON);
    let person = Person::talks(&tab, &speech);
    pad.model.then(Turn::calls("showcase_send", json!({ "text": "by voice" })));
    person.says("tell everybody");
    tab.sees(".voice-ask >> by voice");
    let place = tab.eval("location.hash");
    let other = pad.tab_at(place.as_str().unwrap());
    pad.model.then(Turn::says("Everybody knows."));
    other.click("#log button >> Approve");
    tab.misses(".voice-ask");
    tab.sees(".voice-line.assistant >> Everybody knows.");
    assert_eq!(person::sent(&tab), "by voice");
    person.hangs_up();
    tab.sees("#log .step.done >> showcase");
    tab.assert_quiet();
    pad.model.assert_used_up();
}
