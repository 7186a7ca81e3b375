//! FC-06: running texts of eight languages, cut by hand.
//!
//! Signs: ` | ` stands for a space between two sentences, ` ⏎ ` for a line end between them,
//! `‖` for nothing; `↵` is a line end inside a sentence.

use super::sentences;

const TEXTS: [(&str, &str); 8] = [
    ("lv", include_str!("corpus/lv.txt")),
    ("uk", include_str!("corpus/uk.txt")),
    ("ru", include_str!("corpus/ru.txt")),
    ("en", include_str!("corpus/en.txt")),
    ("de", include_str!("corpus/de.txt")),
    ("es", include_str!("corpus/es.txt")),
    ("ja", include_str!("corpus/ja.txt")),
    ("ar", include_str!("corpus/ar.txt")),
];

/// A passage as a text, and its sentences.
fn read(line: &str) -> (String, Vec<String>) {
    let mut sentences = vec![String::new()];
    let mut text = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let gaps = [(" | ", " "), (" ⏎ ", "\n"), ("‖", "")];
        if let Some((sign, gap)) = gaps.iter().find(|(sign, _)| rest.starts_with(sign)) {
            text += gap;
            sentences.push(String::new());
            rest = &rest[sign.len()..];
            continue;
        }
        let c_or_end = if c == '↵' { '\n' } else { c };
        text.push(c_or_end);
        sentences.last_mut().unwrap().push(c_or_end);
        rest = &rest[c.len_utf8()..];
    }
    (text, sentences)
}

#[test]
fn fc_06_three_hundred_sentences_of_eight_languages_are_found() {
    let (mut right, mut all) = (0, 0);
    let mut wrong = Vec::new();
    for (language, passages) in TEXTS {
        let (mut right_here, mut all_here) = (0, 0);
        for line in passages.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (text, expected) = read(line);
            let found = sentences(&text, language);
            let hits = expected.iter().filter(|one| found.contains(&one.as_str())).count();
            if hits < expected.len() {
                wrong.push(format!("{language}: {}", found.join(" | ").replace('\n', "↵")));
            }
            right_here += hits;
            all_here += expected.len();
        }
        println!("{language}: {right_here} of {all_here}");
        right += right_here;
        all += all_here;
    }
    let score = right as f64 * 100.0 / all as f64;
    println!("{right} of {all} sentences, {score:.1} %\n{}", wrong.join("\n"));
    assert!(all >= 300, "{all} sentences");
    assert!(score >= 98.0, "{score:.1} %:\n{}", wrong.join("\n"));
}

/// A text with a line end wherever the next word does not fit.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        match line.chars().count() + 1 + word.chars().count() {
            _ if line.is_empty() => line.push_str(word),
            length if length <= width => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

#[test]
fn a_wrapped_paragraph_has_the_sentences_that_it_has_in_one_line() {
    let (mut right, mut all) = (0, 0);
    let mut wrong = Vec::new();
    let prose = |line: &&str| !line.starts_with('#') && !line.contains(['⏎', '‖', '↵']);
    for (language, passages) in TEXTS {
        let text: Vec<_> = passages.lines().filter(prose).map(|line| read(line).0).collect();
        let text = text.join(" ");
        let expected: Vec<String> =
            sentences(&text, language).into_iter().map(String::from).collect();
        for width in [40, 50, 60, 72, 80] {
            let lines = wrapped(&text, width);
            let found = sentences(&lines, language);
            let found: Vec<_> = found.iter().map(|one| one.replace('\n', " ")).collect();
            let hits = expected.iter().filter(|one| found.contains(one)).count();
            (right, all) = (right + hits, all + expected.len());
            let missed = expected.iter().filter(|one| !found.contains(one));
            wrong.extend(missed.map(|one| format!("{language} {width}: {one}")));
        }
    }
    let score = right as f64 * 100.0 / all as f64;
    println!("{right} of {all} wrapped sentences, {score:.1} %\n{}", wrong.join("\n"));
    assert!(score >= 98.0, "{score:.1} %:\n{}", wrong.join("\n"));
}
