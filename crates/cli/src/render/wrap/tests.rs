//! The final screen is the same, however the text is split.

use proptest::prelude::*;

use super::{Wrap, wrapped};

/// What a terminal of so many cells shows; knows what [`Wrap`] writes and nothing else.
fn terminal(written: &str, columns: usize) -> Vec<String> {
    let (mut rows, mut column) = (vec![Vec::<char>::new()], 0);
    let mut rest = written.chars();
    while let Some(c) = rest.next() {
        let row = rows.len() - 1;
        match c {
            '\n' => (rows.push(Vec::new()), column = 0).1,
            '\u{1b}' => {
                let sequence: String =
                    rest.by_ref().skip(1).take_while(|c| c.is_numeric()).collect();
                // `take_while` has eaten the letter: with a number it is `D`, without `K`.
                match sequence.parse::<usize>() {
                    Ok(cells) => column -= cells,
                    Err(_) => rows[row].truncate(column),
                }
            }
            c => {
                if column == columns {
                    (rows.push(Vec::new()), column = 0).1
                }
                let row = rows.len() - 1;
                rows[row].truncate(column);
                rows[row].push(c);
                column += 1;
            }
        }
    }
    rows.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned()).collect()
}

#[track_caller]
fn check(columns: usize, text: &str, expected: &[&str]) {
    let shown = wrapped(text, Some(columns));
    let lines: Vec<_> = shown.split('\n').map(str::trim_end).collect();
    assert_eq!(lines, expected, "{text:?}");
}

#[test]
fn lines_break_between_words() {
    check(11, "one two three four", &["one two", "three four"]);
    check(11, "one  two", &["one  two"]);
    check(11, "one\ntwo\n\nthree", &["one", "two", "", "three"]);
    check(11, "an https://example.org/x is long", &["an", "https://example.org/x", "is long"]);
    check(11, "- one two three", &["- one two", "  three"]);
    check(13, "  12. one two", &["  12. one", "      two"]);
    check(12, "    deep text goes on", &["    deep", "    text", "    goes on"]);
    check(11, "你好世界你好世界", &["你好世界你", "好世界"]);
    check(11, "naïve café crème", &["naïve café", "crème"]);
}

#[test]
fn code_and_tables_pass_as_they_are() {
    check(
        11,
        "```\nlet a_long = line of code;\n```\none two three",
        &["```", "let a_long = line of code;", "```", "one two", "three"],
    );
    check(
        11,
        "| a cell | another cell |\none two three",
        &["| a cell | another cell |", "one two", "three"],
    );
}

#[test]
fn styles_take_no_room() {
    let bold = "\u{1b}[1m";
    let shown = wrapped(&format!("one {bold}two\u{1b}[0m three"), Some(14));
    assert_eq!(shown, format!("one {bold}two\u{1b}[0m three"));
    let shown = wrapped(&format!("one {bold}two\u{1b}[0m three"), Some(13));
    assert_eq!(shown, format!("one {bold}two\u{1b}[0m\nthree"));
}

#[test]
fn what_has_come_of_a_word_is_seen_at_once_where_it_can_move() {
    let mut wrap = Wrap::new(true);
    let mut written = wrap.push("Starting... ", 20);
    written += &wrap.push("go", 20);
    assert_eq!(written, "Starting... go");
    written += &wrap.push("ingthere", 20);
    assert_eq!(terminal(&written, 20), ["Starting...", "goingthere"]);
    let mut patient = Wrap::new(false);
    assert_eq!(patient.push("Starting... go", 20), "Starting...");
    assert_eq!(patient.finish(20), " go");
}

#[test]
fn without_a_terminal_nothing_is_broken() {
    let text = "word ".repeat(100);
    assert_eq!(wrapped(&text, None), text);
}

proptest! {
    #[test]
    fn a_cut_anywhere_shows_the_same(
        words in prop::collection::vec("[a-z*`|-]{0,14}[ \n]{0,2}", 0..20),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        columns in 4usize..30,
    ) {
        let text = words.concat();
        let whole = terminal(&wrapped(&text, Some(columns)), columns);
        let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        places.extend([0, text.len()]);
        places.sort_unstable();
        for moves_words in [true, false] {
            let mut wrap = Wrap::new(moves_words);
            let mut written = String::new();
            for pair in places.windows(2) {
                written += &wrap.push(&text[pair[0]..pair[1]], columns);
            }
            written += &wrap.finish(columns);
            prop_assert_eq!(&terminal(&written, columns), &whole, "{:?}", text);
        }
    }
}
