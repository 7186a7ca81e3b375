//! Names, thresholds and versions of artifacts.

use super::block::Info;
use super::{Artifact, Kind, add_text};
use crate::render::markdown::{code_blocks, to_html};

/// The artifacts of these answers.
fn found(answers: &[&str]) -> Vec<Artifact> {
    let mut found = Vec::new();
    for (turn, text) in answers.iter().enumerate() {
        add_text(&format!("t{turn}.assistant0"), turn as u64, text, &mut found);
    }
    found
}

/// `title: version/version`, with the answers of the versions.
fn short(answers: &[&str]) -> Vec<String> {
    let line = |one: &Artifact| {
        let turns: Vec<_> = one.versions.iter().map(|version| version.turn.to_string()).collect();
        format!("{}: {}", one.title, turns.join("/"))
    };
    found(answers).iter().map(line).collect()
}

fn fenced(info: &str, code: &str) -> String {
    format!("Here:\n\n```{info}\n{code}\n```\n\nDone.")
}

/// Lines from `a` to `b`.
fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_name_is_read_in_the_ways_that_models_write_it() {
    let check = |info: &str, language: &str, name: Option<&str>| {
        let found = Info::of(info);
        assert_eq!((found.language.as_str(), found.name.as_deref()), (language, name), "{info}");
    };
    check("html title=\"Sales report\"", "html", Some("Sales report"));
    check("html title='Sales' x=1", "html", Some("Sales"));
    check("python filename=src/app.py", "python", Some("src/app.py"));
    check("js:src/app.js", "js", Some("src/app.js"));
    check("js src/app.js", "js", Some("src/app.js"));
    check("rust,ignore", "rust", None);
    check("rust {file=main.rs}", "rust", Some("main.rs"));
    check("html subtitle=\"No\"", "html", None);
    check("html title=", "html", None);
    check("html title=\"  \"", "html", None);
    check("js {1,3-5}", "js", None);
    check("", "", None);
    check("title=\"a", "title=\"a", None);
}

#[test]
fn what_is_long_or_can_be_drawn_is_an_artifact() {
    let check = |info: &str, code: &str, expected: Option<(Kind, &str, &str)>| {
        let text = fenced(info, code);
        let blocks = code_blocks(&text);
        let labels = blocks[0].labels();
        let labels = labels.as_ref().map(|one| (one.kind, one.title.as_str(), one.file.as_str()));
        assert_eq!(labels, expected, "{info} {code}");
        assert_eq!(to_html(&text).contains("data-artifact"), expected.is_some(), "{info}");
    };
    check("rust", &lines(0..14), None);
    check("rust", &lines(0..15), Some((Kind::Code, "Code in rust", "code-in-rust.rs")));
    check("", &"x".repeat(1_000), Some((Kind::Code, "Text", "text.txt")));
    check("py app.py", &lines(0..4), None);
    check("py app.py", &lines(0..5), Some((Kind::Code, "app.py", "app.py")));
    check("csv", "a,b", None);
    check("csv", "a,b\n1,2", Some((Kind::Csv, "Table", "table.csv")));
    let page = "<!doctype html>\n<TITLE>My\n page</title>";
    check("html", page, Some((Kind::Html, "My page", "my-page.html")));
    check("xml", "<?xml version=\"1.0\"?>\n<svg/>", Some((Kind::Svg, "Drawing", "drawing.xml")));
    check("xml", "<a>\n</a>", None);
    let document = format!("Intro\n# The plan: *A*\n{}", lines(0..20));
    check("md", &document, Some((Kind::Markdown, "The plan: *A*", "the-plan-a.md")));
    check(
        "html title=\"../../etc/<passwd>\"",
        "<p>\n</p>",
        Some((Kind::Html, "../../etc/<passwd>", "passwd.html")),
    );
}

