//! Talking on the page: a microphone in, a loudspeaker out, and a person who may interrupt.
//!
//! `recogniser.rs` is a real recogniser; `speech_server.rs` is one that hears what a test says.

mod away;
mod forms;
mod person;
mod recogniser;
mod speech_model;
mod speech_server;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fake_providers::Turn;
use serde_json::json;

use crate::axe;
use crate::browser::Browser;
use crate::pad::{Pad, SHOWCASE, say};
use crate::program::exchange_heads;
use crate::shots::both;
use person::{PERSON, Person, VOICE_TOOLS, settings, silent, talking, talking_with};
use recogniser::{Recogniser, record, words};
use speech_server::SpeechServer;

#[test]
fn a_recording_is_heard_a_tool_runs_once_and_the_answer_is_heard_back() {
    const SAID: &str = "please send my friends the news about the party";
    const ANSWER: &str = "I have sent your message to all of your friends.";
    let recogniser = Recogniser::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("microphone.wav");
    record(SAID, &file);
    let browser = Browser::alone(vec![
        "--use-fake-ui-for-media-stream".to_owned(),
        "--use-fake-device-for-media-stream".to_owned(),
        format!("--use-file-for-fake-audio-capture={}%noloop", file.display()),
    ]);
    // Without `voice.speak`, espeak-ng speaks.
    let settings = format!(
        "[voice]\ntranscribe = \"speech:tiny.en\"\n\n[providers.speech]\n\
         base_url = \"http://{}/v1\"\n",
        recogniser.address
    );
    let pad = Pad::browsed_by(&[SHOWCASE[0], VOICE_TOOLS], &settings, browser);
    pad.model.then(Turn::calls("showcase_send", json!({ "text": "the party is tonight" })));
    let tab = pad.tab_with(PERSON);
    tab.click("#talk");
    tab.sees(".voice-line.user:not(.interim) >> party");
    let line = tab.eval("find('.voice-line.user').lastChild.textContent");
    assert_eq!(words(line.as_str().unwrap()), words(SAID));
    tab.sees(".voice-ask >> the party is tonight");
    pad.model.then(Turn::says(ANSWER));
    tab.click(".voice-choices button >> Approve");
    tab.misses(".voice-ask");
    tab.sees(".voice-tool[data-state=done] >> showcase");
    tab.sees(&format!(".voice-line.assistant:not(.interim) >> {ANSWER}"));
    let recorded = tab.eval("await person.recorded()");
    tab.click(".voice-button.end");
    tab.misses("dialog.voice");
    let recorded = STANDARD.decode(recorded.as_str().unwrap()).unwrap();
    let heard = recogniser.words(&recorded);
    let expected = words(ANSWER);
    assert!(heard.ends_with(&expected), "heard {heard:?}, said {expected:?}");
    // The conversation has what was said and heard, and the effect happened once.
    tab.sees(&format!("#log .assistant >> {ANSWER}"));
    tab.sees("#log .user >> party");
    assert_eq!(person::sent(&tab), "the party is tonight");
    tab.assert_quiet();
    pad.model.assert_used_up();
}

#[test]
fn an_interruption_is_silence_within_the_fade_and_only_what_was_heard_stays() {
    let (pad, tab, person) = talking(3_000);
    let answer = "The first sentence is long. The second one is never heard. Nor is the third.";
    pad.model.then(Turn::says(answer));
    person.says("tell me something");
    tab.sees(".voice[data-phase=speaking]");
    pad.model.then(Turn::says("Yes."));
    person.says("wait a moment");
    // The clock of the sound, not of this machine.
    tab.until("person.held.length > 0");
    let ms = tab.eval("person.held.map(({ from, to, rate }) => ((to - from) * 1000) / rate)");
    let ms: Vec<f64> =
        ms.as_array().unwrap().iter().filter_map(serde_json::Value::as_f64).collect();
    assert!(ms.iter().all(|ms| *ms <= 100.0), "{ms:?}");
    tab.sees(".voice-line.user:not(.interim) >> wait a moment");
    tab.sees(".voice-line.assistant:not(.interim) >> Yes.");
    person.hangs_up();
    tab.sees("#log .assistant >> Yes.");
    let log = tab.eval("document.getElementById('log').innerText");
    assert!(!log.as_str().unwrap().contains("Nor is the third"), "{log}");
    tab.assert_quiet();
}

