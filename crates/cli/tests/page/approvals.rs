//! What asks a person first: approved once, declined with a reason, from wherever one looks.

mod inbox;
mod mcp_servers;
mod questions;

use fake_providers::Turn;
use serde_json::{Value, json};

use crate::browser::Tab;
use crate::pad::{Pad, SHOWCASE, rests, say};
use crate::program::exchange_with;

fn sends(text: &str) -> Turn {
    Turn::calls("showcase_send", json!({ "text": text }))
}

/// What the tool has done, from its own list.
fn sent(tab: &Tab) -> String {
    let id = "location.hash.slice(2)";
    let list = format!("await (await fetch(`/api/kv/showcase-sent-${{{id}}}/list`)).json()");
    tab.eval(&format!("({list}).items.join(',')")).as_str().unwrap().to_owned()
}

/// A tab in which a call waits for a person.
fn asked(pad: &Pad) -> Tab {
    pad.model.then(sends("hello all"));
    let tab = pad.tab();
    say(&tab, "Tell everybody");
    tab.sees(".approval >> showcase.send");
    tab
}

#[test]
fn a_yes_runs_it_once_after_a_reload_and_a_double_click() {
    let pad = Pad::with(SHOWCASE);
    let tab = asked(&pad);
    tab.sees(".approval h3 >> Send?");
    tab.gives("find('.approval').innerText.split('showcase.send').length", 2);
    tab.sees(".approval .argument code >> hello all");
    tab.sees(".approval .argument span >> text");
    tab.sees(".approval .description");
    tab.sees(".approval .reason >> asked because: ");
    tab.sees(".approval .until >> The question is open until");
    tab.sees("#send");
    assert_eq!(sent(&tab), "");
    tab.reload();
    tab.sees(".approval .argument code >> hello all");
    tab.sees("#conversations .dot");
    pad.model.then(Turn::says("They know."));
    tab.clicks(".approval button >> Approve", 2);
    tab.sees(".assistant >> They know.");
    rests(&tab);
    tab.misses(".approval");
    tab.misses("#conversations .dot");
    tab.sees(".step.done >> showcase.send");
    assert_eq!(sent(&tab), "hello all");
    tab.assert_quiet();
    pad.model.assert_used_up();
}

#[test]
fn another_tab_shows_the_question_and_the_answer() {
    let pad = Pad::with(SHOWCASE);
    let tab = asked(&pad);
    let place = tab.eval("location.hash");
    let other = pad.tab_at(place.as_str().unwrap());
    other.sees(".approval >> hello all");
    pad.model.then(Turn::says("They know."));
    other.click(".approval button >> Approve");
    tab.sees(".assistant >> They know.");
    tab.misses(".approval");
    rests(&tab);
    rests(&other);
    assert_eq!(sent(&tab), "hello all");
    tab.assert_quiet();
    other.assert_quiet();
}

#[test]
fn a_no_with_a_reason_reaches_the_model() {
    let pad = Pad::with(SHOWCASE);
    let tab = asked(&pad);
    pad.model.then(Turn::says("Then not."));
    tab.click(".approval button >> Decline…");
    tab.fill(".approval [aria-label=Reason]", "it is too early");
    tab.press("Enter");
    tab.sees(".assistant >> Then not.");
    rests(&tab);
    tab.misses(".approval");
    assert_eq!(sent(&tab), "");
    let requests = pad.model.requests();
    assert!(requests[1].body.to_string().contains("it is too early"), "{}", requests[1].body);
    tab.assert_quiet();
}

/// A question is open as long as the setting says; whoever comes later finds that out, and
/// nobody is said to have declined.
#[test]
fn a_question_that_nobody_answered_is_called_expired() {
    let pad = Pad::set(SHOWCASE, "[approvals]\ninbox_seconds = 1\n");
    let tab = asked(&pad);
    // The test runner ends a wait that has no end.
    while tab.eval("(await (await fetch('/api/approvals')).json()).length") != 0 {}
    pad.model.then(Turn::says("Then not."));
    tab.click(".approval button >> Approve");
    tab.sees("#toasts >> expired");
    assert_eq!(sent(&tab), "");
    tab.misses("#log >> declined");
}

