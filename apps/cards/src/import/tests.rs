//! FC-03, FC-18: files with cards from any program.

use serde_json::{Value, json};

use super::read_cards;
use crate::text::language::Pair;

fn read(content: &str) -> Result<Vec<String>, String> {
    let pair = Pair { from: "lv".parse().unwrap(), to: "ru".parse().unwrap() };
    let cards = read_cards(content, &pair).map_err(|fault| fault.to_string())?;
    let line = |card: crate::deck::card::Card| {
        let context = card.contexts.first();
        let said = context.map(|context| format!(" {}", context.translation)).unwrap_or_default();
        format!("{}{said}", card.base_form)
    };
    Ok(cards.into_iter().map(line).collect())
}

fn card(word: &str) -> Value {
    json!({ "base_form": word, "contexts": [{ "lv": "Teikums.", "ru": "Фраза." }] })
}

#[test]
fn fc_18_every_kind_of_file_is_read() {
    let expected = Ok(vec!["māja Фраза.".to_owned()]);
    let message = json!({ "content": [
        { "type": "thinking", "thinking": "…", "signature": "x" },
        { "type": "text", "text": "Here you are." },
        { "type": "tool_use", "id": "t", "name": "other", "input": { "flashcards": [card("x")] } },
        { "type": "tool_use", "id": "u", "name": "emit_flashcards",
          "input": { "flashcards": [card("māja")] } },
        { "type": "tool_use", "id": "v", "name": "emit_flashcards",
          "input": { "flashcards": [card("y")] } },
    ] });
    let item = json!({ "schemaVersion": 1, "batchId": "b", "items": [
        { "sid": 0, "sig": "s", "russian": "Фраза.",
          "cards": [{ "base_form": "māja", "contexts": [{ "lv": "Teikums." }] }] },
    ] });
    for value in [
        json!([card("māja")]),
        json!({ "cards": [card("māja")] }),
        json!({ "flashcards": [card("māja")] }),
        message.clone(),
        item,
    ] {
        assert_eq!(read(&value.to_string()), expected, "{value}");
        assert_eq!(read(&serde_json::to_string_pretty(&value).unwrap()), expected);
    }
    // Lines of the Anthropic console: the first call of our tool, wherever it stands.
    let line = |id: &str| json!({ "custom_id": id, "result": { "type": "succeeded", "message": message } });
    let failed = json!({ "custom_id": "c", "result": { "type": "errored", "error": {} } });
    let lines = format!("{}\n\n{}\n{failed}\n", line("a"), line("b"));
    assert_eq!(read(&lines).unwrap().len(), 2);
    assert_eq!(read(&format!("\u{feff}{}\n{}\n", card("a"), card("b"))).unwrap().len(), 2);
}

#[test]
fn fc_18_what_is_no_file_of_cards_is_refused_as_a_whole() {
    let check = |content: &str, expected: &str| {
        let fault = read(content).unwrap_err();
        assert!(fault.contains(expected), "{fault}");
    };
    check("", "no cards");
    check("{}", "no cards");
    check("nonsense", "line 1 is not JSON");
    check(&format!("{}\n{{\n", card("a")), "line 2 is not JSON");
    check(
        &json!([card("a"), { "base_form": 5 }]).to_string(),
        "card 2: `base_form` must be a text",
    );
    check(&" ".repeat(super::IMPORT_BYTES_MAX + 1), "more than 20 MB");
}
