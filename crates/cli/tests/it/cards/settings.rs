//! Each setting below `[cards]`, as it reaches the provider.

use contract::Wire;
use fake_providers::{Step, Turn};
use serde_json::{Value, json};

use super::{answer, run_of, sentences};
use crate::support::model_project::FarSide;

/// A project with a text of six sentences and these lines below its settings.
fn project(wire: Wire, settings: &str) -> FarSide {
    let far = FarSide::speaking(wire);
    let text: Vec<String> = (0..6).map(|n| format!("Vārds{n} stāv te.")).collect();
    std::fs::write(far.path().join("story.txt"), text.join(" ")).unwrap();
    let file = far.path().join("ghosthand.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{before}\n{settings}\n")).unwrap();
    far
}

fn good(tool: &'static str) -> impl Fn(&Value) -> Step + Send + Sync + 'static {
    move |body| Turn::calls(tool, answer(&sentences(body))).into()
}

/// The sentences of each request for cards.
fn asked(far: &FarSide) -> Vec<Vec<usize>> {
    let indexes = |body: &Value| sentences(body).into_iter().map(|(index, _)| index).collect();
    far.fake.requests().iter().map(|request| indexes(&request.body)).collect()
}

fn make(far: &FarSide) {
    let made = far.run(&["cards", "make", "story.txt", "--parallel", "1"]);
    assert_eq!(made.code, 0, "{made:?}");
}

#[test]
fn enabled_switches_the_commands_and_the_page_off() {
    let far = project(Wire::Chat, "[cards]\nenabled = false");
    let made = far.run(&["cards", "make", "story.txt"]);
    assert_eq!(made.code, 1);
    assert!(made.err.contains("error: flashcards are switched off"), "{}", made.err);
    assert!(made.err.contains("set `enabled = true` below `[cards]`"), "{}", made.err);
    assert!(far.fake.requests().is_empty());
}

#[test]
fn emit_tool_name_names_the_tool() {
    let far = project(Wire::Chat, "[cards]\nemit_tool_name = \"write_cards\"");
    far.fake.answering(good("write_cards"));
    make(&far);
    let body = far.fake.requests().last().unwrap().body.to_string();
    assert!(body.contains("write_cards") && !body.contains("emit_flashcards"), "{body}");
    let shown: Value = serde_json::from_str(&far.run(&["cards", "tool"]).out).unwrap();
    assert_eq!(shown["name"], "write_cards");
}

#[test]
fn max_tokens_is_the_limit_of_a_first_request_and_max_tokens_bump_of_the_next() {
    let settings = "[cards]\nmax_tokens = 700\n[cards.retry]\nmax_tokens_bump = 3";
    let far = project(Wire::Anthropic, settings);
    far.fake.answering(|body| match body["max_tokens"].as_u64() {
        Some(700) => Turn::new().torn_call("emit_flashcards", "{\"flash").into(),
        _ => good("emit_flashcards")(body),
    });
    make(&far);
    let limits: Vec<_> =
        far.fake.requests().iter().map(|request| request.body["max_tokens"].clone()).collect();
    assert_eq!(limits, [json!(700), json!(2_100)]);
}

#[test]
fn chunking_says_how_many_sentences_a_request_has_at_first_and_at_least() {
    let settings = "[cards.chunking]\nmax_sentences = 4\nmin_sentences = 2";
    let far = project(Wire::Chat, settings);
    far.fake.answering(|body| match sentences(body).iter().any(|(index, _)| *index == 0) {
        true => Turn::refuses("no").into(),
        false => good("emit_flashcards")(body),
    });
    let made = far.run(&["cards", "make", "story.txt", "--parallel", "1"]);
    assert_eq!(made.code, 1, "{made:?}");
    assert_eq!(asked(&far), [vec![0, 1, 2, 3], vec![0, 1], vec![2, 3], vec![4, 5]]);
    let status = far.run(&["cards", "status", &run_of(&far)]);
    assert!(status.out.contains("partly ready: 4 of 6 sentences, 2 holes"), "{}", status.out);
}

#[test]
fn betas_are_asked_for_at_anthropic() {
    let far = project(Wire::Anthropic, "[cards]\nbetas = [\"fast-cards-2026\", \"b2\"]");
    far.fake.answering(good("emit_flashcards"));
    make(&far);
    let headers = &far.fake.requests()[0].headers;
    let beta = headers.iter().find(|(name, _)| name.as_str() == "anthropic-beta");
    assert_eq!(beta.and_then(|(_, value)| value.to_str().ok()), Some("fast-cards-2026,b2"));
    let wrong = project(Wire::Anthropic, "[cards]\nbetas = [\"a b\"]");
    let made = wrong.run(&["cards", "make", "story.txt"]);
    assert!(made.err.contains("`cards.betas` is `a b`, which is not valid"), "{}", made.err);
}

#[test]
fn config_shows_every_setting_of_the_cards() {
    let far = project(Wire::Chat, "[cards]\nmax_tokens = 700\n[cards.chunking]\nmax_sentences = 4");
    let config = far.run(&["config"]).out;
    for line in [
        "cards.enabled true built in",
        "cards.emit_tool_name emit_flashcards built in",
        "cards.max_tokens 700 ghosthand.toml",
        "cards.retry.max_tokens_bump 2 built in",
        "cards.chunking.max_sentences 4 ghosthand.toml",
        "cards.chunking.min_sentences 1 built in",
        "cards.betas - not set",
    ] {
        let words: Vec<_> = line.split(' ').collect();
        let found = config.lines().any(|shown| {
            let shown: Vec<_> = shown.split_whitespace().collect();
            shown.starts_with(&words[..2]) && shown.join(" ").starts_with(line)
        });
        assert!(found, "{line}\n{config}");
    }
}

/// A provider that is always busy gets the request and three more.
#[test]
fn fc_13_a_steady_429_is_asked_four_times() {
    let far = project(Wire::Chat, "");
    far.fake.answering(|_| fake_providers::Fault::rate_limited().retry_after_ms(5).into());
    let made = far.run(&["cards", "make", "story.txt", "--parallel", "1", "--chunk", "3"]);
    assert_eq!(made.code, 1);
    assert!(made.err.contains("(RATE_LIMIT)"), "{}", made.err);
    assert_eq!(asked(&far), vec![vec![0, 1, 2]; 4]);
}

#[test]
fn a_model_that_cannot_do_it_is_stopped_with_a_reason() {
    let far = project(Wire::Chat, "");
    far.fake.answering(|_| Turn::calls("emit_flashcards", json!({})).into());
    let made = far.run(&["cards", "make", "story.txt", "--chunk", "1", "--locale", "uk"]);
    assert_eq!(made.code, 1);
    assert!(made.err.contains("error: Відповіді моделі непридатні: "), "{}", made.err);
    assert!(made.err.contains("answers in a row could not be used"), "{}", made.err);
    assert!(far.fake.requests().len() <= 16, "{}", far.fake.requests().len());
}
