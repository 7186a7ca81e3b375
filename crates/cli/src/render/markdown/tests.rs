//! The output is the same, however the text is split.

use super::Markdown;

/// The text with styles spelled out, as `[b]`, `[i]`, `[c]` (code), `[h]`, `[d]`, `[/]`.
fn shown(pieces: &[&str]) -> String {
    let mut markdown = Markdown::default();
    let mut text: String = pieces.iter().map(|piece| markdown.push(piece)).collect();
    text.push_str(&markdown.finish());
    for (code, name) in [
        ("\u{1b}[0m", "[/]"),
        ("\u{1b}[1m\u{1b}[4m", "[h]"),
        ("\u{1b}[1m\u{1b}[3m", "[bi]"),
        ("\u{1b}[1m", "[b]"),
        ("\u{1b}[3m", "[i]"),
        ("\u{1b}[2m", "[d]"),
        ("\u{1b}[36m", "[c]"),
    ] {
        text = text.replace(code, name);
    }
    text
}

#[test]
fn marks_become_styles() {
    let check = |text: &str, expected: &str| assert_eq!(shown(&[text]), expected, "{text:?}");
    check("plain", "plain");
    check("a **bold** b", "a [/][b]bold[/] b");
    check("an *italic* b", "an [/][i]italic[/] b");
    check("some `code * here` b", "some [/][c]code * here[/] b");
    check("# Title\ntext", "[/][h] Title[/]\ntext");
    check("* one\n- two\n", "• one\n- two\n");
    check("2 * 3 = 6", "2 * 3 = 6");
    check("snake_case_name", "snake_case_name");
    check(
        "```rust\nlet a = **b;\n```\nafter",
        "[/][d]```rust[/]\n[c]let a = **b;[/]\n[c][/][d]```[/]\nafter",
    );
    check("never **closed\nnext", "never [/][b]closed[/]\nnext");
    check("#hashtag", "#hashtag");
}

#[test]
fn a_cut_anywhere_changes_nothing() {
    let text = "# T\n**a** and `b` *c*\n```\ncode *x*\n```\n* item **y**\nend_of_it";
    let whole = shown(&[text]);
    for cut in 0..=text.len() {
        assert_eq!(shown(&[&text[..cut], &text[cut..]]), whole, "cut at {cut}");
    }
}
