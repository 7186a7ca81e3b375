//! `ghosthand cards` as a person uses it; and a run of 2,000 sentences that is cut, garbled,
//! throttled and killed on its way.

mod anki_and_speech;
mod input;
mod settings;

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use contract::StopReason;
use fake_providers::{Fault, Item, Step, Turn};
use serde_json::{Value, json};

use crate::support::model_project::FarSide;

const STORY: &str = "Suns rej. Kaķis skrien! Zivs peld.";

/// The numbered sentences, wherever in a body they stand.
fn sentences(body: &Value) -> Vec<(usize, String)> {
    fn find(value: &Value, found: &mut Vec<(usize, String)>) {
        match value {
            Value::String(text) if text.starts_with('[') => {
                for line in text.lines() {
                    let (number, words) = line[1..].split_once("] ").unwrap_or(("", ""));
                    found.extend(number.parse().ok().map(|number| (number, words.to_owned())));
                }
            }
            Value::Array(items) => items.iter().for_each(|item| find(item, found)),
            Value::Object(map) => map.values().for_each(|item| find(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    find(body, &mut found);
    found
}

fn answer(sentences: &[(usize, String)]) -> Value {
    let card = |(index, text): &(usize, String)| {
        let word = text.split([' ', '.', '!']).next().unwrap();
        json!({
            "base_form": word.to_lowercase(), "base_translation": format!("значение {word}"),
            "unit": "word", "visible": true,
            "contexts": [{ "sid": index, "translation": format!("Перевод {index}."),
                           "forms": [{ "form": word, "translation": "перевод" }] }],
        })
    };
    json!({ "flashcards": sentences.iter().map(card).collect::<Vec<_>>() })
}

fn good(body: &Value) -> Step {
    Turn::calls("emit_flashcards", answer(&sentences(body))).into()
}

/// A project with a text in it, whose model answers as the closure says.
fn story(text: &str, answer: impl Fn(&Value) -> Step + Send + Sync + 'static) -> FarSide {
    let far = FarSide::new();
    std::fs::write(far.path().join("story.txt"), text).unwrap();
    far.fake.answering(answer);
    far
}

/// The name of the newest run.
fn run_of(far: &FarSide) -> String {
    let runs: Value = serde_json::from_str(&far.run(&["cards", "status", "--json"]).out).unwrap();
    runs[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_text_becomes_cards_that_are_shown_changed_and_exported() {
    let far = story(STORY, good);
    let made = far.run(&["cards", "make", "story.txt"]);
    assert_eq!(made.code, 0, "{made:?}");
    assert!(made.err.contains("3 of 3 sentences  ·  0 holes"), "{}", made.err);
    assert!(made.err.contains("cost unknown with fake:any-model"), "{}", made.err);
    let shown = far.run(&["cards", "show"]);
    assert!(
        shown.out.starts_with("suns – значение Suns  lv:ru:word:suns\n    Suns rej.\n"),
        "{shown:?}"
    );
    let edited = far.run(&["cards", "edit", "lv:word:suns", "--translation", "пёс"]);
    assert_eq!((edited.out.as_str(), edited.code), ("suns – пёс\n", 0));
    let text = far.run(&["cards", "export", "--txt", "-o", "-"]);
    assert!(text.out.contains("\tsuns\tпёс\tword\t"), "{}", text.out);
    for (flag, file) in [("--anki", "d.apkg"), ("--json", "d.json"), ("--csv", "d.csv")] {
        let exported = far.run(&["cards", "export", flag, "-o", file]);
        assert_eq!(exported.out, format!("3 cards → {file}\n"));
        assert!(far.path().join(file).metadata().unwrap().len() > 100);
    }
    let preview = far.run(&["cards", "import", "d.json", "--into", &run_of(&far), "--preview"]);
    assert_eq!(preview.out, "= 3 cards unchanged\n");
    let sentences = far.run(&["cards", "show", "--sentences"]);
    assert!(
        sentences.out.contains("    1  Kaķis skrien!\n       Перевод 1.\n"),
        "{}",
        sentences.out
    );
}

#[test]
fn fc_06_a_language_without_lists_is_said() {
    let far = story("Bonjour le monde. Ça va ?", good);
    let said = far.run(&["cards", "make", "story.txt", "--from", "fr", "--estimate"]);
    assert!(said.err.contains("no abbreviations are known for French"), "{said:?}");
    let known = far.run(&["cards", "make", "story.txt", "--from", "lv", "--estimate"]);
    assert!(!known.err.contains("no abbreviations"), "{known:?}");
}

#[test]
fn fc_21_a_whole_key_is_found_whatever_run_is_the_newest() {
    let far = story(STORY, good);
    far.run(&["cards", "make", "story.txt", "--to", "uk"]);
    far.run(&["cards", "make", "story.txt", "--to", "ru"]);
    let edited = far.run(&["cards", "edit", "lv:uk:word:suns", "--translation", "пес"]);
    assert_eq!((edited.out.as_str(), edited.code), ("suns – пес\n", 0), "{edited:?}");
    let newest = far.run(&["cards", "show"]);
    assert!(newest.out.contains("suns – значение Suns  lv:ru:word:suns"), "{newest:?}");
    let missing = far.run(&["cards", "edit", "lv:de:word:suns", "--hide"]);
    assert_ne!(missing.code, 0, "{missing:?}");
    assert!(missing.err.contains("there is no card"), "{missing:?}");
}

#[test]
fn fc_02_show_prints_the_definition_that_is_sent() {
    let far = story(STORY, good);
    let json = |args: &[&str]| serde_json::from_str::<Value>(&far.run(args).out).unwrap();
    let tool = json(&["show", "tool", "emit_flashcards"]);
    assert_eq!(tool, json(&["cards", "tool"]));
    let wire = json(&["show", "tool", "emit_flashcards", "--for", "anthropic"]);
    assert_eq!(wire["name"], "emit_flashcards");
    assert_eq!(wire["input_schema"]["properties"]["flashcards"]["minItems"], 1);
    // `lower` compiles the same schema.
    let file = far.path().join("cards.json");
    std::fs::write(&file, tool["input_schema"].to_string()).unwrap();
    let lowered = json(&["lower", "--for", "anthropic", "cards.json"]);
    assert_eq!(lowered["schema"], wire["input_schema"]);
}

#[test]
fn fc_02_the_program_prints_the_definition_of_the_tool() {
    let far = story(STORY, good);
    let tool: Value = serde_json::from_str(&far.run(&["cards", "tool"]).out).unwrap();
    assert_eq!(tool["name"], "emit_flashcards");
    assert_eq!(tool["input_schema"]["required"], json!(["flashcards"]));
}

#[test]
fn fc_09_a_hole_is_said_and_a_retry_fills_it() {
    let refuses = |body: &Value| match sentences(body).iter().any(|(index, _)| *index == 1) {
        true => Turn::refuses("no").into(),
        false => good(body),
    };
    let far = story(STORY, refuses);
    let made = far.run(&["cards", "make", "story.txt"]);
    assert_eq!(made.code, 1, "{made:?}");
    assert!(made.err.contains("2 cards; 1 sentence without"), "{}", made.err);
    let run = run_of(&far);
    let status = far.run(&["cards", "status", &run, "--locale", "uk"]);
    assert!(
        status.out.contains("    1  Модель відмовилась (REFUSED)  Kaķis skrien!"),
        "{}",
        status.out
    );
    far.fake.answering(good);
    let retried = far.run(&["cards", "retry"]);
    assert_eq!(retried.code, 0, "{retried:?}");
    let log = far.run(&["cards", "status", &run, "--log"]);
    assert!(log.out.contains("hole at 1 (REFUSED)"), "{}", log.out);
    assert!(log.out.contains("to be retried: sentence 1"), "{}", log.out);
    assert!(log.out.ends_with("completed\n"), "{}", log.out);
}

#[test]
fn a_provider_that_says_no_stops_the_run_with_advice_and_no_loss() {
    let far = story(STORY, |_| Fault::wrong_key().into());
    let made = far.run(&["cards", "make", "story.txt", "--locale", "ru"]);
    assert_eq!(made.code, 1);
    assert!(made.err.contains("error: Ключ не принят: "), "{}", made.err);
    assert!(made.err.contains("fix: Провайдер не принимает ключ."), "{}", made.err);
    far.fake.answering(good);
    assert_eq!(far.run(&["cards", "make", "story.txt"]).code, 0);
}

#[test]
fn fc_23_a_limit_that_cannot_hold_is_refused() {
    let far = story(STORY, good);
    let made = far.run(&["cards", "make", "story.txt", "--max-cost", "1.00"]);
    assert_eq!(made.code, 1);
    assert!(made.err.contains("is unknown, so --max-cost cannot be enforced"), "{}", made.err);
    assert!(far.fake.requests().is_empty());
    let estimate = far.run(&["cards", "make", "story.txt", "--estimate"]);
    assert!(estimate.err.contains("1 request for 3 sentences"), "{}", estimate.err);
    assert!(far.fake.requests().is_empty());
    let runs = far.run(&["cards", "status"]);
    assert!(runs.err.contains("no runs yet"), "neither has begun a run: {runs:?}");
}

#[test]
fn cards_are_reviewed_line_by_line() {
    let far = story(STORY, good);
    far.run(&["cards", "make", "story.txt"]);
    let reviewed = far.pipe("\n3\n\nx\n1\n\nk\n", &["cards", "review"]);
    assert!(reviewed.err.contains("0 due, 3 new"), "{}", reviewed.err);
    assert!(reviewed.err.contains("type 1, 2, 3, 4, k, u or q"), "{}", reviewed.err);
    // The two that are being learned come again at once; the pipe ends there.
    assert!(reviewed.err.contains("learning, 1 more"), "{}", reviewed.err);
    assert!(reviewed.err.ends_with("2 answers given\n"), "{}", reviewed.err);
    let count = far.run(&["cards", "review", "--count"]);
    assert!(count.err.starts_with("0 due, 0 new, 2 done today\n"), "{}", count.err);
    assert_eq!(far.run(&["cards", "known"]).out, "zivs\n");
}

#[test]
fn an_answer_is_undone_and_its_card_asked_again() {
    let far = story(STORY, good);
    far.run(&["cards", "make", "story.txt"]);
    let reviewed = far.pipe("u\n\n4\nu\n\n1\n", &["cards", "review"]);
    assert!(reviewed.err.contains("there is nothing to undo"), "{}", reviewed.err);
    assert!(reviewed.err.contains("undone\n"), "{}", reviewed.err);
    assert!(reviewed.err.ends_with("1 answer given\n"), "{}", reviewed.err);
    let count = far.run(&["cards", "review", "--count"]);
    assert!(count.err.starts_with("0 due, 2 new, 1 done today\n"), "{}", count.err);
}

#[test]
fn the_word_and_the_gap_are_asked_for_too() {
    let far = story("Suns rej.", good);
    far.run(&["cards", "make", "story.txt"]);
    let word = far.pipe("\n4\n", &["cards", "review", "--recall", "word"]);
    assert!(word.err.contains("значение Suns"), "{}", word.err);
    let gap = far.pipe("\n4\n", &["cards", "review", "--recall", "gap"]);
    assert!(gap.err.contains("____ rej."), "{}", gap.err);
    let wrong = far.run(&["cards", "review", "--recall", "both"]);
    assert!(wrong.err.contains("none of `meaning`, `word` and `gap`"), "{}", wrong.err);
}

#[test]
fn known_words_are_not_paid_for_and_doubtful_meanings_are_marked() {
    let far = story(STORY, |body| {
        let mut cards = answer(&sentences(body));
        cards["flashcards"][0]["base_translation"] = json!("dog");
        Turn::calls("emit_flashcards", cards).into()
    });
    far.run(&["cards", "known", "add", "suns", "rej", "--language", "lv"]);
    let made = far.run(&["cards", "make", "story.txt"]);
    assert!(made.err.contains("1 sentence not sent: you know every word"), "{}", made.err);
    let shown = far.run(&["cards", "show"]);
    assert!(shown.out.contains("check: the meaning is in another script"), "{}", shown.out);
    let log = far.run(&["cards", "status", &run_of(&far), "--log"]);
    assert!(log.out.contains("doubtful, asked again: sentence 1"), "{}", log.out);
}

#[test]
fn without_a_model_a_rehearsal_runs() {
    let far = story(STORY, good);
    let made = far.run(&["cards", "make", "story.txt", "--model", "rehearsal"]);
    assert_eq!(made.code, 0, "{made:?}");
    assert!(made.err.contains("the rehearsal makes cards without translations"), "{}", made.err);
    assert!(far.fake.requests().is_empty());
}

const SENTENCES: usize = 2_000;

/// A far side that fails in every way it can, by the number of the request.
fn troubled(numbers: &AtomicUsize, seen: &Mutex<Option<Sender<()>>>, body: &Value) -> Step {
    let number = numbers.fetch_add(1, Ordering::SeqCst);
    if number == 90
        && let Some(seen) = seen.lock().unwrap().take()
    {
        seen.send(()).unwrap();
    }
    let text = answer(&sentences(body)).to_string();
    match number {
        // Four in a row: more than the client bears by itself.
        40..44 | 120..124 => Fault::rate_limited().retry_after_ms(20).into(),
        // 5 % cut somewhere, 5 % no JSON.
        _ if number % 20 == 3 => {
            let at = text.floor_char_boundary(text.len() * (number % 9 + 1) / 10);
            Turn::new().torn_call("emit_flashcards", &text[..at]).into()
        }
        _ if number % 20 == 13 => {
            let broken =
                Item::TornCall { tool: "emit_flashcards".into(), text: text.replace(':', ";") };
            Turn::new().item(broken).stop(StopReason::ToolUse).into()
        }
        _ => good(body),
    }
}

#[test]
fn two_thousand_sentences_end_complete_in_order_and_once_whatever_happens_on_the_way() {
    let text: Vec<String> = (0..SENTENCES).map(|n| format!("Vārds{n} stāv te.")).collect();
    let (sender, reached) = channel();
    let (numbers, seen) = (AtomicUsize::new(0), Mutex::new(Some(sender)));
    let far = story(&text.join(" "), move |body| troubled(&numbers, &seen, body));
    let make = ["cards", "make", "story.txt", "--parallel", "8"];
    let mut first = far.command(&make).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    reached.recv().unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    let run = run_of(&far);
    let status: Value =
        serde_json::from_str(&far.run(&["cards", "status", &run, "--json"]).out).unwrap();
    assert_eq!(status["progress"]["state"], "in_progress");
    assert_eq!(status["partial"], true, "what is there can be used");
    let second = far.run(&make);
    assert_eq!(second.code, 0, "{second:?}");

    let log = far.run(&["cards", "status", &run, "--log", "--json"]).out;
    let events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let status: Value =
        serde_json::from_str(&far.run(&["cards", "status", &run, "--json"]).out).unwrap();
    let views = list(&status["sentences_list"]);
    let place: BTreeMap<String, usize> = views
        .iter()
        .map(|view| {
            (view["sid"].as_str().unwrap().to_owned(), view["index"].as_u64().unwrap() as usize)
        })
        .collect();
    let mut received = vec![0; SENTENCES];
    for event in &events {
        if event["event"] == "sent" {
            for index in list(&event["sentences"]) {
                let index = index.as_u64().unwrap() as usize;
                assert_eq!(received[index], 0, "sentence {index} was sent although it was there");
            }
        }
        for result in list(&event["results"]) {
            received[place[result["sid"].as_str().unwrap()]] += 1;
        }
    }
    assert!(received.iter().all(|count| *count == 1), "each effect once");
    assert_eq!(status["progress"]["state"], "ready");
    assert_eq!(status["misfits"], 0);
    for (index, view) in views.iter().enumerate() {
        assert_eq!(view["text"], format!("Vārds{index} stāv te."));
        assert_eq!(view["translation"], format!("Перевод {index}."));
    }
    let deck: Value = serde_json::from_str(&far.run(&["cards", "show", "--json"]).out).unwrap();
    let words: Vec<_> = list(&deck).iter().map(|card| card["base_form"].clone()).collect();
    let expected: Vec<_> = (0..SENTENCES).map(|n| json!(format!("vārds{n}"))).collect();
    assert_eq!(words, expected);
    for what in ["cut off", "does not fit", "no answer"] {
        assert!(log.contains(what), "the log tells of {what}");
    }
}
