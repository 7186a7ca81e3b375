//! `cards push` and the sounds of a speech server, over HTTP.

use std::net::TcpListener;

use serde_json::{Value, json};

use super::{STORY, good, story};
use crate::support::far_server::far_server;
use crate::support::model_project::FarSide;

fn made(settings: &str) -> FarSide {
    let far = story(STORY, good);
    let file = far.path().join("ghosthand.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{before}\n{settings}\n")).unwrap();
    let made = far.run(&["cards", "make", "story.txt"]);
    assert_eq!(made.code, 0, "{made:?}");
    far
}

/// AnkiConnect over an empty collection.
fn empty_anki(body: &Value) -> (u16, Vec<u8>) {
    assert_eq!(body["version"], 6);
    let result = match body["action"].as_str().unwrap() {
        "version" => json!(6),
        "findNotes" => json!([]),
        "getMediaDirPath" => json!("/media"),
        "storeMediaFile" | "createDeck" | "importPackage" => json!(true),
        "deleteMediaFile" => Value::Null,
        other => return (200, json!({ "result": null, "error": other }).to_string().into()),
    };
    (200, json!({ "result": result, "error": null }).to_string().into())
}

#[test]
fn push_sends_the_notes_to_a_running_anki() {
    let (url, asked) = far_server(empty_anki);
    let far = made(&format!("[cards.anki]\nurl = \"{url}\""));
    let pushed = far.run(&["cards", "push"]);
    assert_eq!(pushed.out, "3 added, 0 updated, 0 unchanged\n", "{pushed:?}");
    let asked = asked.lock().unwrap();
    let actions: Vec<_> = asked.iter().map(|(_, body)| body["action"].as_str().unwrap()).collect();
    let add = ["createDeck", "storeMediaFile", "getMediaDirPath", "importPackage"];
    assert_eq!(actions[..2], ["version", "findNotes"]);
    assert_eq!(actions[2..6], add);
    assert_eq!(actions[6..], ["deleteMediaFile"]);
    assert_eq!(asked[5].1["params"]["path"], "/media/_ghosthand-push.apkg");
}

#[test]
fn push_says_what_to_do_where_no_anki_runs() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let far = made("");
    let pushed = far.run(&["cards", "push", "--url", &format!("http://{free}")]);
    assert_eq!(pushed.code, 1);
    assert!(pushed.err.contains("error: Anki: no connection"), "{}", pushed.err);
    assert!(pushed.err.contains("start Anki with the add-on AnkiConnect"), "{}", pushed.err);
}

#[test]
fn words_are_read_aloud_once_and_the_sounds_are_in_the_package() {
    let (url, asked) = far_server(|body| {
        (200, format!("sound of {}", body["input"].as_str().unwrap()).into_bytes())
    });
    let settings = "model = \"tts-9\"\nvoice = \"anna\"\nkey_env = \"SPEECH_KEY\"";
    let far = made(&format!("[cards.speech]\nurl = \"{url}/v1\"\n{settings}"));
    for _ in 0..2 {
        let run = far.run(&["cards", "export", "--anki", "--audio", "-o", "deck.apkg"]);
        assert_eq!(run.out, "3 cards → deck.apkg\n", "{run:?}");
    }
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 3, "each word once");
    let (head, body) = &asked[0];
    assert!(head.starts_with("POST /v1/audio/speech HTTP/1.1"), "{head}");
    let expected = json!({
        "model": "tts-9", "voice": "anna", "input": "suns", "response_format": "mp3",
    });
    assert_eq!(*body, expected);
    let package = std::fs::read(far.path().join("deck.apkg")).unwrap();
    let text = String::from_utf8_lossy(&package).into_owned();
    assert!(text.contains("collection.anki2") && text.contains("media"));
}

#[test]
fn a_speech_server_that_fails_is_told_and_the_package_is_written_all_the_same() {
    let (url, asked) = far_server(|_| (500, b"no".to_vec()));
    let far = made(&format!("[cards.speech]\nurl = \"{url}/v1\""));
    let run = far.run(&["cards", "export", "--anki", "--audio", "-o", "deck.apkg"]);
    assert_eq!((run.code, asked.lock().unwrap().len()), (0, 3));
    assert!(run.err.contains("some words have no sound: the server answered 500"), "{}", run.err);
    let none = made("").run(&["cards", "export", "--anki", "--audio", "-o", "deck.apkg"]);
    assert!(none.err.contains("error: no speech server is set up"), "{}", none.err);
}
