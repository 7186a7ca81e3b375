//! The precision of the lint: prepared drafts in both languages, rule by rule. GP-20.
//!
//! `tests/data/lint-cases.jsonl` has the drafts with the rules that each breaks. The table
//! in `docs/reference/pen-lint.md` is what this test prints, and the test fails when it is not.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::super::{LintContext, Rule, lint};
use crate::posts::length::Platform;
use crate::style::profile::Profile;
use crate::text::language::Lang;

#[derive(Deserialize)]
struct Case {
    lang: String,
    platform: Platform,
    draft: String,
    expected: BTreeSet<String>,
    given: Option<Vec<String>>,
}

#[derive(Default)]
struct Score {
    hit: usize,
    missed: usize,
    false_alarm: usize,
}

impl Score {
    fn row(&self, name: &str) -> String {
        let share = |part: usize, whole: usize| match whole {
            0 => "–".to_owned(),
            whole => format!("{:.2}", part as f64 / whole as f64),
        };
        let Score { hit, missed, false_alarm } = self;
        format!(
            "| {name} | {} | {hit} | {missed} | {false_alarm} | {} | {} |\n",
            hit + missed,
            share(*hit, hit + false_alarm),
            share(*hit, hit + missed),
        )
    }
}

fn cases() -> Vec<Case> {
    let lines = include_str!("../../../tests/data/lint-cases.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn profile_of(lang: &str) -> Profile {
    Profile::parse(match lang {
        "uk" => include_str!("../../../tests/data/lint-profile-uk.json"),
        _ => include_str!("../../../tests/data/lint-profile-en.json"),
    })
    .unwrap()
}

#[test]
fn gp_20_precision_and_recall_are_what_the_document_says() {
    let cases = cases();
    assert!(cases.len() >= 200, "{}", cases.len());
    let mut scores: BTreeMap<Rule, Score> = BTreeMap::new();
    let mut wrong = String::new();
    for case in &cases {
        let profile = profile_of(&case.lang);
        let given: Option<Vec<&str>> =
            case.given.as_ref().map(|given| given.iter().map(String::as_str).collect());
        let against = LintContext {
            profile: &profile,
            platform: case.platform,
            past: &[],
            given: given.as_deref(),
            lang: Lang::En,
        };
        let report = lint(&case.draft, &against);
        let found: BTreeSet<Rule> = report.violations.iter().map(|one| one.rule).collect();
        for rule in Rule::ALL {
            let score = scores.entry(rule).or_default();
            match (case.expected.contains(rule.as_str()), found.contains(&rule)) {
                (true, true) => score.hit += 1,
                (true, false) => score.missed += 1,
                (false, true) => score.false_alarm += 1,
                (false, false) => continue,
            }
            if case.expected.contains(rule.as_str()) != found.contains(&rule) {
                let what = if found.contains(&rule) { "false alarm" } else { "missed" };
                wrong += &format!("{what} {rule}: {:?}\n", case.draft);
            }
        }
    }
    let mut table = "| rule | seeded | found | missed | false alarms | precision | recall |\n\
                     | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    let mut all = Score::default();
    for (rule, score) in &scores {
        table += &score.row(&format!("`{rule}`"));
        all.hit += score.hit;
        all.missed += score.missed;
        all.false_alarm += score.false_alarm;
    }
    table += &all.row("all");
    println!("{table}\n{wrong}");
    let document = include_str!("../../../../../docs/reference/pen-lint.md");
    assert!(
        document.contains(&table),
        "put this table into docs/reference/pen-lint.md:\n{table}\n{wrong}"
    );
}
