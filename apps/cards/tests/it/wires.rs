//! FC-03, FC-05, FC-15: the same cards by every way to ask, from a server that is as strict
//! as the real ones.

use std::sync::Arc;

use cards::{Answerer, ContextsMax, WorkEnd};
use contract::{Rung, Wire};
use fake_providers::{FakeProvider, Step, Turn};
use models::{Certificates, Client, HttpClient, Key, Limits, Provider, Secret};
use serde_json::{Value, json};

use crate::world::{Moved, World, asked_in, options};

pub(crate) const TEXT: &str = "Suns rej. Kaķis skrien. Putns dzied.";

/// A client of the fake on this wire.
pub(crate) fn client(
    fake: &FakeProvider,
    wire: Wire,
    model: &str,
    rung: Option<Rung>,
    clock: &Arc<Moved>,
) -> Client {
    let key = Key::Given(Secret::new("sk-test".to_owned()));
    let (provider, below) = match wire {
        Wire::Anthropic => (Provider::anthropic(key), ""),
        Wire::Responses => (Provider::openai(key), "/v1"),
        Wire::Chat => (Provider { wire: Wire::Chat, ..Provider::openai(key) }, "/v1"),
        Wire::Gemini => (Provider::gemini(key), "/v1beta"),
    };
    let base_url = format!("{}{below}", fake.base_url());
    let rungs = rung.map(|rung| vec![rung]);
    let line = HttpClient::with(Limits::usual(), clock.clone(), Certificates::usual()).unwrap();
    Client::over(line, Provider { base_url, rungs, ..provider }, model).unwrap()
}

/// The numbered sentences, wherever in a body they stand.
pub(crate) fn sentences(body: &Value) -> Vec<(usize, String)> {
    fn find(value: &Value, found: &mut Option<String>) {
        match value {
            Value::String(text) => {
                let number = text.strip_prefix('[').and_then(|rest| rest.split_once("] "));
                if number.is_some_and(|(number, _)| number.parse::<usize>().is_ok()) {
                    found.get_or_insert(text.clone());
                }
            }
            Value::Array(items) => items.iter().for_each(|item| find(item, found)),
            Value::Object(map) => map.values().for_each(|item| find(item, found)),
            _ => {}
        }
    }
    let mut found = None;
    find(body, &mut found);
    asked_in(&found.expect("a request has sentences"))
}

/// Cards with every field, as a strict schema wants them; the unit in other capitals.
pub(crate) fn answer(sentences: &[(usize, String)]) -> Value {
    let card = |(index, text): &(usize, String)| {
        let word = text.split([' ', '.']).next().unwrap();
        json!({
            "base_form": word.to_lowercase(), "base_translation": format!("значение {word}"),
            "unit": "Word",
            "visible": true,
            "contexts": [{ "sid": index, "translation": format!("Перевод {index}."),
                "forms": [{ "form": word, "translation": "y", "type": "nominative" }] }],
        })
    };
    json!({ "flashcards": sentences.iter().map(card).collect::<Vec<_>>() })
}

pub(crate) fn turn(rung: Rung, answer: &Value) -> Turn {
    // FC-03: the answer stands behind thinking and text.
    match rung {
        Rung::Native => Turn::says(&answer.to_string()),
        Rung::Forced | Rung::Automatic => {
            Turn::says("Here they are.").call("emit_flashcards", answer.clone())
        }
    }
}

#[tokio::test]
async fn fc_05_every_way_to_ask_gives_the_same_cards() {
    let mut decks = Vec::new();
    for (wire, model, rung) in [
        (Wire::Anthropic, "claude-opus-5-5", Rung::Native),
        (Wire::Anthropic, "claude-haiku-4-5", Rung::Forced),
        (Wire::Anthropic, "claude-opus-5-5", Rung::Automatic),
        (Wire::Responses, "gpt-5.5", Rung::Native),
        (Wire::Responses, "gpt-5.5", Rung::Forced),
        (Wire::Chat, "gpt-5.5", Rung::Native),
        (Wire::Chat, "gpt-5.5", Rung::Automatic),
        (Wire::Gemini, "gemini-3-pro", Rung::Native),
    ] {
        let world = World::new();
        let run = world.begin(TEXT).await;
        let fake = FakeProvider::start().await.unwrap();
        fake.answering(move |body| Step::from(turn(rung, &answer(&sentences(body)))));
        let client = Arc::new(client(&fake, wire, model, Some(rung), &world.clock));
        let by = Answerer { model: client, batches: None };
        let end = world.library.work(&run, &by, &options(), Arc::new(|_| {})).await.unwrap();
        assert_eq!(end, WorkEnd::Ready, "{wire} {rung}");
        fake.assert_used_up();
        let bodies = fake.bodies();
        assert!(!bodies.contains("tool_result"), "FC-04: {bodies}");
        decks.push(world.library.deck(&run, ContextsMax::USUAL).await.unwrap());
    }
    assert_eq!(decks[0].cards.len(), 3);
    for deck in &decks {
        assert_eq!(deck, &decks[0]);
    }
}