#[test]
fn a_button_stops_the_answer_and_the_person_goes_on() {
    let (pad, tab, person) = talking(5_000);
    pad.model.then(Turn::says("One long sentence. Another long sentence. And a last one."));
    person.says("tell me something");
    tab.sees(".voice[data-phase=speaking]");
    tab.click(".voice-button >> Stop");
    tab.sees(".voice[data-phase=listening]");
    pad.model.then(Turn::says("Gladly."));
    person.says("and now something else");
    tab.sees(".voice-line.assistant >> Gladly.");
    person.hangs_up();
    let log = tab.eval("document.getElementById('log').innerText");
    assert!(!log.as_str().unwrap().contains("And a last one"), "{log}");
    tab.assert_quiet();
}

#[test]
fn a_lost_connection_goes_on_with_the_same_session() {
    let (pad, tab, person) = talking(400);
    pad.model.then(Turn::says("First."));
    person.says("one");
    tab.sees(".voice-line.assistant:not(.interim) >> First.");
    tab.eval("person.sockets.at(-1).close()");
    tab.until("person.sockets.length === 2 && person.sockets[1].readyState === WebSocket.OPEN");
    tab.sees(".voice[data-phase=listening]");
    pad.model.then(Turn::says("Second."));
    person.says("two");
    tab.sees(".voice-line.assistant:not(.interim) >> Second.");
    tab.counts(".voice-line", 4);
    person.hangs_up();
    tab.counts("#log .assistant", 2);
    tab.assert_quiet();
    pad.model.assert_used_up();
}

#[test]
fn a_write_is_read_back_and_runs_after_a_spoken_yes() {
    let (pad, tab, person) = talking(700);
    person.asks_to_send(&pad, "by voice");
    tab.sees(".voice-line.program:not(.interim) >> Say yes to do it");
    assert_eq!(person::sent(&tab), "");
    // The card is drawn as in the chat.
    tab.sees(".voice-ask .argument code >> by voice");
    let asked = tab.eval("find('.voice-ask').innerText");
    assert!(!asked.as_str().unwrap().contains('`'), "{asked}");
    pad.model.then(Turn::says("Everybody knows."));
    person.says("yes");
    tab.misses(".voice-ask");
    tab.sees(".voice-line.assistant >> Everybody knows.");
    assert_eq!(person::sent(&tab), "by voice");
    person.hangs_up();
    tab.sees("#log .step.done >> showcase");
    tab.assert_quiet();
    pad.model.assert_used_up();
}

#[test]
fn a_person_who_is_blocked_hears_why_and_is_refused_until_the_time_is_over() {
    let tool = person::sample_tool("ignore-user");
    let (pad, tab, person) = talking_with(&person::modules(&tool), 500);
    let farewell = "I will not answer insults. We can talk later.";
    let block = json!({ "duration_seconds": 600, "farewell_message": farewell });
    pad.model.then(Turn::calls("ignore_user", block));
    // The model may be asked once more; nobody hears it.
    pad.model.then(Turn::says("Never heard."));
    person.says("something very rude");
    tab.misses("dialog.voice");
    tab.sees(&format!("#log >> {farewell}"));
    tab.click("#talk");
    tab.sees(".voice-problem >> voice is refused for another");
    tab.misses(".voice-problem button");
    tab.press("Escape");
    tab.misses("dialog.voice");
    tab.misses("#log >> Never heard.");
}

