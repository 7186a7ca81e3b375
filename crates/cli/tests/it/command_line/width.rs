//! What fits a terminal: lines break between words at its width, tables stay one line a row,
//! and where there is no terminal nothing is broken.

use std::fs;

use fake_providers::Turn;

use crate::support::model_project::FarSide;
use crate::support::terminal::at_terminal;

/// The lines on a terminal of so many columns, without styles, after a command has ended.
#[track_caller]
fn lines_at(far: &FarSide, columns: u16, args: &[&str]) -> Vec<String> {
    let program = [&[env!("CARGO_BIN_EXE_ghosthand")], args].concat();
    let steps: [(&str, &str); 0] = [];
    screen(&at_terminal(far.path(), &program, &steps, Some(columns)))
}

/// The lines that stand in the end: a line may be drawn over, and its last word may move.
fn screen(written: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut rest = written.chars().peekable();
    while let Some(c) = rest.next() {
        let line = lines.last_mut().unwrap();
        match c {
            '\n' => lines.push(String::new()),
            '\r' => {}
            '\u{1b}' => {
                let mut sequence = String::new();
                for c in rest.by_ref().skip(1) {
                    sequence.push(c);
                    if c.is_ascii_alphabetic() {
                        break;
                    }
                }
                if sequence == "2K" {
                    line.clear();
                } else if let Some(cells) = sequence.strip_suffix('D') {
                    let cells: usize = cells.parse().unwrap();
                    let left = line.chars().count() - cells;
                    *line = line.chars().take(left).collect();
                }
            }
            c => line.push(c),
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

#[track_caller]
fn fits(lines: &[String], columns: u16) {
    for line in lines {
        assert!(line.chars().count() <= usize::from(columns), "{columns}: {line:?}\n{lines:#?}");
    }
}

const ANSWER: &str = "The notebook holds considerably more than anybody would expect of so \
                      unassuming a volume, and its **annotations** are remarkable.";

#[test]
fn an_answer_breaks_between_words_at_the_width_of_the_terminal() {
    let far = FarSide::new();
    for columns in [40, 80] {
        far.fake.then(Turn::says(ANSWER));
        let id = format!("c{columns}");
        let lines = lines_at(&far, columns, &["chat", "What is in it?", "--conversation", &id]);
        fits(&lines, columns);
        let start = lines.iter().position(|line| line.starts_with("The notebook")).unwrap();
        let whole = lines[start..].join(" ");
        assert_eq!(whole.trim(), ANSWER.replace("**", ""), "{lines:#?}");
        assert!(lines[start..].iter().filter(|line| !line.is_empty()).count() > 1, "{lines:#?}");
    }
    // Elsewhere the text is as the model wrote it.
    far.fake.then(Turn::says(ANSWER));
    assert_eq!(far.run(&["chat", "What is in it?"]).out, format!("{ANSWER}\n"));
}

const TELLER: &str = r#"
from utils.tool_utils import assistant_chunk


async def tell():
    """Tell a story."""
    for piece in ["Once upon", " a ti", "me there was", " a notebook, and it", " was"]:
        yield assistant_chunk(piece)
    print("from the console")
    yield assistant_chunk("The end.\n")


TOOLS = [{"function": tell, "version": "1.0.0", "schema": {
    "name": "tell", "description": "Tell a story that is long, and describe it at such length that no terminal has room for all of it.",
    "parameters": {"type": "object", "properties": {}, "required": []}}}]
"#;

#[test]
fn what_a_called_tool_streams_is_one_text() {
    let far = FarSide::new();
    fs::write(far.path().join("tools/teller.py"), TELLER).unwrap();
    let run = far.run(&["call", "teller.tell"]);
    let story = "Once upon a time there was a notebook, and it was\n";
    assert!(run.err.contains(story), "{run:?}");
    assert!(run.err.contains("\nconsole  from the console\nThe end.\nteller.tell run"), "{run:?}");
    let lines = lines_at(&far, 30, &["call", "teller.tell"]);
    let story =
        ["Once upon a time there was a", "notebook, and it was", "console  from the console"];
    assert!(lines.windows(3).any(|three| three == story), "{lines:#?}");
}

#[test]
fn the_list_of_tools_has_one_line_for_each() {
    let far = FarSide::new();
    fs::write(far.path().join("tools/teller.py"), TELLER).unwrap();
    let whole = "no terminal has room for all of it.";
    let tools = |lines: &[String]| lines.iter().filter(|line| line.contains("  on ")).count();
    let piped = far.run(&["tools", "list"]);
    let all: Vec<_> = piped.out.lines().map(str::to_owned).collect();
    assert!(piped.out.contains(whole), "{piped:?}");
    let places: std::collections::BTreeSet<_> =
        all.iter().filter_map(|line| line.find("  on ")).collect();
    assert_eq!(places.len(), 1, "the columns stand below each other: {piped:?}");
    for columns in [40, 80] {
        let lines = lines_at(&far, columns, &["tools", "list"]);
        fits(&lines, columns);
        assert_eq!(tools(&lines), tools(&all), "{lines:#?}");
        let teller = lines.iter().find(|line| line.starts_with("teller.tell")).unwrap();
        assert!(teller.ends_with('…'), "{teller:?}");
    }
    let long = lines_at(&far, 40, &["tools", "list", "--long"]);
    assert!(long.iter().any(|line| line.ends_with(whole)), "{long:#?}");
}
