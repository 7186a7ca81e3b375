//! FC-11: every step in every state, as a table.

use super::{BadStep, Machine, RunState, SentenceState, Step};
use crate::model::error_code::ErrorCode;

/// A run of three sentences in this state: one received, one a hole, one pending.
fn machine(state: RunState) -> Machine {
    use SentenceState::{Invalid, Pending, Received};
    let why = (state == RunState::Failed).then_some(ErrorCode::RateLimit);
    Machine { state, sentences: vec![Received, Invalid, Pending], why }
}

#[test]
fn fc_11_every_step_in_every_state() {
    let steps: [(&str, Step); 10] = [
        ("submit", Step::Submit),
        ("start", Step::Start),
        ("receive", Step::Receive(2)),
        ("fail", Step::Fail(2)),
        ("retry", Step::Retry(1)),
        ("skip", Step::Skip(1)),
        ("complete", Step::Complete),
        ("abort", Step::Abort(ErrorCode::Timeout)),
        ("resume", Step::Resume),
        ("reset", Step::Reset),
    ];
    let mut table = String::new();
    for (name, step) in steps {
        table += &format!("{name:<9}");
        for state in RunState::ALL {
            let mut machine = machine(state);
            let before = machine.clone();
            let cell = match machine.take(step) {
                Ok(()) => machine.state().as_str().replace(' ', "_"),
                Err(_) => {
                    assert_eq!(machine, before, "{name} in {state:?} changed something");
                    "-".to_owned()
                }
            };
            table += &format!(" {cell:<12}");
        }
        table = table.trim_end().to_owned() + "\n";
    }
    // The columns are idle, submitted, in progress, ready, failed.
    let expected = "\
submit    submitted    -            -            -            -
start     -            in_progress  -            -            -
receive   -            -            in_progress  -            -
fail      -            -            in_progress  -            -
retry     -            -            in_progress  in_progress  in_progress
skip      -            -            in_progress  -            failed
complete  -            -            -            -            -
abort     -            failed       failed       -            -
resume    -            -            -            -            in_progress
reset     idle         idle         idle         idle         idle
";
    assert_eq!(table, expected);
}

#[test]
fn fc_11_every_step_of_a_sentence() {
    use SentenceState::{Invalid, Pending, Received, Retrying, Skipped};
    let check = |step: fn(usize) -> Step, from: SentenceState, to: Option<SentenceState>| {
        let mut machine = Machine { state: RunState::InProgress, sentences: vec![from], why: None };
        let taken = machine.take(step(0)).ok().map(|()| machine.sentences()[0]);
        assert_eq!(taken, to, "{:?} of {from:?}", step(0));
    };
    for (from, receive, fail, retry, skip) in [
        (Pending, Some(Received), Some(Invalid), None, Some(Skipped)),
        (Received, None, None, Some(Retrying), None),
        (Invalid, Some(Received), None, Some(Retrying), Some(Skipped)),
        (Retrying, Some(Received), Some(Invalid), None, Some(Skipped)),
        (Skipped, None, None, Some(Retrying), None),
    ] {
        check(Step::Receive, from, receive);
        check(Step::Fail, from, fail);
        check(Step::Retry, from, retry);
        check(Step::Skip, from, skip);
    }
}

#[test]
fn a_run_is_ready_only_when_every_sentence_is_settled() {
    let mut machine = Machine::new(2);
    for step in [Step::Submit, Step::Start, Step::Receive(0)] {
        machine.take(step).unwrap();
    }
    assert_eq!(machine.take(Step::Complete), Err(BadStep::Waiting(1)));
    assert!(machine.is_partial());
    machine.take(Step::Fail(1)).unwrap();
    machine.take(Step::Complete).unwrap();
    assert_eq!((machine.state(), machine.why()), (RunState::Failed, Some(ErrorCode::Holes)));
    assert!(machine.is_partial(), "what was received stays usable");
    machine.take(Step::Retry(1)).unwrap();
    machine.take(Step::Receive(1)).unwrap();
    machine.take(Step::Complete).unwrap();
    assert_eq!((machine.state(), machine.is_partial()), (RunState::Ready, false));
    assert_eq!(machine.take(Step::Receive(9)), Err(BadStep::Run(RunState::Ready)));
}