#[test]
fn a_tool_offers_voice_and_the_session_begins_with_what_was_written() {
    let tool = person::sample_tool("start-voice-session");
    let (pad, tab, speech) = silent(&person::modules(&tool), 500);
    tab.eval("person.takesMicrophone()");
    let pending = json!({ "pending_request": "How does the tide clock work?" });
    pad.model.then(Turn::calls("start_voice_session", pending));
    pad.model.then(Turn::says("Your browser asks for the microphone."));
    say(&tab, "Can we talk about the tide clock?");
    tab.sees("#log .assistant >> Your browser asks");
    // What was left open is answered before anybody speaks.
    pad.model.then(Turn::says("It shows the tide."));
    tab.click("dialog button >> Talk");
    let person = Person::at(&tab, speech);
    tab.sees(".voice-line.assistant:not(.interim) >> It shows the tide.");
    let asked = pad.model.requests().last().unwrap().body.to_string();
    assert!(asked.contains("Can we talk about the tide clock?"), "{asked}");
    assert!(asked.contains("How does the tide clock work?"), "{asked}");
    person.hangs_up();
    // The text turn after it knows what was said, once.
    pad.model.then(Turn::says("Yes."));
    say(&tab, "Thank you");
    tab.sees("#log .assistant >> Yes.");
    let asked = pad.model.requests().last().unwrap().body.to_string();
    assert_eq!(asked.matches("It shows the tide.").count(), 1, "{asked}");
    pad.model.assert_used_up();
}

#[test]
fn a_microphone_that_is_not_allowed_is_explained_and_tried_again() {
    let speech = SpeechServer::start(400);
    let browser = Browser::alone(vec!["--use-fake-device-for-media-stream".to_owned()]);
    let pad = Pad::browsed_by(&[SHOWCASE[0], VOICE_TOOLS], &settings(&speech), browser);
    pad.browser().set_microphone("denied");
    let tab = pad.tab();
    tab.click("#talk");
    tab.sees(".voice-problem >> The microphone is blocked.");
    tab.until("document.activeElement.innerText === 'Try again'");
    pad.browser().set_microphone("granted");
    tab.press("Enter");
    tab.sees(".voice[data-phase=listening]");
    tab.misses(".voice-problem");
    tab.press("Escape");
    tab.misses("dialog.voice");
}

#[test]
fn everything_is_done_with_keys_and_axe_finds_nothing() {
    let (pad, tab, speech) = silent(&[SHOWCASE[0], VOICE_TOOLS], 700);
    tab.eval("person.takesMicrophone()");
    tab.eval("document.getElementById('talk').focus()");
    tab.press("Enter");
    tab.sees(".voice[data-phase=listening]");
    tab.until("document.activeElement.innerText === 'End'");
    tab.press("Shift+Tab");
    tab.press("Shift+Tab");
    tab.until("document.activeElement.innerText === 'Mute'");
    tab.press(" ");
    tab.sees(".voice[data-phase=muted] .voice-status >> Microphone off");
    tab.until("document.activeElement.ariaPressed === 'true'");
    tab.press(" ");
    tab.sees(".voice[data-phase=listening]");
    let person = Person::at(&tab, speech);
    pad.model.then(Turn::calls("showcase_send", json!({ "text": "by hand ".repeat(20) })));
    person.says("tell everybody");
    tab.sees(".voice-ask >> by hand");
    axe::audited_at_sizes(&tab, "the voice view", "dialog.voice");
    pad.model.then(Turn::says("As you like."));
    tab.eval("find('.voice-choices .outline').focus()");
    tab.press("Enter");
    tab.misses(".voice-ask");
    tab.sees(".voice-line.assistant >> As you like.");
    tab.press("Escape");
    tab.misses("dialog.voice");
    tab.until("document.activeElement.id === 'talk'");
    assert_eq!(person::sent(&tab), "");
    tab.assert_quiet();
}

