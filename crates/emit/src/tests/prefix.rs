//! The prefix rule: a later request repeats the earlier one unchanged and only appends.

use contract::{
    Block, CallId, CallResult, FaultKind, Message, Part, Request, Role, StopReason, StructuredReply,
};
use serde_json::{Value, json};

use super::script::{Script, Step};
use super::{ask, card, cards, cards_schema};
use crate::{Ask, RefusedRungs, emit_value};

/// A request as the model sees it, without its schema.
fn layout(request: &Request) -> String {
    let shape = request.shape.as_ref().unwrap();
    let mut lines = vec![
        format!("shape {} {} by {}", shape.name, shape.description, shape.rung),
        format!("tokens {}", request.output_tokens_max.unwrap()),
        format!("system {}", request.system.replace("\n\n", "\n     | ")),
    ];
    for message in &request.messages {
        lines.extend(message.blocks.iter().map(|block| line(message.role, block)));
    }
    lines.join("\n")
}

fn line(role: Role, block: &Block) -> String {
    let text = match &block.part {
        Part::Text { text } => text.clone(),
        Part::Thinking { text } => format!("thinks {text}"),
        Part::Call(call) => format!("calls {} {} {}", call.id, call.tool, call.args),
        Part::Result(CallResult { id, tool, content, is_error }) => {
            format!("result {id} {tool} error={is_error} {}", content.as_str().unwrap())
        }
        part @ (Part::TornCall { .. }
        | Part::Refusal { .. }
        | Part::Other { .. }
        | Part::File(_)) => {
            panic!("{part:?} is not sent")
        }
    };
    format!("{role} | {}", text.replace('\n', "\n     | "))
}

async fn asked(rungs: &str, ask: &Ask, steps: Vec<Step>) -> Vec<Request> {
    let model = Script::new(rungs, steps);
    emit_value(&model, &RefusedRungs::default(), &cards_schema(), ask).await.unwrap();
    model.assert_used_up();
    model.requests()
}

fn bad() -> Value {
    cards(&[json!({ "base_form": "māja", "unit": "verb", "gender": "f" })])
}

fn good() -> Step {
    Step::whole(cards(&[card("māja")]))
}

fn flat(messages: &[Message]) -> Vec<(Role, Block)> {
    let blocks = |message: &Message| {
        let role = message.role;
        message.blocks.clone().into_iter().map(move |block| (role, block)).collect::<Vec<_>>()
    };
    messages.iter().flat_map(blocks).collect()
}

#[track_caller]
fn assert_only_grows(requests: &[Request]) {
    for pair in requests.windows(2) {
        let [before, after] = pair else { continue };
        assert_eq!(before.shape, after.shape);
        assert_eq!(before.system, after.system);
        assert!(flat(&after.messages).starts_with(&flat(&before.messages)));
    }
    for request in requests {
        let turns = request.messages.windows(2).all(|pair| pair[0].role != pair[1].role);
        assert!(turns, "roles alternate: {:?}", request.messages);
    }
}

#[tokio::test]
async fn the_repair_of_a_call_answers_that_call() {
    let requests = asked("forced", &ask(), vec![Step::whole(bad()), good()]).await;
    assert_only_grows(&requests);
    let first = "\
shape emit_flashcards Takes the cards. by forced
tokens 1000
system Make cards of each word.
user | Māja ir liela.";
    assert_eq!(layout(&requests[0]), first);
    let repair = format!(
        "{first}
assistant | thinks Hm.
assistant | calls call_1 emit_flashcards {}
user | result call_1 emit_flashcards error=true The answer does not fit its schema:
     | - /flashcards/0/unit: `verb` is not one of `word`, `phrase`
     | - /flashcards/0/gender: `gender` is unknown; leave it out, or use one of `base_form`, `unit`, \
         `visible`
     | Call `emit_flashcards` again with the whole answer. Correct these places, keep everything \
         else, and write nothing beside it.",
        bad()
    );
    assert_eq!(layout(&requests[1]), repair);
}

#[tokio::test]
async fn every_remedy_extends_the_same_conversation() {
    let steps = vec![
        Step::missing(StopReason::PauseTurn),
        Step::missing(StopReason::EndTurn),
        Step::torn(cards(&[]), StopReason::MaxTokens),
        Step::whole(bad()),
        good(),
    ];
    let requests = asked("automatic", &ask(), steps).await;
    assert_only_grows(&requests);
    let last = format!(
        "\
shape emit_flashcards Takes the cards. by automatic
tokens 2000
system Make cards of each word.
     | Answer by calling the tool `emit_flashcards` once with the whole answer. Write nothing else.
user | Māja ir liela.
assistant | thinks Hm.
assistant | Here are your cards.
assistant | thinks Hm.
assistant | Here are your cards.
user | That was not the answer. Answer by calling the tool `emit_flashcards` once with the whole \
         answer. Write nothing else.
assistant | thinks Hm.
assistant | calls call_4 emit_flashcards {}
user | result call_4 emit_flashcards error=true The answer does not fit its schema:",
        bad()
    );
    let layout = layout(&requests[4]);
    assert!(layout.starts_with(&last), "{layout}");
}

#[tokio::test]
async fn a_torn_call_is_not_sent_back_and_roles_still_alternate() {
    let requests = asked("forced", &ask(), vec![Step::not_json(), good()]).await;
    assert_only_grows(&requests);
    let [message] = requests[1].messages.as_slice() else { panic!("one message") };
    assert_eq!(message.blocks.len(), 2, "{message:?}");
}

#[tokio::test]
async fn the_thinking_before_a_torn_call_is_dropped_too() {
    let torn = Part::TornCall {
        id: CallId("c1".to_owned()),
        tool: "emit_flashcards".to_owned(),
        text: "{'a'}".to_owned(),
        why: "no JSON".to_owned(),
    };
    let thinking = Part::Thinking { text: "Hm.".to_owned() };
    let blocks = vec![thinking.into(), Block::text("Here:"), torn.into()];
    let shaped = StructuredReply::NotJson { text: "{'a'}".to_owned(), why: "no JSON".to_owned() };
    let steps = vec![Step::Blocks(blocks, shaped, StopReason::ToolUse), good()];
    let requests = asked("forced", &ask(), steps).await;
    assert_only_grows(&requests);
    assert_eq!(requests[1].messages[1], Message::assistant(vec![Block::text("Here:")]));
}

#[tokio::test]
async fn everything_before_the_input_is_the_same_for_every_input() {
    let prefix = |request: &Request| {
        let mut request = request.clone();
        request.messages.clear();
        serde_json::to_string(&request).unwrap()
    };
    for rung in ["native", "forced", "automatic"] {
        let other = Ask { input: "Cits teikums.".to_owned(), ..ask() };
        let one = asked(rung, &ask(), vec![good()]).await;
        let two = asked(rung, &other, vec![good()]).await;
        assert_eq!(prefix(&one[0]), prefix(&two[0]));
        assert_ne!(one[0].messages, two[0].messages);
    }
}

#[tokio::test]
async fn a_lower_rung_starts_with_the_same_conversation() {
    let steps = vec![Step::fault(FaultKind::BadRequest), good()];
    let requests = asked("forced automatic", &ask(), steps).await;
    assert_eq!(requests[0].messages, requests[1].messages);
    assert_eq!(requests[0].system, ask().instructions);
    assert!(requests[1].system.starts_with(&ask().instructions));
}
