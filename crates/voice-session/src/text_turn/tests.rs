//! The text turn with a model that answers from a list.

use std::sync::{Arc, Mutex};

use contract::{
    Block, BoxFuture, Call, CallId, Delta, Message, Model, ModelFacts, ModelFault, Part, Reply,
    Request, Role, StopReason, Usage,
};
use serde_json::json;
use tokio::sync::mpsc;
use voice::{TextTurnEnd, TextTurnEvent, TextTurnRequest, TurnNumber};

use super::{TextTurn, TurnOutput};

/// Answers in order; without an answer left, it says a word and never ends.
struct Script {
    facts: ModelFacts,
    replies: Mutex<Vec<Reply>>,
    asked: Mutex<Vec<Request>>,
}

impl Model for Script {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        deltas: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<Reply, ModelFault>> {
        self.asked.lock().unwrap().push(request.clone());
        let next = self.replies.lock().unwrap().pop();
        Box::pin(async move {
            match next {
                Some(reply) => {
                    deltas(Delta::Text(reply.text()));
                    Ok(reply)
                }
                None => {
                    deltas(Delta::Text("Endless words".to_owned()));
                    std::future::pending().await
                }
            }
        })
    }
}

fn reply(text: &str, calls: &[&str]) -> Reply {
    let call = |id: &&str| {
        Part::Call(Call { id: CallId((*id).to_owned()), tool: "look".to_owned(), args: json!({}) })
    };
    let text = (!text.is_empty()).then(|| Block::text(text));
    Reply {
        blocks: text.into_iter().chain(calls.iter().map(call).map(Block::from)).collect(),
        stop: StopReason::EndTurn,
        usage: Usage::default(),
        model: "script".to_owned(),
        shaped: None,
    }
}

/// A running text turn.
struct Bench {
    model: Arc<Script>,
    requests: mpsc::UnboundedSender<TextTurnRequest>,
    output: mpsc::UnboundedReceiver<TurnOutput>,
}

impl Bench {
    fn new(mut replies: Vec<Reply>) -> Self {
        replies.reverse();
        let facts = ModelFacts::named("script", "script");
        let (replies, asked) = (Mutex::new(replies), Mutex::default());
        let model = Arc::new(Script { facts, replies, asked });
        let (requests, received) = mpsc::unbounded_channel();
        let (sent, output) = mpsc::unbounded_channel();
        let turn = TextTurn {
            model: model.clone(),
            system: "Be brief.".to_owned(),
            tools: Vec::new(),
            rounds_max: 8,
            output_tokens_max: None,
        };
        tokio::spawn(async move { turn.run(&[], received, sent).await });
        Self { model, requests, output }
    }

    fn send(&self, request: TextTurnRequest) {
        self.requests.send(request).unwrap();
    }

    fn say(&self, text: &str) {
        let messages = vec![text.to_owned()];
        self.send(TextTurnRequest::Start { turn: TurnNumber(1), messages });
    }

    async fn next(&mut self) -> TextTurnEvent {
        match self.output.recv().await.unwrap() {
            TurnOutput::Event(event) => event,
            TurnOutput::Failed(fault) => panic!("{fault:?}"),
        }
    }

    /// The messages of the newest request, in short.
    fn asked(&self) -> Vec<String> {
        let asked = self.model.asked.lock().unwrap();
        asked.last().unwrap().messages.iter().map(short).collect()
    }
}

fn short(message: &Message) -> String {
    let part = |block: &Block| match &block.part {
        Part::Text { text } => text.clone(),
        Part::Call(call) => format!("call {}", call.id),
        Part::Result(result) => format!("{} gives {}", result.id, result.content),
        other => format!("{other:?}"),
    };
    let who = if message.role == Role::User { "user" } else { "model" };
    format!("{who}: {}", message.blocks.iter().map(part).collect::<Vec<_>>().join(" | "))
}

fn text(text: &str) -> TextTurnEvent {
    TextTurnEvent::Text(text.to_owned())
}

#[tokio::test]
async fn calls_are_answered_and_the_model_goes_on_when_all_results_are_there() {
    let mut bench = Bench::new(vec![reply("One moment.", &["a", "b"]), reply("Done.", &[])]);
    bench.say("look twice");
    assert_eq!(bench.next().await, text("One moment."));
    for id in ["a", "b"] {
        let TextTurnEvent::Call(call) = bench.next().await else { panic!("no call") };
        assert_eq!(call.id.0, id);
    }
    for (id, n) in [("b", 2), ("a", 1)] {
        let (call, content) = (CallId(id.to_owned()), json!(n));
        bench.send(TextTurnRequest::Answer { call, content, failed: false });
    }
    assert_eq!(bench.next().await, text("Done."));
    assert_eq!(bench.next().await, TextTurnEvent::Ended(TextTurnEnd::Completed));
    let expected =
        ["user: look twice", "model: One moment. | call a | call b", "user: a gives 1 | b gives 2"];
    assert_eq!(bench.asked(), expected);
}

#[tokio::test]
async fn only_what_was_heard_is_in_the_next_request() {
    let mut bench = Bench::new(vec![reply("First. Second. Third.", &[])]);
    bench.say("tell me");
    assert_eq!(bench.next().await, text("First. Second. Third."));
    bench.next().await;
    bench.send(TextTurnRequest::Truncate { heard: "First.".to_owned(), later: 0 });
    bench.say("stop");
    assert_eq!(bench.next().await, text("Endless words"));
    assert_eq!(bench.asked(), ["user: tell me", "model: First.", "user: stop"]);
    bench.send(TextTurnRequest::Cancel);
    bench.send(TextTurnRequest::Truncate { heard: String::new(), later: 0 });
    bench.send(TextTurnRequest::Inform { text: "The result came later".to_owned() });
    bench.say("and now");
    bench.next().await;
    let expected =
        ["user: tell me", "model: First.", "user: stop | [The result came later] | and now"];
    assert_eq!(bench.asked(), expected, "nothing of the second answer was heard");
}

#[tokio::test]
async fn of_two_answers_the_one_that_was_cut_is_cut() {
    let mut bench = Bench::new(vec![reply("I look.", &["a"]), reply("I found it.", &[])]);
    bench.say("look");
    bench.next().await;
    bench.next().await;
    let (call, content) = (CallId("a".to_owned()), json!("x"));
    bench.send(TextTurnRequest::Answer { call, content, failed: false });
    bench.next().await;
    bench.next().await;
    bench.send(TextTurnRequest::Truncate { heard: "I".to_owned(), later: 1 });
    bench.send(TextTurnRequest::Truncate { heard: String::new(), later: 0 });
    bench.say("wait");
    bench.next().await;
    let expected = ["user: look", "model: I | call a", "user: a gives \"x\" | wait"];
    assert_eq!(bench.asked(), expected);
}

#[tokio::test]
async fn a_call_without_a_result_gets_one_before_the_next_turn() {
    let mut bench = Bench::new(vec![reply("", &["a"])]);
    bench.say("look");
    let TextTurnEvent::Call(_) = bench.next().await else { panic!("no call") };
    bench.send(TextTurnRequest::Cancel);
    bench.say("never mind");
    bench.next().await;
    let asked = bench.asked();
    assert!(asked[2].contains("a gives {\"status\":\"in_progress\""), "{asked:?}");
    assert!(asked[2].ends_with("never mind"), "{asked:?}");
}