#[test]
fn without_speech_on_the_server_the_browser_hears_and_speaks() {
    // A program of the project's own settings is not run.
    let settings = "[voice]\nspeak = \"program:touch ran\"\n";
    let pad = Pad::set(&[SHOWCASE[0], VOICE_TOOLS], settings);
    let tab = pad.tab_with(&format!("{PERSON}\n{}", person::BROWSER_SPEECH));
    tab.click("#talk");
    tab.sees(".voice[data-phase=listening]");
    tab.sees(".voice-hint >> This browser writes down what you say");
    pad.model.then(Turn::says("Hello from here. And from there."));
    tab.eval("person.recognition.says('hello', false)");
    tab.sees(".voice-line.user.interim >> hello");
    tab.eval("person.recognition.says('hello there', true)");
    tab.sees(".voice-line.assistant:not(.interim) >> And from there.");
    tab.gives("person.spoken.join('|')", "Hello from here.|And from there.");
    tab.press("Escape");
    tab.misses("dialog.voice");
    tab.sees("#log .user >> hello there");
    assert!(!pad.dir().join("ran").exists());
    tab.assert_quiet();
}

#[test]
fn without_any_speech_the_page_says_what_to_install() {
    let pad = Pad::set(&[], "[voice]\n");
    let no_speech = "delete window.SpeechRecognition; delete window.webkitSpeechRecognition;";
    let tab = pad.tab_with(no_speech);
    tab.click("#talk");
    tab.sees(".voice-problem >> install whisper.cpp");
    tab.misses(".voice-problem button");
    tab.press("Escape");
    tab.misses("dialog.voice");
    tab.assert_quiet();
}

#[test]
fn a_connection_needs_a_login_our_own_page_and_good_messages() {
    let speech = SpeechServer::start(400);
    let pad = Pad::set(&[], &settings(&speech));
    let tab = pad.talking();
    let address = pad.url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let id = tab.eval("location.hash.slice(2)");
    let path = format!("/api/conversations/{}/voice", id.as_str().unwrap());
    let upgrade = "upgrade: websocket\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let check = |headers: &str, status: &str| {
        let (head, body) = exchange_heads(&address, headers, "GET", &path, "");
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{headers}\n{head}\n{body}");
    };
    check(upgrade, "401");
    let token = pad.token.clone().unwrap();
    check(&format!("authorization: Bearer {token}\r\n"), "400");
    check(
        &format!("{upgrade}authorization: Bearer {token}\r\norigin: http://evil.example\r\n"),
        "403",
    );
    let refused = |first: &str, code: &str| {
        assert_eq!(tab.eval(&format!("await answer({}, {first})", json!(path))), code, "{first}");
    };
    tab.eval(
        "window.answer = (path, first) => new Promise((done) => { \
         const socket = new WebSocket(new URL(path, location.href.replace('http', 'ws'))); \
         socket.onopen = () => socket.send(first); \
         socket.onmessage = ({ data }) => { const { type, code } = JSON.parse(data); \
           socket.close(); done(code ?? type); } }), 0",
    );
    refused("'{}'", "bad_message");
    refused("new Uint8Array(2)", "bad_message");
    refused("JSON.stringify({ type: 'hello', version: 2 })", "bad_version");
    let resume = "JSON.stringify({ type: 'hello', version: 1, resume: { session: 'x', seen: 0 } })";
    refused(resume, "gone");
    refused("JSON.stringify({ type: 'hello', version: 1 })", "ready");
}

#[test]
#[ignore = "writes docs/images; run by `make shots`"]
fn voice_shots() {
    let (pad, tab, person) = talking(900);
    pad.model.then(Turn::calls("dice_roll_dice", json!({ "dice": "2d6" })));
    pad.model.then(Turn::says("You rolled a four and a three. That makes seven."));
    person.says("Roll two dice for me.");
    tab.sees(".voice-line.assistant:not(.interim) >> seven");
    pad.model.then(Turn::calls("showcase_send", json!({ "text": "We rolled seven." })));
    person.says("Tell everybody what we rolled.");
    tab.sees(".voice-ask >> seven");
    tab.sees(".voice-line.program:not(.interim)");
    both(&tab, "voice");
    tab.size(390, 844);
    both(&tab, "voice-phone");
}
