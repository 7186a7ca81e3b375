//! Cards as files, and pushed into a running Anki.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::axe::audited;
use crate::story::{Learner, mode};

/// AnkiConnect over an empty collection; gives its address and the actions that it was asked for.
fn anki(error: Option<&'static str>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    // A client may open a second connection while it keeps the first one.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            let seen = Arc::clone(&seen);
            std::thread::spawn(move || answers(&stream, error, &seen));
        }
    });
    (url, asked)
}

fn answers(stream: &TcpStream, error: Option<&str>, seen: &Mutex<Vec<String>>) {
    while let Some(body) = read(stream) {
        let action = body["action"].as_str().unwrap_or_default().to_owned();
        let result = match action.as_str() {
            "version" => json!(6),
            "findNotes" => json!([]),
            "getMediaDirPath" => json!("/media"),
            _ => json!(true),
        };
        seen.lock().unwrap().push(action);
        let body = json!({ "result": result, "error": error }).to_string();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        let mut to = stream;
        if to.write_all(format!("{head}{body}").as_bytes()).is_err() {
            return;
        }
    }
}

fn read(stream: &TcpStream) -> Option<Value> {
    let mut from = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if from.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let lower = head.to_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    let mut body = vec![0; length.parse().ok()?];
    from.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
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
    assert!(asked.lock().unwrap().contains(&"importPackage".to_owned()));
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
