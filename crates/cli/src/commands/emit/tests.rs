//! The output and the result for each kind of answer.

use contract::{FaultKind, ModelFault};
use emit::{AnswerFault, EmitOutput, History, StructuredAnswer};
use serde_json::{Value, json};

use super::{lines, read_text};
use crate::exit::ExitStatus;

#[track_caller]
fn check(
    answer: StructuredAnswer<Value>,
    each: Option<&str>,
    expected: &[&str],
    fails: Option<&str>,
) {
    let each = each.map(|each| each.parse().unwrap());
    let emitted = EmitOutput { answer, history: History::default() };
    let (lines, ending) = lines(emitted, each.as_ref());
    assert_eq!(lines, expected);
    match (ending, fails) {
        (Ok(ending), None) => assert_eq!(ending, ExitStatus::Success),
        (Err(failure), Some(words)) => assert!(format!("{failure:?}").contains(words)),
        (ending, fails) => panic!("{ending:?}, where {fails:?} was expected"),
    }
}

fn partial(why: AnswerFault) -> StructuredAnswer<Value> {
    StructuredAnswer::Partial { complete: vec![json!({ "a": 1 }), json!({ "a": 2 })], why }
}

#[test]
fn a_whole_answer_is_one_line_or_one_for_each_record() {
    let whole = || StructuredAnswer::Whole(json!({ "list": [{ "a": 1 }, "b\nc"] }));
    check(whole(), None, &[r#"{"list":[{"a":1},"b\nc"]}"#], None);
    check(whole(), Some("/list"), &[r#"{"a":1}"#, r#""b\nc""#], None);
    check(StructuredAnswer::Whole(json!({})), Some("/list"), &[], None);
}

#[test]
fn a_part_of_an_answer_is_printed_by_record_and_ends_as_a_failure() {
    let cut = || partial(AnswerFault::OutputLimit { tokens: 20 });
    check(cut(), Some("/list"), &[r#"{"a":1}"#, r#"{"a":2}"#], Some("cut off after 20 tokens"));
    check(cut(), None, &[], Some("raise --output-tokens-max"));
    check(partial(AnswerFault::ContextExceeded), None, &[], Some("less input"));
    let refused = AnswerFault::Refused { text: "no".to_owned() };
    check(partial(refused), None, &[], Some("the model refused to answer: no"));
    check(partial(AnswerFault::Missing), None, &[], Some("requested form"));
    let fault = ModelFault {
        kind: FaultKind::NoKey,
        message: "there is no key".to_owned(),
        fix: "set it".to_owned(),
        status: None,
        retry_after: None,
    };
    check(partial(AnswerFault::Model(fault)), None, &[], Some("set it"));
}

#[test]
fn an_input_beyond_the_limit_is_refused_and_not_cut() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "12345").unwrap();
    assert_eq!(read_text(file.path(), 5).unwrap(), "12345");
    let failure = read_text(file.path(), 4).unwrap_err();
    assert!(format!("{failure:?}").contains("is larger than 4 bytes"), "{failure:?}");
}
