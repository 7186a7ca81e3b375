//! Structured output over a scripted model.

mod prefix;
mod run;
mod salvage;
mod script;

use contract::Pointer;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use self::script::{Script, Step};
use super::{
    Ask, DeferredRequest, EmitLimits, EmitOutput, RefusedRungs, StructuredAnswer, emit, emit_value,
};

/// A list of flashcards.
fn cards_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "flashcards": { "type": "array", "minItems": 1, "items": {
            "type": "object",
            "properties": {
                "base_form": { "type": "string", "minLength": 1 },
                "unit": { "type": "string", "enum": ["word", "phrase"] },
                "visible": { "type": "boolean", "default": true },
            },
            "required": ["base_form", "unit"],
            "additionalProperties": false,
        } } },
        "required": ["flashcards"],
        "additionalProperties": false,
    })
}

fn card(base_form: &str) -> Value {
    json!({ "base_form": base_form, "unit": "word", "visible": true })
}

fn cards(list: &[Value]) -> Value {
    json!({ "flashcards": list })
}

fn ask() -> Ask {
    Ask {
        name: "emit_flashcards".parse().unwrap(),
        description: "Takes the cards.".to_owned(),
        instructions: "Make cards of each word.".to_owned(),
        input: "Māja ir liela.".to_owned(),
        output_tokens: 1_000,
        output_tokens_ceiling: 8_000,
        list: Some("/flashcards".parse::<Pointer>().unwrap()),
        limits: EmitLimits::machine(),
    }
}

/// Runs a script, all of which must be used.
async fn emitted(rungs: &str, steps: Vec<Step>) -> EmitOutput<Value> {
    let model = Script::new(rungs, steps);
    let emitted =
        emit_value(&model, &RefusedRungs::default(), &cards_schema(), &ask()).await.unwrap();
    model.assert_used_up();
    emitted
}

/// Each attempt as `rung tokens status`, then the answer.
fn summary<T: std::fmt::Debug>(emitted: &EmitOutput<T>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for attempt in &emitted.history.attempts {
        let saved = match (attempt.complete, attempt.unfit) {
            (0, 0) => String::new(),
            (complete, unfit) => format!(" [{complete} complete, {unfit} unfit]"),
        };
        let (rung, tokens, status) = (attempt.rung, attempt.output_tokens, &attempt.status);
        lines.push(format!("{rung} {tokens} {status}{saved}"));
    }
    lines.push(match &emitted.answer {
        StructuredAnswer::Whole(_) => "whole".to_owned(),
        StructuredAnswer::Partial { complete, why } => {
            let forms: Vec<_> = complete.iter().map(|card| card["base_form"].clone()).collect();
            format!("partial {}: {why}", Value::Array(forms))
        }
    });
    lines.join("\n")
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Cards {
    flashcards: Vec<Card>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Card {
    base_form: String,
    unit: Unit,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Word,
    Phrase,
}

#[tokio::test]
async fn fc_15_enum_values_are_read_in_any_case() {
    for unit in ["word", "Word", "WORD"] {
        let steps = vec![Step::whole(cards(&[json!({ "base_form": "māja", "unit": unit })]))];
        let model = Script::new("native", steps);
        let emitted = emit::<Cards>(&model, &RefusedRungs::default(), &ask()).await.unwrap();
        let card = Card { base_form: "māja".to_owned(), unit: Unit::Word };
        assert_eq!(emitted.whole(), Ok(Cards { flashcards: vec![card] }));
    }
}

#[tokio::test]
async fn values_that_the_type_refuses_beyond_its_schema_are_repaired_too() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(try_from = "u8")]
    #[schemars(with = "u8")]
    struct Even(u8);
    impl TryFrom<u8> for Even {
        type Error = String;
        fn try_from(number: u8) -> Result<Self, String> {
            if number.is_multiple_of(2) {
                Ok(Even(number))
            } else {
                Err(format!("{number} is odd"))
            }
        }
    }
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Pair {
        even: Even,
    }
    let steps = vec![Step::whole(json!({ "even": 3 })), Step::whole(json!({ "even": 4 }))];
    let model = Script::new("native", steps);
    let ask = Ask { list: None, ..ask() };
    let emitted = emit::<Pair>(&model, &RefusedRungs::default(), &ask).await.unwrap();
    assert_eq!(
        emitted.history.attempts[0].status.to_string(),
        "does not fit: the answer: 3 is odd"
    );
    assert_eq!(emitted.whole(), Ok(Pair { even: Even(4) }));
}

#[test]
fn an_answer_can_be_awaited_on_any_thread() {
    fn assert_send(_: impl Send) {}
    let (model, refused, ask) = (Script::new("native", Vec::new()), RefusedRungs::default(), ask());
    assert_send(emit::<Cards>(&model, &refused, &ask));
    assert_send(emit_value(&model, &refused, &Value::Null, &ask));
}

#[tokio::test]
async fn a_deferred_request_is_the_first_request_and_its_reply_is_validated_the_same() {
    let whole = || Step::whole(json!({ "flashcards": [{ "base_form": "māja", "unit": "Word" }] }));
    let model = Script::new("forced", vec![whole(), whole()]);
    let facts = contract::Model::facts(&model);
    let refused = RefusedRungs::default();
    let question = DeferredRequest::<Cards>::new(facts, &refused, &ask()).unwrap();
    let emitted = emit::<Cards>(&model, &refused, &ask()).await.unwrap();
    assert_eq!(model.requests(), [question.request().clone()]);
    let asked = contract::Model::ask(&model, question.request(), &mut |_| {}).await;
    let reply = asked.unwrap();
    assert_eq!(question.read(&reply), emitted);
    let complete = cards(&[json!({ "base_form": "māja", "unit": "word" })]);
    let torn = contract::StructuredReply::Torn { complete, text: "{".to_owned() };
    let cut =
        contract::Reply { stop: contract::StopReason::MaxTokens, shaped: Some(torn), ..reply };
    let StructuredAnswer::Partial { complete, why } = question.read(&cut).answer else {
        panic!("whole")
    };
    assert_eq!((complete.len(), why), (1, super::AnswerFault::OutputLimit { tokens: 1_000 }));
    let empty = Ask { input: " ".to_owned(), ..ask() };
    assert!(DeferredRequest::<Cards>::new(facts, &refused, &empty).is_err());
}
