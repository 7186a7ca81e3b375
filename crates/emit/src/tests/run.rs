//! Every path through `run`: the requests in order, and the result.

use contract::{
    Block, Call, CallId, FaultKind, Part, Rung, StopReason, StructuredReply, ToolChoice, Usage,
};
use serde_json::json;

use super::script::{Script, Step};
use super::{ask, card, cards, cards_schema, emitted, summary};
use crate::{Ask, AskFault, EmitLimits, RefusedRungs, StructuredAnswer, emit_value};

async fn check(rungs: &str, steps: Vec<Step>, expected: &str) {
    let emitted = emitted(rungs, steps).await;
    assert_eq!(summary(&emitted), expected);
    let asked = u64::try_from(
        emitted.history.attempts.iter().filter(|attempt| attempt.stop.is_some()).count(),
    )
    .unwrap();
    let usage = Usage {
        input: 100 * asked,
        output: 10 * asked,
        cache_read: asked,
        cache_write: 2 * asked,
        thinking: 3 * asked,
    };
    assert_eq!(emitted.history.usage(), usage);
}

fn good() -> Step {
    Step::whole(cards(&[card("māja")]))
}

fn bad() -> Step {
    Step::whole(cards(&[card("māja"), json!({ "base_form": "", "unit": "verb" }), card("liels")]))
}

fn torn(forms: &[&str]) -> Step {
    let list: Vec<_> = forms.iter().map(|form| card(form)).collect();
    Step::torn(cards(&list), StopReason::MaxTokens)
}

const COMPLAINTS: &str = "/flashcards/1/base_form: `\"\"` is too short; use at least 1 character; \
                          /flashcards/1/unit: `verb` is not one of `word`, `phrase`";

#[tokio::test]
async fn fc_05_the_same_cards_on_every_rung() {
    for rung in ["native", "forced", "automatic"] {
        check(rung, vec![good()], &format!("{rung} 1000 fits\nwhole")).await;
        let emitted = emitted(rung, vec![good()]).await;
        assert_eq!(emitted.answer, StructuredAnswer::Whole(cards(&[card("māja")])));
    }
}

#[tokio::test]
async fn fc_05_after_a_refused_rung_the_next_one_is_tried() {
    let no = || Step::fault(FaultKind::BadRequest);
    let refused = "no answer: the server says bad_request";
    check(
        "native forced automatic",
        vec![no(), no(), good()],
        &format!("native 1000 {refused}\nforced 1000 {refused}\nautomatic 1000 fits\nwhole"),
    )
    .await;
    check(
        "native forced",
        vec![no(), no()],
        &format!(
            "native 1000 {refused}\nforced 1000 {refused}\n\
             partial []: the server says bad_request; try something else"
        ),
    )
    .await;
    // Once a rung was answered, a later refusal is not about the rung.
    check(
        "native forced",
        vec![bad(), no()],
        &format!(
            "native 1000 does not fit: {COMPLAINTS} [2 complete, 1 unfit]\nnative 1000 {refused}\n\
             partial [\"māja\",\"liels\"]: the server says bad_request; try something else"
        ),
    )
    .await;
}

#[tokio::test]
async fn fc_05_only_a_proven_refusal_is_remembered_and_only_for_its_schema() {
    let no = || Step::fault(FaultKind::BadRequest);
    let ladder = RefusedRungs::default();
    let schema = cards_schema();
    let rungs = |model: &Script| -> Vec<Rung> {
        model.requests().iter().map(|request| request.shape.as_ref().unwrap().rung).collect()
    };
    let model = Script::new("native forced", vec![no(), no()]);
    emit_value(&model, &ladder, &schema, &ask()).await.unwrap();
    model.then(vec![no(), good()]);
    emit_value(&model, &ladder, &schema, &ask()).await.unwrap();
    model.then(vec![good()]);
    emit_value(&model, &ladder, &schema, &ask()).await.unwrap();
    let mut other = schema.clone();
    other["description"] = json!("another");
    model.then(vec![good()]);
    emit_value(&model, &ladder, &other, &ask()).await.unwrap();
    model.assert_used_up();
    use Rung::{Forced, Native};
    assert_eq!(rungs(&model), [Native, Forced, Native, Forced, Forced, Native]);
}

