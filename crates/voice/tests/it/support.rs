//! Runs scripts, and checks what must hold in every session.

use std::collections::BTreeMap;

use contract::{After, Call, CallId, Intent};
use policy::Timestamp;
use serde_json::json;
use voice::{
    AnswerKind, AudioEvent, CallEvent, CallOutcome, CallResult, Command, Config, EffectLevel,
    Input, Language, LogEntry, OnInterrupt, Opened, RoadKind, Run, Session, SessionEvent, SpeechBy,
    State, ToolFacts, Transcribes, UserEvent, VoiceEvent, parse_script,
};

/// Runs a script on one road, and checks its expectations and what always holds.
#[track_caller]
pub(crate) fn check_on(road: RoadKind, script: &str) -> Run {
    check_model(road.as_str(), script)
}

/// The same on a model of the table.
#[track_caller]
pub(crate) fn check_model(model: &str, script: &str) -> Run {
    let parsed = parse_script(script).unwrap_or_else(|fault| panic!("{fault}\n{script}"));
    let run = parsed.run_on(model).unwrap();
    let failures = run.failures.join("\n");
    assert!(run.failures.is_empty(), "{model}:\n{failures}\n\n{}", run.text());
    always_holds(&run);
    run
}

/// Runs a script on every road.
#[track_caller]
pub(crate) fn check(script: &str) -> Vec<Run> {
    RoadKind::ALL.into_iter().map(|road| check_on(road, script)).collect()
}

/// What must hold in every session.
#[track_caller]
pub(crate) fn always_holds(run: &Run) {
    let text = run.text();
    let Some(state) = &run.state else { return };
    assert_eq!(&replayed(&run.log), state, "a replay gives another state\n{text}");
    // A session that ends with its turn ignores speech.
    if !text.contains(", current_turn") {
        assert_eq!(run.talked_over_ms, 0, "sound while the person speaks\n{text}");
    }
    let in_order = run.log.windows(2).all(|pair| pair[0].at <= pair[1].at);
    assert!(in_order, "the log goes back in time\n{text}");
    check_calls(&run.log, &text);
    check_playback(&run.log, &text);
    let ends = run.log.iter().filter(|entry| is_end(entry)).count();
    assert!(ends <= 1, "the session ended {ends} times\n{text}");
    assert_eq!(ends == 1, run.report.is_some(), "{text}");
    assert!(!text.contains("did not come to rest"), "{text}");
}

/// The state that the log gives after it was on disk.
pub(crate) fn replayed(log: &[LogEntry]) -> State {
    let lines: Vec<String> =
        log.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
    let read: Vec<LogEntry> = lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|fault| panic!("{fault}: {line}")))
        .collect();
    assert_eq!(read, log);
    State::replay(&read).unwrap()
}

fn is_end(entry: &LogEntry) -> bool {
    matches!(entry.event, VoiceEvent::Session(SessionEvent::Ended { .. }))
}

/// Every call is asked once and answered at most once; at the end of a session exactly once, and
/// a result is recorded before the answer that carries it.
#[track_caller]
fn check_calls(log: &[LogEntry], text: &str) {
    let mut answers: BTreeMap<String, usize> = BTreeMap::new();
    for entry in log {
        let VoiceEvent::Call(event) = &entry.event else { continue };
        match event {
            CallEvent::Asked { call, .. } => {
                assert!(answers.insert(call.id.0.clone(), 0).is_none(), "asked twice\n{text}");
            }
            CallEvent::Answered { call, .. } => *answers.get_mut(&call.0).unwrap() += 1,
            _ => {}
        }
    }
    let has_ended = log.iter().any(is_end);
    for (call, count) in answers {
        assert!(count <= 1, "{call} was answered {count} times\n{text}");
        assert!(count == 1 || !has_ended, "{call} has no answer\n{text}");
    }
}

