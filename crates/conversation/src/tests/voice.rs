//! Voice sessions in the log: what a reload shows, what the next turn knows, who may write.

use std::sync::Arc;

use contract::{Call, CallId, Mode, Part};
use engine::{CallOrigin, Waiting};
use policy::Timestamp;
use serde_json::json;
use store::{Revision, StoreFault};
use testkit::faulty_store::FaultyStore;
use voice::{
    AnswerId, CallOutcome, CallResult, Command, Config, Input, Language, LogEntry, Opened,
    RoadKind, Session, TurnNumber, UtteranceId, Waits, all_capabilities, road,
};

use super::world::{Script, World, id, opened, says, write_tool};
use crate::{
    ConversationEvent, ConversationFault, Conversations, Entry, LaterTurns, ReplayCalls, StepState,
    VoiceLog, view,
};

const START: u64 = 1_000_000;

/// A session whose entries go into a log.
struct Talk {
    session: Session,
    log: VoiceLog,
}

impl Talk {
    async fn begin(conversations: &Conversations) -> Self {
        let (log, start) = conversations.open_voice(&id()).await.unwrap();
        let row = all_capabilities().iter().find(|row| row.road == RoadKind::Cascade).unwrap();
        let config = Config::standard(road(row).facts(), vec![Language::En]);
        let opened = Opened { config, history: start.history, pending: start.pending };
        let (session, commands) = Session::open(Timestamp(START), opened, None).unwrap();
        let mut talk = Self { session, log };
        talk.write(commands);
        talk.at(0, Input::Ready);
        talk
    }

    fn write(&mut self, commands: Vec<Command>) {
        for command in commands {
            if let Command::Record(entry) = command {
                self.log.write(&entry);
            }
        }
    }

    fn at(&mut self, ms: u64, input: Input) {
        let commands = self.session.handle(Timestamp(START + ms), input);
        self.write(commands);
    }

    /// The person speaks for a second; half a second later the model is asked.
    fn say(&mut self, ms: u64, text: &str) {
        self.at(ms, Input::SpeechStarted);
        self.at(ms + 1_000, Input::SpeechEnded);
        self.at(ms + 1_100, Input::Said { speech: None, text: text.to_owned() });
        self.at(ms + 1_600, Input::Tick);
    }

    /// The model answers in one sentence, of which so much is played.
    fn answer(&mut self, ms: u64, number: u32, text: &str, played_ms: u64) {
        let answer = AnswerId(format!("answer-{number}"));
        let utterance = UtteranceId(number);
        self.at(ms, Input::AnswerStarted { answer: answer.clone() });
        let text = text.to_owned();
        self.at(ms, Input::AnswerText { answer: answer.clone(), text, until_ms: None });
        self.at(ms, Input::AnswerEnded { answer, end: voice::AnswerEnd::Completed });
        self.at(ms, Input::TurnDone);
        self.at(ms, Input::SpeechAudio { utterance, sentence: 0, ms: 1_000 });
        self.at(ms, Input::SentenceReady { utterance, sentence: 0 });
        self.at(ms + played_ms, Input::Played { utterance, ms: played_ms });
    }

    async fn end(mut self, ms: u64) {
        self.at(ms, Input::Stop { cause: "person".to_owned() });
        self.log.flush().await.unwrap();
    }
}

/// The entries, in short.
fn shown(entries: &[Entry]) -> Vec<String> {
    let short = |entry: &Entry| match entry {
        Entry::User { turn, text, .. } => format!("{turn} user: {text}"),
        Entry::Assistant { turn, text, .. } => format!("{turn} assistant: {text}"),
        Entry::Step(step) => match &step.state {
            StepState::Done { .. } => format!("{} {} done", step.turn, step.tool),
            other => format!("{} {} {other:?}", step.turn, step.tool),
        },
        other => format!("{other:?}"),
    };
    entries.iter().map(short).collect()
}

/// A text turn, then a session with two turns and a call, in the same conversation.
async fn talked(world: &World) -> Conversations {
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    conversations.say(&id(), "written").await.unwrap();
    conversations.run_turn(&id(), &world.answerer(Script::new([says("read")]))).await.unwrap();
    let mut talk = Talk::begin(&conversations).await;
    talk.say(100, "hello");
    let call = Call { id: CallId("c".to_owned()), tool: "look".to_owned(), args: json!({}) };
    talk.at(1_800, Input::CallAsked { call });
    let result = CallResult::new(json!("seen"), CallOutcome::Done);
    talk.at(1_900, Input::CallSettled { call: CallId("c".to_owned()), result });
    talk.answer(2_000, 1, "Good day.", 1_000);
    talk.say(4_000, "thanks");
    talk.end(9_000).await;
    conversations
}

