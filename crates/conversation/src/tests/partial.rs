//! The shown part of an answer is kept however the answer ends, and replays byte for byte.

use std::sync::{Arc, Mutex};

use contract::{
    Delta, Deltas, FaultKind, Message, Model, ModelFacts, ModelFault, Part, ReplyFuture, Request,
    Role,
};

use super::world::{Script, World, calls, events, id, opened, says};
use crate::Conversations;
use crate::turn::prompt::messages;
use crate::{
    Conversation, ConversationEvent, EndReason, Entry, PartialKind, ReplayCalls, Story,
    TurnOptions, TurnResult, view,
};

/// A model that streams some words and then fails, or hangs.
struct Halting {
    script: Arc<Script>,
    words: Mutex<Vec<Delta>>,
    fault: Option<ModelFault>,
}

impl Halting {
    fn new(words: &[Delta], fault: Option<ModelFault>) -> Arc<Self> {
        Arc::new(Self { script: Script::new([]), words: Mutex::new(words.to_vec()), fault })
    }
}

impl Model for Halting {
    fn facts(&self) -> &ModelFacts {
        self.script.facts()
    }

    fn ask<'a>(&'a self, _request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            for word in self.words.lock().unwrap().iter() {
                deltas(word.clone());
            }
            match &self.fault {
                Some(fault) => Err(fault.clone()),
                None => std::future::pending().await,
            }
        })
    }
}

fn text(text: &str) -> Delta {
    Delta::Text(text.to_owned())
}

fn lost() -> ModelFault {
    ModelFault {
        kind: FaultKind::Garbled,
        message: "the answer broke off".into(),
        fix: "ask again".into(),
        status: None,
        retry_after: None,
    }
}

async fn begin(world: &World, texts: &str) -> Conversations {
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    conversations.say(&id(), texts).await.unwrap();
    conversations
}

/// Runs the turn until its words are in the log, then interrupts it.
async fn halted(
    conversations: &Conversations,
    world: &World,
    model: Arc<Halting>,
    then: impl Fn(&TurnOptions),
) -> TurnResult {
    let by = world.answerer(model);
    let written = async {
        while !events(conversations)
            .await
            .iter()
            .any(|event| matches!(event, ConversationEvent::Partial { .. }))
        {
            tokio::task::yield_now().await;
        }
        then(&by);
    };
    let conversation = id();
    let (end, ()) = tokio::join!(conversations.run_turn(&conversation, &by), written);
    conversations.flush().await;
    end.unwrap()
}

async fn conversation(world: &World) -> Conversation {
    Arc::unwrap_or_clone(world.conversations().get(&id()).await.unwrap())
}

/// The texts of the messages with their roles.
fn texts(messages: &[Message]) -> Vec<(Role, String)> {
    let text = |message: &Message| {
        let texts = message.blocks.iter().filter_map(|block| {
            let Part::Text { text } = &block.part else { return None };
            Some(text.as_str())
        });
        texts.collect::<Vec<_>>().join("|")
    };
    messages.iter().map(|message| (message.role, text(message))).collect()
}

#[track_caller]
fn replays(replayed: &crate::Replayed) {
    assert!(replayed.is_same(), "{replayed:#?}");
}

/// Replays the conversation: from the log, as a story, and with calls without effects run for real.
async fn runs_again(world: &World) {
    let conversations = world.conversations();
    let recorded = events(&conversations).await;
    replays(&conversations.replay(&id(), &recorded, ReplayCalls::Recorded).await.unwrap());
    let story = Story { title: "It broke off".into(), events: recorded.clone() };
    let read = Story::parse(&story.to_markdown()).unwrap();
    assert_eq!(read.events, recorded);
    let elsewhere = World::new();
    replays(
        &elsewhere
            .conversations()
            .replay(&id(), &read.events, ReplayCalls::RunHarmless)
            .await
            .unwrap(),
    );
}

#[tokio::test]
async fn the_text_of_a_stopped_answer_is_kept_for_people_and_the_model() {
    let world = World::new();
    let conversations = begin(&world, "tell me").await;
    let thought = Delta::Thinking("Hm.".into());
    let model = Halting::new(&[thought, text("Once upon "), text("a time")], None);
    let end = halted(&conversations, &world, model, |by| by.cancel.cancel()).await;
    assert_eq!(end, TurnResult::Ended(EndReason::Cancelled));
    let shown = view(&conversation(&world).await);
    let [_, .., Entry::Thinking { text: thought, .. }, Entry::Assistant { text, .. }, end] =
        shown.as_slice()
    else {
        panic!("{shown:?}");
    };
    assert_eq!((thought.as_str(), text.as_str()), ("Hm.", "Once upon a time"));
    assert!(matches!(end, Entry::Ended { how: EndReason::Cancelled, .. }));
    runs_again(&world).await;
    let script = Script::new([says("fine")]);
    conversations.say(&id(), "go on").await.unwrap();
    conversations.run_turn(&id(), &world.answerer(script.clone())).await.unwrap();
    let asked = script.asked.lock().unwrap().remove(0);
    let texts = texts(&asked.messages);
    assert_eq!(texts[1], (Role::Assistant, "Once upon a time".to_owned()), "no thoughts in it");
    assert!(texts[2].1.starts_with("go on|[The user stopped the answer above"), "{texts:?}");
    runs_again(&world).await;
}

