//! Reviews on the page: by keys, by swipes, in both directions, without a connection.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::axe::audited;
use crate::browser::Tab;
use crate::story::{Learner, STORY, choose, mode};

const THREE: &str = "Suns rej. Kaķis skrien. Putns dzied.";

fn reviewing(learner: &Learner, text: &str) -> Tab {
    let tab = learner.learning(text);
    mode(&tab, "review");
    tab.sees(".review .face");
    tab
}

/// How many answers the server has.
fn given(tab: &Tab) -> Value {
    tab.eval("(await (await fetch('/api/cards/review?day=0')).json()).today")
}

#[track_caller]
fn waits_for(tab: &Tab, answers: u64) {
    tab.until("(localStorage.getItem('cards-reviews') ?? '[]') === '[]'");
    assert_eq!(given(tab), answers);
}

#[test]
fn cards_are_turned_rated_and_taken_back_by_keys() {
    let learner = Learner::new();
    let tab = reviewing(&learner, THREE);
    tab.reads("#today", "Today: 0");
    tab.reads("#left", "3 left");
    tab.sees(".face .base >> Suns");
    // Nothing is rated before it is turned.
    tab.press("3");
    tab.reads("#today", "Today: 0");
    tab.press(" ");
    tab.sees(".face.flipped .meaning >> значення");
    tab.counts(".rating", 4);
    tab.press("4");
    tab.sees(".face:not(.flipped) .base >> Kaķis");
    tab.reads("#today", "Today: 1");
    tab.press("u");
    tab.sees(".face .base >> Suns");
    tab.reads("#today", "Today: 0");
    waits_for(&tab, 0);
    for _ in 0..3 {
        tab.press(" ");
        tab.sees(".face.flipped");
        tab.press("4");
    }
    tab.sees(".all-done >> Done for now");
    // It says when the next card comes, in the language of the page.
    tab.sees(".all-done >> next card:");
    let (month, at) = ("{ day: 'numeric', month: 'long' }", "Date.now() + 15 * 86400000");
    tab.until(&format!(
        "[-1, 0, 1].some((more) => find('.all-done').innerText.includes(\
           new Date({at} + more * 86400000).toLocaleDateString('en', {month})))"
    ));
    tab.reads("#today", "Today: 3");
    waits_for(&tab, 3);
    // The last answer can be taken back there too.
    tab.press("u");
    tab.sees(".face .base >> Putns");
    waits_for(&tab, 2);
    tab.assert_quiet();
}

#[test]
fn a_card_that_was_not_known_comes_again_in_the_same_sitting() {
    let learner = Learner::new();
    let tab = reviewing(&learner, "Suns rej.");
    tab.press(" ");
    tab.sees(".face.flipped");
    tab.press("1");
    tab.sees(".face:not(.flipped) .base >> Suns");
    tab.reads("#left", "1 left");
    tab.sees(".face .chip >> learning");
    tab.press("u");
    tab.sees(".face .chip >> new");
    tab.reads("#left", "1 left");
    tab.assert_quiet();
}

#[test]
fn answers_without_a_connection_are_kept_and_sent_once_each() {
    let learner = Learner::new();
    let tab = reviewing(&learner, THREE);
    tab.offline(true);
    for word in ["Suns", "Kaķis"] {
        tab.sees(&format!(".face:not(.flipped) .base >> {word}"));
        tab.press(" ");
        tab.sees(".face.flipped");
        tab.press("4");
    }
    tab.sees(".kept >> 2 answers are kept in this browser");
    tab.reads("#today", "Today: 2");
    // What was never sent is just taken back.
    tab.press("u");
    tab.sees(".kept >> 1 answer is kept");
    tab.sees(".face .base >> Kaķis");
    let kept = tab.eval("localStorage.getItem('cards-reviews')");
    assert!(kept.as_str().unwrap().contains("lv:uk:word:suns"), "{kept}");
    // Pressed in vain, nothing is lost.
    tab.click(".kept [data-act=send]");
    tab.sees(".kept >> 1 answer is kept");
    tab.offline(false);
    // The page may have noticed by itself already.
    tab.eval("document.querySelector('.kept [data-act=send]')?.click()");
    tab.misses(".kept");
    assert_eq!(given(&tab), 1);
    // A browser that did not hear the answer sends it again; it counts once.
    tab.eval(&format!("localStorage.setItem('cards-reviews', {kept})"));
    tab.reload();
    tab.until("localStorage.getItem('cards-reviews') === '[]'");
    tab.reads("#today", "Today: 1");
    assert_eq!(given(&tab), 1);
}