#[tokio::test]
async fn fc_03_one_repair_with_the_places_then_the_records_that_fit() {
    let unfit = format!("native 1000 does not fit: {COMPLAINTS} [2 complete, 1 unfit]");
    check("native", vec![bad(), good()], &format!("{unfit}\nnative 1000 fits\nwhole")).await;
    check(
        "native",
        vec![bad(), bad()],
        &format!(
            "{unfit}\n{unfit}\npartial [\"māja\",\"liels\"]: \
             the answer does not fit the schema: {COMPLAINTS}"
        ),
    )
    .await;
    let not_json = "does not fit: the answer: is not JSON: expected `\"` at column 2";
    for rung in ["native", "forced", "automatic"] {
        check(
            rung,
            vec![Step::not_json(), good()],
            &format!("{rung} 1000 {not_json}\n{rung} 1000 fits\nwhole"),
        )
        .await;
    }
    check(
        "forced",
        vec![Step::torn(cards(&[card("māja")]), StopReason::EndTurn), Step::not_json()],
        &format!(
            "forced 1000 does not fit: the answer: the JSON ends too early \
             [1 complete, 0 unfit]\nforced 1000 {not_json}\n\
             partial [\"māja\"]: the answer does not fit the schema: the answer: is not JSON: \
             expected `\"` at column 2"
        ),
    )
    .await;
}

#[tokio::test]
async fn fc_05_after_an_ignored_rung_the_next_one_is_tried() {
    let prose = "does not fit: the answer: is not JSON: expected a value at column 1";
    check(
        "native forced",
        vec![Step::prose(), good()],
        &format!("native 1000 {prose}\nforced 1000 fits\nwhole"),
    )
    .await;
    check(
        "native automatic",
        vec![Step::missing(StopReason::EndTurn), Step::missing(StopReason::EndTurn), good()],
        "native 1000 not in the requested form\nautomatic 1000 not in the requested form\n\
         automatic 1000 fits\nwhole",
    )
    .await;
    // Broken JSON attempts the requested form, so the same rung is tried again.
    let broken = "does not fit: the answer: is not JSON: expected `\"` at column 2";
    check(
        "native forced",
        vec![Step::not_json(), good()],
        &format!("native 1000 {broken}\nnative 1000 fits\nwhole"),
    )
    .await;
    // The next answer does not try the refused rung again.
    let (ladder, schema) = (RefusedRungs::default(), cards_schema());
    let model = Script::new("native forced", vec![Step::prose(), good(), good()]);
    emit_value(&model, &ladder, &schema, &ask()).await.unwrap();
    emit_value(&model, &ladder, &schema, &ask()).await.unwrap();
    model.assert_used_up();
    let last = model.requests().pop().unwrap();
    assert_eq!(last.shape.unwrap().rung, Rung::Forced);
}

#[tokio::test]
async fn fc_03_an_answer_in_another_form_is_requested_once_more() {
    let past = || Step::missing(StopReason::EndTurn);
    for rung in ["native", "forced", "automatic"] {
        check(
            rung,
            vec![past(), good()],
            &format!("{rung} 1000 not in the requested form\n{rung} 1000 fits\nwhole"),
        )
        .await;
        check(
            rung,
            vec![past(), past()],
            &format!(
                "{rung} 1000 not in the requested form\n{rung} 1000 not in the requested form\n\
                 partial []: the model does not answer in the requested form; use another model"
            ),
        )
        .await;
    }
}

#[tokio::test]
async fn fc_03_and_04_the_answer_is_found_at_any_position_and_a_valid_call_gets_no_result() {
    let call = |id: &str, tool: &str, args| {
        Block::from(Part::Call(Call { id: CallId(id.to_owned()), tool: tool.to_owned(), args }))
    };
    let blocks = vec![
        Part::Thinking { text: "Hm.".to_owned() }.into(),
        Block::text("Here:"),
        call("c1", "other", json!({})),
        call("c2", "emit_flashcards", cards(&[card("māja")])),
    ];
    let shaped = StructuredReply::Whole(cards(&[card("māja")]));
    let model = Script::new("automatic", vec![Step::Blocks(blocks, shaped, StopReason::ToolUse)]);
    let emitted =
        emit_value(&model, &RefusedRungs::default(), &cards_schema(), &ask()).await.unwrap();
    assert_eq!(emitted.whole(), Ok(cards(&[card("māja")])));
    let [request] = model.requests().try_into().unwrap();
    assert_eq!(request.messages.len(), 1, "no result is sent back");
    assert_eq!((request.tools.len(), request.server_tools.len()), (0, 0));
    assert_eq!(request.choice, ToolChoice::Auto);
}

