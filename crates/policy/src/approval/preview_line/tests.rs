//! A preview reads back as it was written, whatever is in the call.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

use super::*;
use crate::approval::preview::lines;
use crate::test_fixtures::World;
use crate::{LedgerEvent, Reason, RuleId, Timestamp};

fn world(names: &[String], value: &str) -> World {
    let mut world = World::new("pay", Value::Null);
    world.args = names.iter().map(|name| (name.clone(), json!(value))).collect();
    for name in names.iter().take(3) {
        let content = json!({ name.clone(): value });
        let answer = contract::HandlerAnswer { action: contract::Action::Accept, content };
        world.answers.0.insert(name.clone(), answer);
    }
    world.contract.description = value.to_owned();
    world
}

fn check(names: &[String], value: &str) -> Result<(), TestCaseError> {
    let world = world(names, value);
    let why = [Reason::new(RuleId::CONFIRMATION, value, ""), Reason::new(RuleId::DEFAULT, "b", "")];
    let earlier =
        world.entry(vec![LedgerEvent::Start, LedgerEvent::Lose { because: value.into() }]);
    let written = lines(&world.call(), &why, Some(&earlier), Timestamp(world.now));
    let text = written.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    prop_assert_eq!(preview_lines(&text), written);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(8), ..ProptestConfig::with_cases(400) })]

    #[test]
    fn every_line_reads_back_as_the_same_line(
        names in prop::collection::vec("(asked for |\\[cut: |before: |  )?\\PC{1,12}|.{1,12}", 0..45),
        value in ".{0,40}",
    ) {
        check(&names, &value)?;
    }
}

#[test]
fn a_name_cannot_look_like_another_line() {
    let shown = |name: &str| {
        let line = PreviewLine::named(PreviewLineKind::Argument, name, "x".to_owned());
        (line.to_string(), preview_lines(&line.to_string())[0].kind)
    };
    let argument = PreviewLineKind::Argument;
    assert_eq!(shown("to"), ("  to: x".to_owned(), argument));
    assert_eq!(shown("to: eve"), ("  to\\u{3a} eve: x".to_owned(), argument));
    assert_eq!(shown("asked for to"), ("  \\u{61}sked for to: x".to_owned(), argument));
    assert_eq!(shown("[cut"), ("  \\u{5b}cut: x".to_owned(), argument));
}

#[test]
fn every_kind_has_the_same_word_in_json_and_in_text() {
    for kind in PreviewLineKind::ALL {
        assert_eq!(json!(kind), json!(kind.as_str()));
    }
}

#[test]
fn the_kinds_of_a_preview() {
    let kinds = |names: &[String]| -> Vec<_> {
        let world = world(names, "x");
        let why = [Reason::new(RuleId::CONFIRMATION, "two\nlines", "")];
        let earlier = world.entry(vec![LedgerEvent::Start]);
        let written = lines(&world.call(), &why, Some(&earlier), Timestamp(world.now));
        written.into_iter().map(|line| json!(line)["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(&[]), ["text", "description", "text", "reason", "earlier"]);
    let one = kinds(&["to".to_owned()]);
    assert_eq!(one, ["text", "description", "argument", "answer", "reason", "earlier"]);
}