#[tokio::test]
async fn a_reload_shows_what_was_said_and_heard_with_numbers_of_its_own() {
    let world = World::new();
    let conversations = talked(&world).await;
    let conversation = conversations.get(&id()).await.unwrap();
    let expected = [
        "1 user: written",
        "1 weather done",
        "1 assistant: read",
        "2 user: hello",
        "2 look done",
        "2 assistant: Good day.",
        "3 user: thanks",
    ];
    assert_eq!(shown(&view(&conversation)), expected);
    assert_eq!(conversations.say(&id(), "more").await.unwrap(), 4, "no number is used twice");
}

#[tokio::test]
async fn the_next_text_turn_is_told_of_the_session_once() {
    let world = World::new();
    let conversations = talked(&world).await;
    let script = Script::new([says("one"), says("two")]);
    let by = world.answerer(script.clone());
    for text in ["first", "second"] {
        conversations.say(&id(), text).await.unwrap();
        conversations.run_turn(&id(), &by).await.unwrap();
    }
    let asked = script.asked.lock().unwrap();
    let texts: Vec<String> = asked[1]
        .messages
        .iter()
        .flat_map(|message| &message.blocks)
        .filter_map(|block| match &block.part {
            Part::Text { text } if text.contains("by voice") => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    for part in ["User: hello", "Your call c of look", "seen", "You: Good day.", "User: thanks"] {
        assert!(texts[0].contains(part), "{part}: {}", texts[0]);
    }
    let before = &asked[0].messages;
    assert_eq!(asked[1].messages[..before.len()], before[..], "earlier messages stay the same");
}

#[tokio::test]
async fn only_the_heard_part_of_an_answer_is_told() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    let mut talk = Talk::begin(&conversations).await;
    talk.say(0, "tell me");
    talk.answer(2_000, 1, "A secret nobody heard of in this town.", 0);
    talk.end(2_050).await;
    let conversation = conversations.get(&id()).await.unwrap();
    assert_eq!(shown(&view(&conversation)), ["1 user: tell me"]);
}

#[tokio::test]
async fn a_session_that_was_left_is_continued_until_something_comes_after_it() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    let mut talk = Talk::begin(&conversations).await;
    talk.say(0, "hello");
    let held = conversations.say(&id(), "written meanwhile").await;
    assert!(matches!(held, Err(ConversationFault::Held)), "{held:?}");
    talk.log.flush().await.unwrap();
    let before: Vec<LogEntry> = conversations.get(&id()).await.unwrap().voice[0].log();
    drop(talk);
    let (log, start) = conversations.open_voice(&id()).await.unwrap();
    assert_eq!(start.left_open, Some(before));
    assert_eq!(log.session(), 1);
    drop(log);
    conversations.say(&id(), "in text").await.unwrap();
    let (log, start) = conversations.open_voice(&id()).await.unwrap();
    assert_eq!((log.session(), start.left_open), (2, None));
}

/// Also when the store has forgotten what happened since the session last looked.
#[tokio::test]
async fn an_answer_from_elsewhere_is_noticed() {
    let world = World::new();
    let store = Arc::new(FaultyStore::working(Arc::clone(&world.store)));
    let conversations = world.conversations_on(store.clone());
    conversations.open(&id(), opened()).await.unwrap();
    let talk = Talk::begin(&conversations).await;
    let origin = CallOrigin { mode: Mode::Text, ..talk.log.origin(TurnNumber(1)) };
    let mut answers = talk.log.follow_answers().await.unwrap();
    for (call, is_behind) in [("call-0123456789", false), ("call-9876543210", true)] {
        let call = CallId(call.to_owned());
        let call = Call { id: call, tool: "send".to_owned(), args: json!({"text": "hello"}) };
        let settled = conversations.engine().settle(&origin, &call).await;
        let Some(Waiting::Approval(asked)) = settled.waiting else { panic!("nobody was asked") };
        if is_behind {
            store.end_watches(StoreFault::Forgotten { through: Revision(1) });
        }
        let yes = json!({"request": asked.request.id, "answer": "approve"});
        world.conversations().engine().answer(&yes.to_string()).await.unwrap();
        // The first answer is still unused, and may be reported again.
        while answers.next().await.unwrap() != asked.request.id {}
    }
}

