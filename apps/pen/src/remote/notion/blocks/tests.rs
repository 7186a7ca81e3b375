//! Splitting at Notion's limits: complete, in order, characters intact.

use proptest::prelude::*;
use serde_json::Value;

use super::pieces::{UNITS_MAX, pieces};
use super::*;

fn texts(blocks: &[Value]) -> Vec<String> {
    let text = |block: &Value| {
        let kind = block["type"].as_str().unwrap();
        let elements = block[kind]["rich_text"].as_array().into_iter().flatten();
        let text: String =
            elements.map(|element| element["text"]["content"].as_str().unwrap()).collect();
        format!("{kind}: {text}")
    };
    blocks.iter().map(text).collect()
}

#[track_caller]
fn check(text: &Text, expected: &[&str]) {
    assert_eq!(texts(&of_text(text)), expected);
}

#[test]
fn a_post_keeps_its_lines_hashtags_and_blank_lines() {
    let post = "# Hook\nперший рядок\nдругий\n\n- не список\n\n\n#тег #tag\n";
    check(
        &Text::Post(post.into()),
        &[
            "heading_1: Hook",
            "paragraph: перший рядок\nдругий",
            "paragraph: - не список",
            "paragraph: ",
            "paragraph: #тег #tag",
        ],
    );
    check(&Text::Post("a\r\nb\r\n\r\nc".into()), &["paragraph: a\nb", "paragraph: c"]);
    check(&Text::Post("\n\n  \n".into()), &[]);
}

#[test]
fn markdown_is_laid_out_in_blocks() {
    let text =
        "## Two\n- a\n* b\n1. one\n> said\n- [x] done\n- [ ] open\n---\n```rust\n# no\n```\nend";
    check(
        &Text::Markdown(text.into()),
        &[
            "heading_2: Two",
            "bulleted_list_item: a",
            "bulleted_list_item: b",
            "numbered_list_item: one",
            "quote: said",
            "to_do: done",
            "to_do: open",
            "divider: ",
            "code: # no",
            "paragraph: end",
        ],
    );
    let blocks = of_text(&Text::Markdown("- [x] done\n- [ ] open".into()));
    assert_eq!(blocks[0]["to_do"]["checked"], true);
    assert_eq!(blocks[1]["to_do"]["checked"], false);
}

#[test]
fn pieces_are_the_text_again_and_none_is_too_long() {
    let sentence = "Речення про вигорання, яке має кілька слів і кому. ";
    let texts = [
        sentence.repeat(90),
        "слово ".repeat(1_000),
        "я".repeat(4_500),
        "👨‍👩‍👧‍👦".repeat(700),
        "👍🏽".repeat(1_500),
        format!("{}e\u{301}{}", "x".repeat(1_999), "y".repeat(10)),
    ];
    for text in texts {
        let pieces = pieces(&text);
        assert_eq!(pieces.concat(), text);
        assert!(pieces.len() > 1);
        assert!(pieces.iter().all(|piece| piece.encode_utf16().count() <= UNITS_MAX));
    }
    assert!(pieces(&sentence.repeat(90))[0].ends_with(". "));
    assert!(pieces(&"слово ".repeat(1_000))[0].ends_with(' '));
    assert!(pieces(&"👨‍👩‍👧‍👦".repeat(700)).iter().all(|piece| piece.starts_with('👨')));
    assert!(pieces(&"👍🏽".repeat(1_500)).iter().all(|piece| piece.starts_with('👍')));
    let accent = format!("{}e\u{301}{}", "x".repeat(1_999), "y".repeat(10));
    assert!(pieces(&accent)[1].starts_with('e'));
}

#[test]
fn a_paragraph_beyond_a_hundred_pieces_goes_on_in_another() {
    let blocks = of_text(&Text::Post("я".repeat(250_000)));
    assert_eq!(blocks.len(), 2);
    let all: String = texts(&blocks).iter().map(|text| text.replace("paragraph: ", "")).collect();
    assert_eq!(all, "я".repeat(250_000));
}

#[test]
fn batches_keep_the_order_and_the_limits() {
    let many: Vec<_> = (0..250).map(|number| json!({ "number": number })).collect();
    let batched = batches(many.clone());
    assert_eq!(batched.iter().map(Vec::len).collect::<Vec<_>>(), [100, 100, 50]);
    assert_eq!(batched.concat(), many);
    let heavy = vec![json!("x".repeat(150_000)); 5];
    assert_eq!(batches(heavy).iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
}

proptest! {
    #[test]
    fn no_text_is_lost_in_pieces(text in "(\\PC|👨‍👩‍👧|\n){1500,3000}") {
        let pieces = pieces(&text);
        prop_assert_eq!(pieces.concat(), text.as_str());
        prop_assert!(pieces.iter().all(|piece| piece.encode_utf16().count() <= UNITS_MAX));
    }

    #[test]
    fn no_word_is_lost_in_blocks(text in "([a-zа-я#>\\-`. ]|\n|\r\n){0,400}") {
        let words = |text: &str| text.split(|c: char| !c.is_alphabetic())
            .filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        let blocks = of_text(&Text::Post(text.clone()));
        let laid: Vec<_> = texts(&blocks).iter()
            .map(|line| line.split_once(": ").unwrap().1.to_owned()).collect();
        prop_assert_eq!(words(&laid.join("\n")), words(&text));
    }
}
