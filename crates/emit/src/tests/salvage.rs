//! Incomplete answers yield the complete records that fit, in order.

use contract::StopReason;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

use super::script::{Script, Step};
use super::{ask, card, cards, cards_schema};
use crate::{Ask, RefusedRungs, StructuredAnswer, emit_value};

fn run(model: &Script, schema: &Value, ask: &Ask) -> Vec<Value> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let emitted =
        runtime.block_on(emit_value(model, &RefusedRungs::default(), schema, ask)).unwrap();
    model.assert_used_up();
    match emitted.answer {
        StructuredAnswer::Partial { complete, .. } => complete,
        StructuredAnswer::Whole(value) => panic!("{value} is incomplete"),
    }
}

/// A record, and whether it fits.
fn record() -> impl Strategy<Value = (Value, bool)> {
    let good = "[a-zāčē]{1,6}".prop_map(|form| (card(&form), true));
    let bad = prop_oneof![
        Just(json!({ "base_form": "māja" })),
        Just(json!({ "unit": "word" })),
        Just(json!({ "base_form": "", "unit": "word" })),
        Just(json!({ "base_form": "māja", "unit": "verb" })),
        Just(json!({ "base_form": 5, "unit": "word" })),
        Just(json!({ "base_form": "māja", "unit": "word", "more": 1 })),
        Just(json!("māja")),
        Just(json!(null)),
        Just(json!([card("māja")])),
    ];
    prop_oneof![3 => good, 1 => bad.prop_map(|value| (value, false))]
}

/// The list as text, truncated after `cut` bytes, as a client reads it: only complete records.
fn broken_off(records: &[(Value, bool)], cut: usize) -> Vec<(Value, bool)> {
    let mut end = "{\"flashcards\":[".len();
    let whole = |(value, fits): &(Value, bool)| {
        end += value.to_string().len();
        let came = end <= cut;
        end += 1;
        came.then(|| (value.clone(), *fits))
    };
    records.iter().map_while(whole).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(6), failure_persistence: None, ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn no_partial_record_and_none_that_does_not_fit(
        records in prop::collection::vec(record(), 0..8),
        part in 0.0..1.0_f64,
        stop in prop_oneof![Just(StopReason::MaxTokens), Just(StopReason::ContextExceeded)],
    ) {
        let text: Vec<Value> = records.iter().map(|(value, _)| value.clone()).collect();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a place in a short text"
        )]
        let cut = (cards(&text).to_string().len() as f64 * part) as usize;
        let came = broken_off(&records, cut);
        let complete: Vec<Value> = came.iter().map(|(value, _)| value.clone()).collect();
        let ceiling = Ask { output_tokens_ceiling: 1_000, ..ask() };
        let model = Script::new("native", vec![Step::torn(cards(&complete), stop)]);
        let records = run(&model, &cards_schema(), &ceiling);
        let expected: Vec<Value> =
            came.into_iter().filter(|(_, fits)| *fits).map(|(value, _)| value).collect();
        prop_assert_eq!(records, expected);
    }

    #[test]
    fn only_records_that_fit_are_kept_from_any_answer(
        complete in anything(), root in any::<bool>(),
    ) {
        let value = if root { complete } else { json!({ "flashcards": complete }) };
        let ceiling = Ask { output_tokens_ceiling: 1_000, ..ask() };
        let model = Script::new("native", vec![Step::torn(value, StopReason::MaxTokens)]);
        let fits = dialect::Arguments::compile(&cards_schema()).unwrap();
        for record in run(&model, &cards_schema(), &ceiling) {
            prop_assert_eq!(fits.complaints(&cards(&[record])), []);
        }
    }
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z]{0,5}".prop_map(Value::from),
        Just(card("māja")),
        Just(json!({ "base_form": "māja", "unit": "WORD" })),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        let names = prop_oneof![Just("flashcards"), Just("base_form"), Just("unit"), Just("x")];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(names.prop_map(str::to_owned), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

#[test]
fn records_get_their_defaults_and_their_case() {
    let came = cards(&[json!({ "base_form": "māja", "unit": "Word" })]);
    let steps = vec![
        Step::torn(came.clone(), StopReason::MaxTokens),
        Step::torn(came, StopReason::MaxTokens),
    ];
    let model = Script::new("native", steps);
    assert_eq!(run(&model, &cards_schema(), &ask()), [card("māja")]);
}

#[test]
fn without_a_list_nothing_is_kept() {
    let steps = vec![Step::torn(cards(&[card("māja")]), StopReason::ContextExceeded)];
    let model = Script::new("native", steps);
    let none: [Value; 0] = [];
    assert_eq!(run(&model, &cards_schema(), &Ask { list: None, ..ask() }), none);
}

#[test]
fn a_record_may_refer_to_the_rest_of_its_schema() {
    let tree = json!({
        "type": "object",
        "properties": { "nodes": { "$ref": "#/definitions/nodes" } },
        "definitions": { "nodes": { "type": "array", "items": { "$ref": "#/definitions/node" } },
            "node": {
                "type": "object",
                "properties": { "whole": { "$ref": "#" }, "name": { "type": "string" } },
                "required": ["name"], "additionalProperties": false,
            } },
        "additionalProperties": false,
    });
    let good = json!({ "name": "a", "whole": { "nodes": [{ "name": "b" }] } });
    let bad = json!({ "name": "a", "whole": { "nodes": [{ "name": 1 }] } });
    let came = json!({ "nodes": [good, bad] });
    let model = Script::new("native", vec![Step::torn(came, StopReason::ContextExceeded)]);
    let ask = Ask { list: Some("/nodes".parse().unwrap()), ..ask() };
    assert_eq!(run(&model, &tree, &ask), [good]);
}
