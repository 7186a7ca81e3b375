//! Talking while something changes around it: the microphone, the tab, an answer from elsewhere.

use fake_providers::Turn;

use super::person::{self, talking};

#[test]
fn a_microphone_that_is_pulled_out_is_told_and_the_next_one_is_used() {
    let (pad, tab, person) = talking(400);
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
    let (pad, tab, person) = talking(400);
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
    let (pad, tab, person) = talking(700);
    person.asks_to_send(&pad, "by voice");
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
