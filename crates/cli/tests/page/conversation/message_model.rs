//! A model for one message, chosen before it is sent: by pointer, by keyboard, on a phone, while an
//! answer runs.

use fake_providers::Turn;
use serde_json::json;
use testkit::Gate;

use super::models::asked;
use crate::axe::audited;
use crate::pad::{Pad, rests, say};

const OTHER: &str = "dialog [data-model='fake:gpt-5.4']";

#[test]
fn one_message_goes_to_another_model_and_the_next_one_does_not() {
    let pad = Pad::new();
    let tab = pad.talking();
    tab.click("#message-model");
    tab.sees("dialog h2 >> Model for this message");
    tab.click(OTHER);
    tab.misses("dialog");
    tab.sees("#for-message >> Only this message: fake:gpt-5.4");
    tab.until("document.activeElement.id === 'draft'");
    audited(&tab, "a model for one message", json!({ "iframes": false }));
    let gate = Gate::new();
    pad.model.then(Turn::says("Another view.").gate_at(1, &gate));
    tab.types("What do you think?");
    tab.press("Enter");
    tab.sees(".user .by >> Sent to fake:gpt-5.4");
    tab.misses("#for-message");
    gate.open();
    tab.sees(".assistant .by >> Answered by fake:gpt-5.4");
    rests(&tab);
    tab.counts(".by", 1);
    tab.sees("#model >> fake:scripted");
    pad.model.then(Turn::says("The usual one."));
    say(&tab, "And you?");
    tab.sees(".assistant >> The usual one.");
    rests(&tab);
    tab.counts(".by", 1);
    assert_eq!(asked(&pad), ["scripted", "gpt-5.4", "scripted"]);
    tab.reload();
    tab.sees(".assistant .by >> Answered by fake:gpt-5.4");
    tab.assert_quiet();
}

#[test]
fn the_keyboard_chooses_it_takes_it_back_and_it_stays_with_its_conversation() {
    let pad = Pad::new();
    let tab = pad.tab();
    tab.sees("#model >> fake:scripted");
    let choose = || {
        tab.press("Alt+m");
        tab.until("document.activeElement.type === 'search'");
        tab.sees(OTHER);
        tab.types("gpt-5.4");
        tab.misses("dialog [data-model='fake:gpt-4o']");
        tab.press("Enter");
        tab.sees("#for-message >> fake:gpt-5.4");
        tab.until("document.activeElement.id === 'draft'");
    };
    choose();
    for _ in 0..20 {
        if tab.eval("document.activeElement.ariaLabel") == "Use the model of the conversation" {
            break;
        }
        tab.press("Shift+Tab");
    }
    tab.press("Enter");
    tab.misses("#for-message");
    tab.until("document.activeElement.id === 'draft'");
    // It is for the message of a new conversation too, and not for that conversation.
    choose();
    pad.model.then(Turn::says("First."));
    tab.types("Hello");
    tab.press("Enter");
    tab.sees(".assistant .by >> Answered by fake:gpt-5.4");
    rests(&tab);
    tab.sees("#model >> fake:scripted");
    // Whoever goes elsewhere has not chosen it there.
    choose();
    tab.click("#new");
    tab.sees(".welcome");
    tab.misses("#for-message");
    assert_eq!(asked(&pad), ["gpt-5.4"]);
    tab.assert_quiet();
}

#[test]
fn a_message_that_waits_keeps_its_model_and_gives_it_back() {
    let pad = Pad::new();
    let tab = pad.talking();
    let gate = Gate::new();
    pad.model.then(Turn::says("One two three.").gate_at(4, &gate));
    say(&tab, "Count");
    tab.sees(".assistant.writing");
    tab.click("#message-model");
    tab.click(OTHER);
    tab.sees("#for-message");
    say(&tab, "Then you");
    tab.sees("#queue li .chip >> fake:gpt-5.4");
    tab.misses("#for-message");
    tab.click("#queue [aria-label='Take this message back']");
    tab.gives("draft.value", "Then you");
    tab.sees("#for-message >> fake:gpt-5.4");
    tab.press("Enter");
    tab.sees("#queue li .chip >> fake:gpt-5.4");
    pad.model.then(Turn::says("Here I am."));
    gate.open();
    tab.sees(".assistant >> Here I am.");
    tab.sees(".assistant .by >> Answered by fake:gpt-5.4");
    rests(&tab);
    assert_eq!(asked(&pad), ["scripted", "scripted", "gpt-5.4"]);
    tab.assert_quiet();
}

/// Where a finger points, the choice is in the menu of the paper clip: the field keeps its width.
#[test]
fn a_phone_has_it_in_the_menu_of_files() {
    let pad = Pad::new();
    let tab = pad.tab();
    tab.size(390, 844);
    tab.reload();
    tab.sees("#model >> fake:scripted");
    tab.misses("#message-model");
    tab.click("#attach");
    tab.click(".menu [role=menuitem] >> Model for this message");
    tab.click(OTHER);
    tab.sees("#for-message >> fake:gpt-5.4");
    let small = "[...document.querySelectorAll('#for-message button')]\
                 .filter((one) => one.getBoundingClientRect().height < 43.5).length";
    tab.gives(small, 0);
    audited(&tab, "a model for one message on a phone", json!({ "iframes": false }));
    tab.click("#for-message button");
    tab.misses("#for-message");
    tab.assert_quiet();
}

/// What the provider no longer has is refused, and nothing that was written is lost.
#[test]
fn a_message_that_is_refused_comes_back_with_its_model() {
    let pad = Pad::new();
    let tab = pad.talking();
    tab.click("#message-model");
    tab.click(OTHER);
    tab.sees("#for-message");
    tab.offline(true);
    say(&tab, "Are you there?");
    tab.sees(".toast.bad");
    tab.gives("draft.value", "Are you there?");
    tab.sees("#for-message >> fake:gpt-5.4");
    tab.offline(false);
    pad.model.then(Turn::says("I am."));
    tab.click("#send");
    tab.sees(".assistant .by >> Answered by fake:gpt-5.4");
    rests(&tab);
    assert_eq!(asked(&pad), ["scripted", "gpt-5.4"]);
}

/// The line above the field shows what the list shows, as far as it is known.
#[test]
fn the_choice_says_what_the_model_can_do() {
    let pad = Pad::rehearsing();
    pad.model.otherwise(Turn::says("OK"));
    let tab = pad.tab();
    let add = format!(
        "(await fetch('/api/providers/mine', {{ method: 'PUT', headers: {{ 'Content-Type': \
         'application/json' }}, body: JSON.stringify({{ kind: 'compatible', address: \
         '{}/v1', model: 'gpt-4o' }}) }})).status",
        pad.model.base_url()
    );
    assert_eq!(tab.eval(&add), 200);
    tab.reload();
    tab.click("#model");
    tab.click("dialog [data-model='mine:gpt-5.4']");
    tab.sees("#model >> mine:gpt-5.4");
    tab.click("#message-model");
    tab.sees("dialog [data-model='rehearsal'] .chip >> stand-in, needs no key");
    tab.click("dialog [data-model='rehearsal']");
    tab.sees("#for-message .chip >> stand-in, needs no key");
    // What the conversation has anyway is no choice.
    tab.click("#message-model");
    tab.click("dialog [data-model='mine:gpt-5.4']");
    tab.misses("#for-message");
    tab.assert_quiet();
}