#[tokio::test]
async fn a_truncated_answer_gets_twice_the_tokens_once_and_its_best_records_are_kept() {
    check(
        "native",
        vec![torn(&["māja"]), good()],
        "native 1000 cut off [1 complete, 0 unfit]\nnative 2000 fits\nwhole",
    )
    .await;
    check(
        "forced",
        vec![torn(&["māja"]), torn(&["māja", "liels"])],
        "forced 1000 cut off [1 complete, 0 unfit]\nforced 2000 cut off [2 complete, 0 unfit]\n\
         partial [\"māja\",\"liels\"]: the answer was cut off after 2000 tokens; \
         send less input at a time",
    )
    .await;
    check(
        "native",
        vec![torn(&["māja", "liels"]), torn(&["māja"])],
        "native 1000 cut off [2 complete, 0 unfit]\nnative 2000 cut off [1 complete, 0 unfit]\n\
         partial [\"māja\",\"liels\"]: the answer was cut off after 2000 tokens; \
         send less input at a time",
    )
    .await;
    // All tokens were used for thinking.
    check(
        "automatic",
        vec![Step::missing(StopReason::MaxTokens), good()],
        "automatic 1000 cut off\nautomatic 2000 fits\nwhole",
    )
    .await;
    // The last token was the last of the answer.
    let whole = Step::Shaped(StructuredReply::Whole(cards(&[card("māja")])), StopReason::MaxTokens);
    check("native", vec![whole], "native 1000 fits\nwhole").await;
    // Salvaged records are kept after a later fault.
    check(
        "native",
        vec![torn(&["māja"]), Step::fault(FaultKind::Overloaded)],
        "native 1000 cut off [1 complete, 0 unfit]\n\
         native 2000 no answer: the server says overloaded\n\
         partial [\"māja\"]: the server says overloaded; try something else",
    )
    .await;
}

#[tokio::test]
async fn the_maximum_and_the_model_limit_the_tokens() {
    for (first, ceiling, expected) in [
        (1_000, 8_000, vec![1_000, 2_000]),
        (5_000, 8_000, vec![5_000, 6_000]),
        (3_000, 4_000, vec![3_000, 4_000]),
        (9_000, 8_000, vec![6_000]),
        (4_000, 4_000, vec![4_000]),
        (5_000, 4_000, vec![4_000]),
    ] {
        let steps = expected.iter().map(|_| torn(&[])).collect();
        let model = Script::new("native", steps);
        let ask = Ask { output_tokens: first, output_tokens_ceiling: ceiling, ..ask() };
        emit_value(&model, &RefusedRungs::default(), &cards_schema(), &ask).await.unwrap();
        model.assert_used_up();
        let asked: Vec<_> =
            model.requests().iter().filter_map(|request| request.output_tokens_max).collect();
        assert_eq!(asked, expected);
    }
}