/// Nothing starts or goes on while the person speaks.
#[track_caller]
fn check_playback(log: &[LogEntry], text: &str) {
    let mut speaking = false;
    for entry in log {
        match &entry.event {
            VoiceEvent::User(UserEvent::SpeechStarted { .. }) => speaking = true,
            VoiceEvent::User(UserEvent::SpeechEnded { .. } | UserEvent::Ignored { .. }) => {
                speaking = false;
            }
            VoiceEvent::Audio(
                AudioEvent::Started { .. } | AudioEvent::Resumed { .. } | AudioEvent::Tone,
            ) => assert!(!speaking, "sound starts while the person speaks\n{text}"),
            _ => {}
        }
    }
}

/// A session that is driven input by input, for what no script can say.
pub(crate) struct Driven {
    pub(crate) session: Session,
    now: u64,
}

/// A session in which a call of this tool, which reads, has just started.
pub(crate) fn session_with_call(tool: &str) -> Driven {
    let road = voice::RoadFacts {
        speech: SpeechBy::Provider,
        responds_to: voice::RespondsTo::Audio,
        turns: voice::TurnsBy::Us,
        transcribes: Transcribes::Everything,
    };
    let mut config = Config::standard(road, vec![Language::En]);
    let facts = ToolFacts {
        effects: EffectLevel::Reads,
        on_interrupt: OnInterrupt::Cancel,
        ..ToolFacts::UNKNOWN
    };
    config.tools.insert(tool.to_owned(), facts);
    let opened = Opened { config, history: Vec::new(), pending: Vec::new() };
    let (session, _) = Session::open(Timestamp(0), opened, None).unwrap();
    let mut driven = Driven { session, now: 0 };
    driven.at(0, Input::Ready);
    driven.at(0, Input::SpeechStarted);
    driven.at(1_000, Input::SpeechEnded);
    driven.at(1_500, Input::Tick);
    let id = CallId("c1".to_owned());
    let call = Call { id, tool: tool.to_owned(), args: json!({}) };
    let commands = driven.at(2_000, Input::CallAsked { call });
    assert!(commands.iter().any(|command| matches!(command, Command::RunCall { .. })));
    driven
}

impl Driven {
    pub(crate) fn at(&mut self, ms: u64, input: Input) -> Vec<Command> {
        self.now = ms;
        self.session.handle(Timestamp(ms), input)
    }

    /// The call fails, and still has wishes.
    pub(crate) fn settle_failed_with_intents(&mut self) -> Vec<Command> {
        let intents = vec![
            Intent::EndVoiceSession { after: After::Immediate },
            Intent::SuppressAudio { value: true },
            Intent::SetPendingMessage { message: "later".to_owned() },
        ];
        let (content, outcome) = (json!({ "type": "TRANSIENT" }), CallOutcome::Failed);
        let result = CallResult { intents, ..CallResult::new(content, outcome) };
        self.at(self.now + 100, Input::CallSettled { call: CallId("c1".to_owned()), result })
    }

    /// The person interrupts; says how the call was answered so much later.
    pub(crate) fn interrupt_and_wait(&mut self, ms: u64) -> Option<&'static str> {
        let start = self.now + 100;
        self.at(start, Input::SpeechStarted);
        let commands = self.at(start + 500, Input::Tick);
        assert!(commands.iter().any(|command| matches!(command, Command::CancelCall { .. })));
        let early = self.at(start + 500 + ms - 1, Input::Tick);
        assert_eq!(answer_of(&early), None);
        let late = self.at(start + 500 + ms, Input::Tick);
        answer_of(&late)
    }
}

fn answer_of(commands: &[Command]) -> Option<&'static str> {
    commands.iter().find_map(|command| {
        let Command::Record(entry) = command else { return None };
        let VoiceEvent::Call(CallEvent::Answered { answer, .. }) = &entry.event else {
            return None;
        };
        Some(match answer.kind {
            AnswerKind::Result => "Result",
            AnswerKind::StillOpen => "StillOpen",
            AnswerKind::Cancelled => "Cancelled",
            AnswerKind::Malformed => "Malformed",
            AnswerKind::InHistory => "InHistory",
        })
    })
}