fn touch(tab: &Tab, kind: &str, at: Option<(f64, f64)>) {
    let points: Vec<_> = at.iter().map(|(x, y)| json!({ "x": x, "y": y })).collect();
    tab.call("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
}

fn swipe(tab: &Tab, by: f64) {
    let place = tab.eval(
        "(({ left, top, width, height }) => [left + width / 2, top + height / 2])\
         (find('.face').getBoundingClientRect())",
    );
    let (x, y) = (place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
    touch(tab, "touchStart", Some((x, y)));
    for step in 1..=8 {
        touch(tab, "touchMove", Some((x + by * f64::from(step) / 8.0, y)));
    }
    touch(tab, "touchEnd", None);
}

#[test]
fn a_phone_swipes_and_has_the_answers_within_reach() {
    let learner = Learner::new();
    let tab = reviewing(&learner, THREE);
    tab.size(390, 844);
    tab.call("Emulation.setTouchEmulationEnabled", json!({ "enabled": true }));
    swipe(&tab, 160.0);
    tab.sees(".face.flipped");
    tab.until("find('.ratings').getBoundingClientRect().bottom <= innerHeight");
    tab.until("[...document.querySelectorAll('.rating')].every(one => one.offsetHeight >= 44)");
    // A short movement is none.
    swipe(&tab, 40.0);
    tab.sees(".face.flipped .base >> Suns");
    swipe(&tab, 160.0);
    tab.sees(".face:not(.flipped) .base >> Kaķis");
    swipe(&tab, -160.0);
    tab.sees(".face.flipped .base >> Kaķis");
    swipe(&tab, -160.0);
    tab.sees(".face:not(.flipped) .base >> Putns");
    waits_for(&tab, 2);
    fits(&tab, "a question");
    tab.click("[data-act=turn]");
    tab.sees(".face.flipped");
    fits(&tab, "an answer");
    tab.click(".review-settings > summary");
    fits(&tab, "settings");
    tab.offline(true);
    tab.click("[data-rating=easy]");
    tab.sees(".kept");
    fits(&tab, "without a connection");
    tab.offline(false);
    tab.eval("document.querySelector('.kept [data-act=send]')?.click()");
    tab.misses(".kept");
    while tab.eval("document.querySelector('.all-done') === null") == true {
        tab.press(" ");
        tab.press("4");
    }
    fits(&tab, "the end");
    tab.assert_quiet();
}

/// Nothing is wider than the screen.
#[track_caller]
fn fits(tab: &Tab, place: &str) {
    for element in ["document.documentElement", "find('#main')"] {
        let wide = tab.eval(&format!("({element}).scrollWidth - ({element}).clientWidth"));
        assert!(wide.as_i64().unwrap() <= 0, "{place} is {wide} pixels too wide");
    }
}

#[test]
fn what_waits_and_what_is_kept_can_be_read_aloud_and_fits_a_phone() {
    let learner = Learner::new();
    let tab = reviewing(&learner, THREE);
    tab.offline(true);
    tab.press(" ");
    tab.sees(".face.flipped");
    tab.press("4");
    tab.sees(".kept");
    audited(&tab, "answers that are kept", json!({}));
    tab.offline(false);
    tab.eval("document.querySelector('.kept [data-act=send]')?.click()");
    tab.misses(".kept");
    waits_for(&tab, 1);
    tab.open(&format!("{}cards", learner.pad.url));
    tab.sees(".due-now");
    audited(&tab, "cards that are due", json!({}));
    tab.size(360, 740);
    fits(&tab, "cards that are due");
    // By keyboard alone: to the review of all texts.
    tab.eval("find('#main').focus()");
    while tab.eval("document.activeElement.id") != "review-now" {
        tab.press("Tab");
    }
    tab.press("Enter");
    tab.sees(".review .face");
}

#[test]
fn the_tab_of_a_view_is_in_sight_on_a_phone() {
    let learner = Learner::new();
    let tab = learner.learning(THREE);
    mode(&tab, "edit");
    choose(&tab, "#locale", "uk");
    tab.size(360, 740);
    for name in ["edit", "reading", "text"] {
        mode(&tab, name);
        tab.until(
            "(({ left, right }) => left >= 0 && right <= innerWidth + 1)\
             (find('#modes [aria-current]').getBoundingClientRect())",
        );
    }
    tab.assert_quiet();
}

#[test]
fn the_word_and_the_gap_are_asked_for_when_somebody_wants_it() {
    let learner = Learner::new();
    let tab = reviewing(&learner, "Suns rej.");
    tab.click(".review-settings > summary");
    tab.click("[data-recall-wish=word]");
    tab.click("[data-recall-wish=gap]");
    tab.until("JSON.parse(localStorage.getItem('cards-review-wishes')).recall.length === 3");
    // Space belongs to the box that was clicked.
    tab.eval("document.activeElement.blur()");
    for (recall, question) in [("meaning", "Suns"), ("word", "значення"), ("gap", "… rej.")]
    {
        tab.sees(&format!(".face[data-recall={recall}] >> {question}"));
        tab.press(" ");
        tab.sees(".face.flipped .base >> Suns");
        tab.press("4");
    }
    tab.sees(".all-done");
    // The wishes stay.
    tab.reload();
    tab.sees(".all-done");
    tab.until("document.querySelector('[data-recall-wish=gap]').checked");
    tab.assert_quiet();
}

#[test]
fn all_texts_are_reviewed_together_from_the_first_page() {
    let learner = Learner::new();
    learner.learning("Suns rej.");
    let tab = learner.learning("Kaķis skrien.");
    tab.open(&format!("{}cards", learner.pad.url));
    tab.sees(".due-now >> 2 cards to review");
    tab.click("#review-now");
    tab.sees(".review .face");
    tab.reads("#left", "2 left");
    tab.gives("document.querySelector('[data-mode=review]').ariaCurrent ?? 'page'", "page");
    tab.assert_quiet();
}

#[test]
fn words_are_coloured_by_how_well_they_are_known() {
    let learner = Learner::new();
    let tab = reviewing(&learner, STORY);
    let first = tab.eval("find('.face').dataset.key").as_str().unwrap().to_owned();
    tab.press(" ");
    tab.sees(".face.flipped");
    tab.press("1");
    waits_for(&tab, 1);
    tab.click("[data-act=know]");
    tab.sees(".toast >> Marked as known");
    mode(&tab, "reading");
    tab.sees(&format!(".prose-text .w-learning[data-key='{first}']"));
    tab.sees(".prose-text .w-known");
    tab.sees(".prose-text .w-new");
    tab.sees(".legend >> being learned");
    tab.assert_quiet();
}

#[test]
fn frequent_and_doubtful_cards_can_be_listed_first() {
    let learner = Learner::new();
    let tab = learner.learning(STORY);
    mode(&tab, "edit");
    choose(&tab, "#sort", "frequency");
    tab.sees(".deck > li:first-child[data-key='lv:uk:word:anna'] summary >> Sentences: 2");
    let many: Vec<_> = ["Aa", "Bb", "Cc", "Dd", "Ee"].map(|word| format!("{word} ir.")).to_vec();
    let tab = learner.learning(&many.join(" "));
    mode(&tab, "edit");
    tab.sees(".chip.doubt >> many words have this meaning");
    tab.assert_quiet();
}

#[test]
fn reviews_can_be_read_aloud_seen_in_the_dark_and_read_in_three_languages() {
    let learner = Learner::new();
    let tab = reviewing(&learner, "Suns rej.");
    audited(&tab, "a question", json!({}));
    tab.click(".review-settings > summary");
    audited(&tab, "settings", json!({}));
    let mut said = Vec::new();
    for locale in ["en", "uk", "ru"] {
        choose(&tab, "#locale", locale);
        tab.until(&format!("document.documentElement.lang === '{locale}'"));
        said.push(tab.until("find('[data-act=turn]')?.innerText"));
    }
    assert!(said[0] != said[1] && said[1] != said[2], "{said:?}");
    // By keyboard alone: to the button, and to a rating.
    tab.eval("find('#main').focus()");
    while tab.eval("document.activeElement.dataset.act") != "turn" {
        tab.press("Tab");
    }
    tab.press("Enter");
    tab.sees(".face.flipped");
    audited(&tab, "an answer", json!({}));
    while tab.eval("document.activeElement.dataset.rating") != "easy" {
        tab.press("Tab");
    }
    tab.press("Enter");
    tab.sees(".all-done");
    audited(&tab, "the end", json!({}));
    tab.assert_quiet();
}

/// A second of silence, as browsers decode it.
fn silence() -> Vec<u8> {
    let samples = 800_u32;
    let mut wav = b"RIFF".to_vec();
    wav.extend((36 + samples * 2).to_le_bytes());
    wav.extend(b"WAVEfmt ");
    wav.extend(16_u32.to_le_bytes());
    wav.extend([1, 0, 1, 0]);
    wav.extend(8_000_u32.to_le_bytes());
    wav.extend(16_000_u32.to_le_bytes());
    wav.extend([2, 0, 16, 0]);
    wav.extend(b"data");
    wav.extend((samples * 2).to_le_bytes());
    wav.resize(44 + samples as usize * 2, 0);
    wav
}

/// A speech server; what it was asked is kept.
fn speech_server() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut text = Vec::new();
            let mut part = [0; 4_096];
            while !text.ends_with(b"}") {
                match stream.read(&mut part) {
                    Ok(0) | Err(_) => break,
                    Ok(read) => text.extend(&part[..read]),
                }
            }
            seen.lock().unwrap().push(String::from_utf8_lossy(&text).into_owned());
            let body = silence();
            let head = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(&[head.as_bytes(), &body].concat());
        }
    });
    (url, asked)
}

#[test]
fn a_word_is_heard_where_a_speech_server_is_set_up() {
    let (url, asked) = speech_server();
    let learner = Learner::set(&format!("[cards.speech]\nurl = \"{url}\"\n"));
    let tab = reviewing(&learner, "Suns rej.");
    tab.click("[data-act=listen]");
    tab.until("performance.getEntriesByType('resource').some(one => one.name.includes('speech?'))");
    let said = asked.lock().unwrap().concat();
    assert!(said.contains("\"input\":\"Suns\""), "{said}");
    tab.counts(".toast.bad", 0);
    // The server reads only what is on a card.
    let status = tab.eval("(await fetch('/api/cards/speech?card=lv:uk:word:other')).status");
    assert_eq!(status, 404);
    let plain = Learner::new();
    let plain_tab = reviewing(&plain, "Suns rej.");
    plain_tab.counts("[data-act=listen]", 0);
}