#[tokio::test]
async fn fc_14_refusal_context_and_pause_are_separate_outcomes() {
    let no = "I may not.".to_owned();
    let refusal = || StopReason::Refusal { text: no.clone() };
    check(
        "native",
        vec![Step::missing(refusal())],
        "native 1000 refused\npartial []: the model refused to answer: I may not.",
    )
    .await;
    // Nothing of a refused answer is used, even if it is valid.
    let looks_good = Step::Shaped(StructuredReply::Whole(cards(&[card("māja")])), refusal());
    check(
        "native",
        vec![looks_good],
        "native 1000 refused\npartial []: the model refused to answer: I may not.",
    )
    .await;
    let block = vec![Part::Refusal { text: no.clone() }.into()];
    check(
        "native",
        vec![Step::Blocks(block, StructuredReply::Missing, StopReason::EndTurn)],
        "native 1000 refused\npartial []: the model refused to answer: I may not.",
    )
    .await;
    check(
        "native",
        vec![torn(&["māja"]), Step::missing(refusal())],
        "native 1000 cut off [1 complete, 0 unfit]\nnative 2000 refused\n\
         partial [\"māja\"]: the model refused to answer: I may not.",
    )
    .await;
    let small = "the input does not fit into the model's context; send less input at a time";
    check(
        "native",
        vec![Step::torn(cards(&[card("māja")]), StopReason::ContextExceeded)],
        &format!("native 1000 context exceeded [1 complete, 0 unfit]\npartial [\"māja\"]: {small}"),
    )
    .await;
    check(
        "native",
        vec![Step::fault(FaultKind::ContextExceeded)],
        &format!("native 1000 no answer: the server says context_exceeded\npartial []: {small}"),
    )
    .await;
    let pause = || Step::missing(StopReason::PauseTurn);
    check(
        "native",
        vec![pause(), pause(), good()],
        "native 1000 paused\nnative 1000 paused\nnative 1000 fits\nwhole",
    )
    .await;
    let paused = "native 1000 paused\n".repeat(5);
    check(
        "native",
        (0..5).map(|_| pause()).collect(),
        &format!("{paused}partial []: the model paused more than 4 times; try again later"),
    )
    .await;
}

#[tokio::test]
async fn a_fault_that_no_other_rung_fixes_ends_the_run() {
    for kind in FaultKind::ALL.iter().copied() {
        if matches!(kind, FaultKind::BadRequest | FaultKind::ContextExceeded) {
            continue;
        }
        check(
            "native forced automatic",
            vec![Step::fault(kind)],
            &format!(
                "native 1000 no answer: the server says {kind}\n\
                 partial []: the server says {kind}; try something else"
            ),
        )
        .await;
    }
}

#[tokio::test]
async fn every_remedy_is_tried_once() {
    let past = || Step::missing(StopReason::EndTurn);
    check(
        "native",
        vec![torn(&[]), past(), bad(), good()],
        &format!(
            "native 1000 cut off\nnative 2000 not in the requested form\n\
             native 2000 does not fit: {COMPLAINTS} [2 complete, 1 unfit]\n\
             native 2000 fits\nwhole"
        ),
    )
    .await;
    let model = Script::new("native", vec![torn(&["māja"]), past()]);
    let limits = EmitLimits { requests_max: 2, ..EmitLimits::machine() };
    let ask = Ask { limits, ..ask() };
    let emitted =
        emit_value(&model, &RefusedRungs::default(), &cards_schema(), &ask).await.unwrap();
    assert_eq!(
        summary(&emitted),
        "native 1000 cut off [1 complete, 0 unfit]\nnative 2000 not in the requested form\n\
         partial [\"māja\"]: all 2 requests for this answer are used up; try again, or allow more"
    );
}

#[tokio::test]
async fn an_invalid_ask_is_not_sent() {
    let bytes = ask().instructions.len() + ask().input.len();
    let limit = |max| EmitLimits { input_bytes_max: max, ..EmitLimits::machine() };
    let list = |list: &str| Ask { list: Some(list.parse().unwrap()), ..ask() };
    let union = json!({ "anyOf": [cards_schema(), { "type": "null" }] });
    for (rungs, schema, ask, expected) in [
        ("", cards_schema(), ask(), "`script:one` does not support structured output"),
        (
            "native",
            cards_schema(),
            Ask { limits: limit(bytes - 1), ..ask() },
            "instructions and input have 39 bytes, at most 38 are sent",
        ),
        ("native", cards_schema(), Ask { input: " \n".to_owned(), ..ask() }, "the input is empty"),
        ("native", cards_schema(), list("/cards"), "the schema has no plain list at `/cards`"),
        ("native", cards_schema(), list(""), "the schema has no plain list at ``"),
        ("native", union, ask(), "the schema has no plain list at `/flashcards`"),
        ("native", json!({ "type": "objekt" }), ask(), "the schema cannot be used: "),
    ] {
        let model = Script::new(rungs, Vec::new());
        let fault: AskFault =
            emit_value(&model, &RefusedRungs::default(), &schema, &ask).await.unwrap_err();
        assert!(fault.to_string().starts_with(expected), "{fault}");
        assert_eq!(model.requests().len(), 0);
    }
}
