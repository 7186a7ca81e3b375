//! Whoever starts a run pays for it: it counts in the usage of that person, and of nobody else.

use serde_json::Value;

use crate::pad::Pad;
use crate::program::exchange_with;
use crate::story::Learner;

const ANA: &str = "ana-ana-ana-0123456789";
const BEN: &str = "ben-ben-ben-0123456789";

/// The printed address may lead to the sign-in page.
fn address(pad: &Pad) -> &str {
    pad.url.trim_start_matches("http://").split('/').next().unwrap()
}

/// What a person used today.
fn today(pad: &Pad, token: &str) -> Value {
    let login = format!("authorization: Bearer {token}\r\n");
    let (status, body) = exchange_with(address(pad), &login, "GET", "/api/usage/periods", "");
    assert_eq!(status, 200, "{body}");
    let report: Value = serde_json::from_str(&body).unwrap();
    report["periods"][0].clone()
}

#[test]
fn a_run_counts_in_the_usage_of_the_person_who_started_it() {
    let learner = Learner::of(Pad::behind(&format!("ana={ANA}\nben={BEN}\n")));
    let pad = &learner.pad;
    let tab = pad.opened();
    tab.fill("[name=token]", ANA);
    tab.hears("Page.loadEventFired", || tab.press("Enter"));
    tab.sees(".welcome");
    assert_eq!(today(pad, ANA)["turns"], 0);
    tab.open(&format!("http://{}/cards", address(pad)));
    tab.sees("#text");
    let tab = learner.learns(tab, "Suns rej. Kaķis skrien.");
    let used = today(pad, ANA);
    assert_eq!(used["models"][0]["model"], "fake:scripted", "{used}");
    assert!(used["turns"].as_u64().unwrap() > 0, "{used}");
    let nothing = today(pad, BEN);
    assert_eq!((&nothing["turns"], nothing["models"].as_array().unwrap().len()), (&0.into(), 0));
    tab.assert_quiet();
}