#[tokio::test]
async fn the_text_of_an_answer_that_the_provider_cut_off_is_kept() {
    let world = World::new();
    let conversations = begin(&world, "tell me").await;
    let model = Halting::new(&[text("Once upon")], Some(lost()));
    let by = world.answerer(model);
    let end = conversations.run_turn(&id(), &by).await.unwrap();
    assert_eq!(end, TurnResult::Ended(EndReason::Failed { fault: lost() }));
    let shown = format!("{:?}", view(&conversation(&world).await));
    assert!(shown.contains("Once upon"), "{shown}");
    conversations.say(&id(), "go on").await.unwrap();
    let texts = texts(&messages(&conversation(&world).await));
    assert_eq!(texts[1], (Role::Assistant, "Once upon".to_owned()));
    assert!(texts[2].1.starts_with("go on|[The answer above broke off"), "{texts:?}");
    conversations.run_turn(&id(), &world.answerer(Script::new([says("fine")]))).await.unwrap();
    runs_again(&world).await;
}

#[tokio::test]
async fn an_answer_that_a_process_left_is_kept_and_the_model_is_asked_again() {
    let world = World::new();
    let conversations = begin(&world, "tell me").await;
    let end = halted(&conversations, &world, Halting::new(&[text("Once upon")], None), |by| {
        by.cancel.leave()
    });
    assert_eq!(end.await, TurnResult::Left);
    runs_again(&world).await;
    let script = Script::new([calls(&[("a", "look")]), says("Once upon a time.")]);
    world.after_a_while();
    let end = world.conversations().run_turn(&id(), &world.answerer(script.clone())).await.unwrap();
    assert_eq!(end, TurnResult::Ended(EndReason::Answered));
    let asked = script.asked.lock().unwrap().remove(0);
    let texts = texts(&asked.messages);
    assert_eq!(texts[1], (Role::Assistant, "Once upon".to_owned()));
    assert!(texts[2].0 == Role::User && texts[2].1.contains("broke off here"), "{texts:?}");
    let shown = view(&conversation(&world).await);
    let broke = shown.iter().position(|entry| matches!(entry, Entry::BrokeOff { .. })).unwrap();
    assert!(matches!(&shown[broke - 1], Entry::Assistant { text, .. } if text == "Once upon"));
    assert!(matches!(shown.last(), Some(Entry::Assistant { text, .. }) if text.ends_with("time.")));
    runs_again(&world).await;
}

#[tokio::test]
async fn pieces_are_written_while_the_answer_streams_and_the_complete_answer_replaces_them() {
    let world = World::new();
    let conversations = begin(&world, "tell me").await;
    let long = "word ".repeat(2_000);
    halted(&conversations, &world, Halting::new(&[text(&long)], None), |by| by.cancel.leave())
        .await;
    world.after_a_while();
    world
        .conversations()
        .run_turn(&id(), &world.answerer(Script::new([says("whole")])))
        .await
        .unwrap();
    let written = events(&world.conversations()).await.into_iter().filter_map(|event| {
        let ConversationEvent::Partial { kind: PartialKind::Text, text, .. } = event else {
            return None;
        };
        Some(text)
    });
    assert_eq!(written.collect::<String>(), long);
    let mut recorded = events(&world.conversations()).await;
    recorded.retain(|event| !matches!(event, ConversationEvent::BrokeOff { .. }));
    let shown = format!("{:?}", view(&Conversation::read(&recorded)));
    assert!(!shown.contains("word word"), "the answer is complete: {shown}");
}

#[tokio::test]
async fn turns_that_were_stopped_or_failed_anywhere_replay_byte_for_byte() {
    // While the model answers, before any text.
    let world = World::new();
    let conversations = begin(&world, "one").await;
    conversations.run_turn(&id(), &world.answerer(Script::failing(lost()))).await.unwrap();
    runs_again(&world).await;
    // In a tool, with another call after it that was never made.
    conversations.say(&id(), "two").await.unwrap();
    let by = world.answerer(Script::new([calls(&[("a", "wait"), ("b", "note")])]));
    let end = world.run_stopped_after("wait", &conversations, &by).await;
    assert_eq!(end, TurnResult::Ended(EndReason::Cancelled));
    runs_again(&world).await;
    // During the model's second answer, after a tool.
    conversations.say(&id(), "three").await.unwrap();
    let by = world.answerer(Script::new([calls(&[("c", "look")])]));
    let end = world.run_stopped_after("look", &conversations, &by).await;
    assert_eq!(end, TurnResult::Ended(EndReason::Cancelled));
    runs_again(&world).await;
    // From outside, while a person is asked.
    conversations.say(&id(), "four").await.unwrap();
    let by = world.answerer(Script::new([calls(&[("d", "send")])]));
    assert_eq!(conversations.run_turn(&id(), &by).await.unwrap(), TurnResult::Waiting);
    assert!(conversations.stop(&id()).await.unwrap());
    assert!(!conversations.stop(&id()).await.unwrap(), "it was already stopped");
    assert!(conversations.engine().open_approvals().await.unwrap().is_empty());
    runs_again(&world).await;
    // Open, and no process runs it.
    conversations.say(&id(), "five").await.unwrap();
    runs_again(&world).await;
}