#[tokio::test]
async fn taking_turns_back_takes_the_session_after_them() {
    let world = World::new();
    let conversations = talked(&world).await;
    conversations.rewind(&id(), 1, LaterTurns::Keep).await.unwrap();
    let conversation = conversations.get(&id()).await.unwrap();
    assert_eq!(shown(&view(&conversation))[0], "2 user: hello", "the session stays");
    let conversations = talked(&World::new()).await;
    conversations.rewind(&id(), 1, LaterTurns::Remove).await.unwrap();
    assert_eq!(shown(&view(&conversations.get(&id()).await.unwrap())), [""; 0]);
}

#[tokio::test]
async fn a_conversation_with_a_session_replays_byte_for_byte() {
    let world = World::new();
    let conversations = talked(&world).await;
    let records = conversations.events(&id()).await.unwrap();
    let recorded: Vec<_> = records.into_iter().map(|record| record.event).collect();
    let replayed = conversations.replay(&id(), &recorded, ReplayCalls::Recorded).await.unwrap();
    assert!(replayed.is_same(), "{replayed:#?}");
}

/// A notice, and an approval that was answered elsewhere, in the middle of a session.
#[tokio::test]
async fn a_session_with_an_answer_from_elsewhere_and_a_notice_replays() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    let mut talk = Talk::begin(&conversations).await;
    let origin = CallOrigin { mode: Mode::Text, ..talk.log.origin(TurnNumber(1)) };
    talk.say(100, "send it");
    let call_id = CallId("call-0123456789".to_owned());
    let call =
        Call { id: call_id.clone(), tool: "send".to_owned(), args: json!({"text": "hello"}) };
    talk.at(1_800, Input::CallAsked { call: call.clone() });
    let settled = conversations.engine().settle(&origin, &call).await;
    let Some(Waiting::Approval(asked)) = settled.waiting else { panic!("nobody was asked") };
    let request = asked.request.id.clone();
    let (preview, expires_at) = (asked.request.preview.clone(), asked.request.expires_at);
    let waits = Waits::Approval { request: request.clone(), preview, expires_at };
    talk.at(1_900, Input::CallWaits { call: call_id.clone(), waits });
    talk.log.flush().await.unwrap();
    conversations.engine().notice(&origin, "n-1", "Meanwhile.".to_owned()).await.unwrap();
    let yes = json!({ "request": request, "answer": "approve" });
    conversations.engine().answer(&yes.to_string()).await.unwrap();
    talk.at(2_000, Input::ApprovalAnswered { request });
    let settled = conversations.engine().settle(&origin, &call).await;
    assert!(settled.outcome.is_ok(), "{settled:?}");
    let result = CallResult::new(json!("sent"), CallOutcome::Done);
    talk.at(2_100, Input::CallSettled { call: call_id, result });
    talk.end(3_000).await;
    let records = conversations.events(&id()).await.unwrap();
    let recorded: Vec<_> = records.into_iter().map(|record| record.event).collect();
    let is_notice = |event: &&ConversationEvent| matches!(event, ConversationEvent::Noticed { .. });
    assert_eq!(recorded.iter().filter(is_notice).count(), 1);
    let replayed = conversations.replay(&id(), &recorded, ReplayCalls::Recorded).await.unwrap();
    assert!(replayed.is_same(), "{replayed:#?}");
}

#[tokio::test]
async fn a_file_of_a_tool_is_in_the_conversation_after_the_session() {
    let world = World::new();
    let tool = json!({"category": "utility", "sideEffects": "none", "idempotent": true,
        "allowedModes": ["text", "voice"]});
    write_tool(world.dir.path(), "draw", tool);
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    let mut talk = Talk::begin(&conversations).await;
    talk.say(100, "draw it");
    let (id_of_call, tool) = (CallId("c".to_owned()), "draw".to_owned());
    let call = Call { id: id_of_call.clone(), tool, args: json!({}) };
    talk.at(1_800, Input::CallAsked { call: call.clone() });
    let (turn, nobody) = (TurnNumber(1), Arc::new(crate::NoObserver));
    let cancel = engine::Cancel::default();
    let end = talk.log.settle(turn, &call, &voice::Asker::Model, nobody, cancel).await;
    let crate::VoiceCallEnd::Settled { result, .. } = end else { panic!("{end:?}") };
    talk.at(1_900, Input::CallSettled { call: id_of_call, result });
    talk.answer(2_000, 1, "There it is.", 1_000);
    talk.end(9_000).await;
    let table = "```csv title=\"a.csv\"\na,b\n1,2\n```";
    let expected = [
        "1 user: draw it".to_owned(),
        "1 draw done".to_owned(),
        format!("1 assistant: {table}"),
        "1 assistant: ```md title=\"b.md\"\nthe plan\n```".to_owned(),
        "1 assistant: There it is.".to_owned(),
    ];
    assert_eq!(shown(&view(&conversations.get(&id()).await.unwrap())), expected);
}
