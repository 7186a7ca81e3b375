//! Card files: read as a whole or refused, and what was read is read back from our own export.

use cards::{Card, Pair, read_cards};
use serde_json::{Value, json};

use super::{Check, Target, texts};

pub(super) const TARGET: Target = Target { name: "card-import", seeds, words: WORDS, check: made };

const WORDS: &[&str] = &[
    "{\"cards\":[",
    "{\"flashcards\":[",
    "{\"items\":[",
    "\"base_form\":\"māja\",",
    "\"base_form\":5,",
    "\"contexts\":[{\"lv\":\"Šī ir māja.\",\"ru\":\"Это дом.\"}],",
    "\"contexts\":[],",
    "\"forms\":[{\"form\":\"mājas\"}],",
    "\"unit\":\"phrase\",",
    "\"translations\":[\"дом\",\"дом\"],",
    "\"language\":\"lv\",",
    "\"language\":\"\\u0000\",",
    "\"result\":{\"message\":{\"content\":[",
    "\"type\":\"tool_use\",\"name\":\"emit_flashcards\",",
    "\"sid\":-1,",
    "\u{301}",
    "🦔",
    "\n",
];

fn seeds() -> Vec<Vec<u8>> {
    let card = "{\"base_form\":\"māja\",\"unit\":\"word\",\"translations\":[\"дом\"],\
                \"forms\":[{\"form\":\"mājas\",\"translations\":[\"дома\"]}],\
                \"contexts\":[{\"lv\":\"Šī ir māja.\",\"ru\":\"Это дом.\",\"sid\":0,\"sig\":\"s\"}]}";
    let call = format!(
        "{{\"content\":[{{\"type\":\"tool_use\",\"name\":\"emit_flashcards\",\
         \"input\":{{\"flashcards\":[{card}]}}}}]}}"
    );
    let batch = format!(
        "{{\"schemaVersion\":1,\"items\":[{{\"sid\":0,\"russian\":\"Это дом.\",\"cards\":[{card}]}}]}}"
    );
    let lines = format!("{card}\n{card}\n{{\"result\":{{\"message\":{call}}}}}\n");
    texts(&[&format!("{{\"cards\":[{card},{card}]}}"), &format!("[{card}]"), &call, &batch, &lines])
}

fn made() -> Check {
    let language = |code: &str| code.parse().ok();
    let pair = language("lv").zip(language("ru")).map(|(from, to)| Pair { from, to });
    Box::new(move |input| {
        let pair = pair.as_ref().ok_or("the languages are known")?;
        let text = String::from_utf8_lossy(input);
        let Ok(cards) = read_cards(&text, pair) else { return Ok(()) };
        let file = json!({ "cards": cards });
        let again = read_cards(&file.to_string(), pair)
            .map_err(|fault| format!("our own export is not read: {fault}"))?;
        let values =
            |cards: &[Card]| -> Vec<Value> { cards.iter().map(|card| json!(card)).collect() };
        if values(&cards) == values(&again) {
            Ok(())
        } else {
            Err(format!("our own export reads as {again:?}"))
        }
    })
}