#[test]
fn a_person_may_change_what_runs() {
    let pad = Pad::with(SHOWCASE);
    let tab = asked(&pad);
    pad.model.then(Turn::says("They know."));
    tab.click(".approval button >> Edit…");
    tab.fill(".approval [aria-label='Edited arguments']", "{\"text\": \"hello some\"");
    tab.click(".approval button >> Approve edited");
    tab.sees(".approval .fault >> Invalid JSON");
    tab.fill(".approval [aria-label='Edited arguments']", "{\"text\": \"hello some\"}");
    tab.click(".approval button >> Approve edited");
    tab.sees(".assistant >> They know.");
    rests(&tab);
    assert_eq!(sent(&tab), "hello some");
    tab.assert_quiet();
}

/// What a program is told that calls the tool which asks first.
pub(crate) fn called(pad: &Pad, text: &str) -> (u16, Value) {
    let address = pad.url.trim_start_matches("http://").trim_end_matches('/');
    let body = json!({ "text": text }).to_string();
    let token = format!("authorization: Bearer {}\r\n", pad.token.as_ref().unwrap());
    let path = "/api/call/showcase_send";
    let (status, told) = exchange_with(address, &token, "POST", path, &body);
    (status, serde_json::from_str(&told).unwrap())
}

#[test]
fn a_programs_question_shows_itself_where_no_conversation_is_open() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.tab();
    tab.sees(".welcome");
    tab.misses(".inbox-badge");
    assert_eq!(called(&pad, "hello all").0, 409);
    tab.sees(".inbox-badge >> Inbox: 1 thing waits for you");
    tab.click(".inbox-badge");
    tab.sees("dialog li >> Requested by a program over HTTP");
    tab.sees("dialog .approval .argument >> hello all");
    tab.sees("dialog .approval .until >> The question is open until");
    // One more comes while a person is writing.
    tab.click("dialog .approval button >> Decline…");
    tab.fill("dialog .approval [aria-label=Reason]", "it is too early");
    assert_eq!(called(&pad, "hello some").0, 409);
    tab.sees("dialog .approval .argument >> hello some");
    tab.press("Enter");
    tab.misses("dialog .approval .argument >> hello all");
    tab.sees("dialog .answered >> Declined.");
    tab.click("dialog .approval button >> Approve");
    tab.sees("dialog .answered >> Approved.");
    tab.sees("dialog >> Nothing waits for you.");
    tab.press("Escape");
    tab.misses("dialog");
    tab.misses(".inbox-badge");
    let (status, refused) = called(&pad, "hello all");
    assert!(status >= 400 && refused.to_string().contains("it is too early"), "{refused}");
    let (status, sent) = called(&pad, "hello some");
    assert_eq!((status, &sent["data"]), (200, &json!("Sent: hello some")), "{sent}");
    assert_eq!(called(&pad, "hello some").0, 409, "a yes counts once");
    tab.assert_quiet();
}

#[test]
fn a_programs_question_shows_itself_beside_an_open_conversation_and_by_its_link() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.talking();
    let (_, told) = called(&pad, "hello all");
    tab.sees(".inbox-badge >> Inbox: 1 thing waits for you");
    let link = told["approval"]["page"].as_str().unwrap();
    let other = pad.tab_at(link.strip_prefix(&pad.url).unwrap());
    other.sees("dialog .approval >> hello all");
    other.click("dialog .approval button >> Approve");
    other.sees("dialog >> Nothing waits for you.");
    tab.misses(".inbox-badge");
    assert_eq!(called(&pad, "hello all").0, 200);
    // The conversation that is open was not asked, and does not run.
    rests(&tab);
    tab.misses(".approval");
    tab.assert_quiet();
    other.assert_quiet();
}
