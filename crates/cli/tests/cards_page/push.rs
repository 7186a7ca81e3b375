//! Cards as files, and pushed into a running Anki.

use serde_json::json;

use crate::axe::audited;
use crate::far_server::{Asked, far_server};
use crate::story::{Learner, mode};

/// AnkiConnect over an empty collection; gives its address and what it was asked.
fn anki(error: Option<&'static str>) -> (String, Asked) {
    far_server(move |body| {
        let result = match body["action"].as_str().unwrap_or_default() {
            "version" => json!(6),
            "findNotes" => json!([]),
            "getMediaDirPath" => json!("/media"),
            _ => json!(true),
        };
        (200, json!({ "result": result, "error": error }).to_string().into())
    })
}

#[test]
fn cards_are_exported_as_files_and_sent_to_a_running_anki() {
    let (url, asked) = anki(None);
    let learner = Learner::set(&format!("[cards.anki]\nurl = \"{url}\"\n"));
    let tab = learner.learning("Suns rej. Kaķis skrien.");
    mode(&tab, "edit");
    tab.click("#export > summary");
    for (kind, begins) in [("txt", "#separator"), ("csv", "key,language"), ("apkg", "PK")] {
        let told =
            tab.eval(&format!("await (await fetch(find('[data-export={kind}]').href)).text()"));
        let told = told.as_str().unwrap();
        assert!(
            told.starts_with(begins),
            "{kind}: {:?}",
            told.chars().take(40).collect::<String>()
        );
    }
    tab.click("#push");
    tab.sees("#pushed >> In Anki: 2 added, 0 updated, 0 unchanged.");
    let asked = asked.lock().unwrap();
    assert!(asked.iter().any(|(_, body)| body["action"] == "importPackage"));
    audited(&tab, "exports", json!({}));
    tab.assert_quiet();
}

#[test]
fn what_anki_says_is_readable() {
    let (url, _) = anki(Some("collection is not available"));
    let learner = Learner::set(&format!("[cards.anki]\nurl = \"{url}\"\n"));
    let tab = learner.learning("Suns rej.");
    mode(&tab, "edit");
    tab.click("#export > summary");
    tab.click("#push");
    tab.sees("#pushed >> Anki did not take the cards. Open Anki");
    tab.sees("#pushed >> no profile is open in Anki");
    tab.until("!find('#push').disabled");
}