#[test]
fn a_block_with_the_same_name_is_a_new_version() {
    let old = fenced("html title=\"Clock\"", "<p>one</p>\n<b>two</b>");
    let new = fenced("html title=\"Clock\"", "<main>\n  all new\n</main>");
    assert_eq!(short(&[&old, "Well.", &new]), ["Clock: 0/2"]);
    let both = format!("{old}\n{new}");
    assert_eq!(short(&[&both]), ["Clock: 0/0"], "also in one answer");
    let other = fenced("html title=\"Watch\"", "<p>one</p>\n<b>two</b>");
    assert_eq!(short(&[&old, &other]), ["Clock: 0", "Watch: 1"], "another name is another one");
    let script = fenced("js title=\"Clock\"", &lines(0..20));
    assert_eq!(short(&[&old, &script]), ["Clock: 0", "Clock: 1"], "so is another language");
}

#[test]
fn a_block_without_a_name_is_a_version_of_what_it_shares_half_of_its_lines_with() {
    let check = |first: &str, second: &str, expected: &[&str]| {
        assert_eq!(short(&[&fenced("rust", first), &fenced("rust", second)]), expected);
    };
    let one = &["Code in rust: 0/1"];
    let two = &["Code in rust: 0", "Code in rust: 1"];
    check(&lines(0..20), &lines(0..20), one);
    check(&lines(0..20), &lines(10..30), one);
    check(&lines(0..20), &lines(11..31), two);
    check(&lines(0..20), &lines(0..40), one);
    check(&lines(0..20), &lines(0..41), two);
    // Braces and blank lines are in all code.
    let braces = |range| format!("{}\n{}", lines(range), "}\n\n".repeat(40));
    check(&braces(0..15), &braces(20..35), two);
    // What moved to the right is the same line.
    check(&lines(0..20), &lines(0..20).replace("line", "   line"), one);
    let (named, bare) = (fenced("rust main.rs", &lines(0..20)), fenced("rust", &lines(0..21)));
    assert_eq!(short(&[&named, &bare]), ["main.rs: 0/1"], "it keeps its name");
    let twice = format!("{bare}\n{bare}");
    assert_eq!(short(&[&twice]).len(), 2, "two blocks of one answer are two artifacts");
    let python = fenced("python", &lines(0..20));
    assert_eq!(short(&[&bare, &python]).len(), 2, "languages are not compared");
}

#[test]
fn the_page_counts_artifacts_as_the_rule_does() {
    let texts = [
        fenced("csv", "a,b\n1,2"),
        "- item\n\n  ```csv\n  a,b\n  1,2\n  ```\n\n> ~~~html\n> <p>\n> </p>\n> ~~~".to_owned(),
        "$x$ ```csv\n\n```csv\na,$b$\n1,$2$\n```".to_owned(),
        "<pre data-artifact=\"html\">\nhm\n</pre>\n\n<PRE DATA-ARTIFACT='html'>a</PRE>".to_owned(),
        "```csv\na,b\n1,2".to_owned(),
    ];
    for text in &texts {
        let counted = code_blocks(text).iter().filter_map(super::CodeBlock::labels).count();
        let shown = to_html(text).matches("<pre data-artifact=").count();
        assert_eq!(shown, counted, "{text}");
    }
}

#[test]
fn a_label_cannot_leave_its_attribute() {
    let html = to_html(&fenced("html title='\"><script>x</script>'", "<p>\n</p>"));
    assert!(!html.contains("<script"), "{html}");
    assert!(html.contains("data-title=\"&quot;"), "{html}");
}

#[test]
fn conversations_with_very_many_blocks_have_a_limit() {
    let text = (0..700).map(|n| fenced(&format!("csv {n}.csv"), "a,b\n1,2")).collect::<String>();
    assert_eq!(found(&[&text]).len(), super::ARTIFACTS_MAX);
    let text = fenced("csv a.csv", "a,b\n1,2").repeat(300);
    assert_eq!(found(&[&text])[0].versions.len(), super::VERSIONS_MAX);
}
