//! Random schedules: what must hold holds, whatever happens when.

use proptest::prelude::*;
use voice::{RoadKind, parse_script};

use crate::support::always_holds;

/// Something that happens in a random session.
#[derive(Debug, Clone)]
enum Happening {
    Says(u64, &'static str),
    Noise(u64),
    Partial(&'static str),
    Answers(u64),
    Begins(u64),
    Ends,
    Calls(&'static str, usize),
    Returns(usize),
    Intends(usize, &'static str),
    Fails(usize),
    Withdraws(usize),
    Asks(usize),
    Lost,
    Back,
    Restarts,
    PageSilent,
    PageBack,
    PageApproves,
    GoesAway,
    HangsUp,
}

const FORM: &str = "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}";

impl Happening {
    fn line(&self, at: u64, number: usize) -> String {
        let call = |index: &usize| format!("call-number-{}", index % 4);
        let what = match self {
            Happening::Says(ms, text) => format!("user says \"{text}\" for {ms}ms"),
            Happening::Noise(ms) => format!("user makes noise for {ms}ms"),
            Happening::Partial(text) => format!("partial \"{text}\""),
            Happening::Answers(ms) => {
                format!("provider says \"One two three. Four five {number}.\" for {ms}ms")
            }
            Happening::Begins(ms) => format!("provider begins \"Six seven. Eight\" for {ms}ms"),
            Happening::Ends => "provider ends".to_owned(),
            Happening::Calls(tool, index) => {
                format!("provider calls {tool} {{\"n\":{index}}} as {}", call(index))
            }
            Happening::Returns(index) => format!("tool {} returns {{\"n\":1}}", call(index)),
            Happening::Intends(index, after) => format!(
                "tool {} returns {{}} with [{{\"type\":\"END_VOICE_SESSION\",\"after\":\"{after}\"}},\
                 {{\"type\":\"SUPPRESS_AUDIO\",\"value\":true}}]",
                call(index)
            ),
            Happening::Fails(index) => format!("tool {} fails \"no\"", call(index)),
            Happening::Withdraws(index) => format!("provider withdraws {}", call(index)),
            Happening::Asks(index) => format!("tool {} asks q \"What?\" {FORM}", call(index)),
            Happening::Lost => "connection lost".to_owned(),
            Happening::Back => "connection back".to_owned(),
            Happening::Restarts => "process restarts".to_owned(),
            Happening::PageSilent => "page stops reporting".to_owned(),
            Happening::PageBack => "page reports".to_owned(),
            Happening::PageApproves => "page approves".to_owned(),
            Happening::GoesAway => "provider goes away in 20s".to_owned(),
            Happening::HangsUp => "user hangs up".to_owned(),
        };
        format!("at {at}ms {what}\n")
    }
}

fn happening() -> impl Strategy<Value = Happening> {
    let words = prop::sample::select(vec!["what time is it", "yes", "no", "mhm", "", "forty two"]);
    let early = prop::sample::select(vec!["mhm", "what time", "no"]);
    let tool = prop::sample::select(vec!["look", "book", "pay", "end_voice_session", "unknown"]);
    let after = prop::sample::select(vec!["immediate", "current_turn", "farewell_spoken"]);
    prop_oneof![
        6 => (100u64..2_000, words).prop_map(|(ms, text)| Happening::Says(ms, text)),
        2 => (50u64..900).prop_map(Happening::Noise),
        2 => early.prop_map(Happening::Partial),
        5 => (0u64..5_000).prop_map(Happening::Answers),
        2 => (0u64..5_000).prop_map(Happening::Begins),
        2 => Just(Happening::Ends),
        5 => (tool, 0usize..4).prop_map(|(tool, index)| Happening::Calls(tool, index)),
        4 => (0usize..4).prop_map(Happening::Returns),
        1 => (0usize..4, after).prop_map(|(index, after)| Happening::Intends(index, after)),
        1 => (0usize..4).prop_map(Happening::Fails),
        1 => (0usize..4).prop_map(Happening::Withdraws),
        1 => (0usize..4).prop_map(Happening::Asks),
        1 => Just(Happening::Lost),
        2 => Just(Happening::Back),
        1 => Just(Happening::Restarts),
        1 => Just(Happening::PageSilent),
        1 => Just(Happening::PageBack),
        1 => Just(Happening::PageApproves),
        1 => Just(Happening::GoesAway),
        1 => Just(Happening::HangsUp),
    ]
}

const SETUP: &str = "tool look retrieval budget 1s\ntool book writes budget 3s\n\
     tool pay writes asks\ntool end_voice_session writes repeatable\n\
     at 0s user says \"begin\" for 1s\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_what_must_hold_holds(
        schedule in prop::collection::vec((50u64..1_500, happening()), 1..24),
        road in prop::sample::select(RoadKind::ALL.to_vec()),
    ) {
        let mut script = SETUP.to_owned();
        let mut at = 1_600;
        for (number, (pause, happening)) in schedule.iter().enumerate() {
            at += pause;
            script.push_str(&happening.line(at, number));
        }
        let run = parse_script(&script).unwrap().run_on(road.as_str()).unwrap();
        println!("{}\n{script}\n{}", road.as_str(), run.text());
        prop_assert!(run.failures.is_empty());
        always_holds(&run);
    }

    #[test]
    fn every_session_ends_when_it_is_told_to(
        schedule in prop::collection::vec((50u64..1_500, happening()), 1..16),
        road in prop::sample::select(RoadKind::ALL.to_vec()),
    ) {
        let mut script = SETUP.to_owned();
        let mut at = 1_600;
        for (number, (pause, happening)) in schedule.iter().enumerate() {
            at += pause;
            script.push_str(&happening.line(at, number));
        }
        script.push_str(&format!("at {}ms user hangs up\n", at + 10));
        let run = parse_script(&script).unwrap().run_on(road.as_str()).unwrap();
        always_holds(&run);
        prop_assert!(run.report.is_some(), "{}", run.text());
    }
}
