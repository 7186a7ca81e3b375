//! FC-11: every step in every state, as a table.

use super::{BadStep, Machine, RunState, SentenceState, Step};
use crate::model::error_code::ErrorCode;

/// A run of three sentences in this state: one received, one a hole, one pending.
fn machine(state: RunState) -> Machine {
    use SentenceState::{Invalid, Pending, Received};
    let stopped = matches!(state, RunState::PartlyReady | RunState::Failed);
    let why = stopped.then_some(ErrorCode::RateLimit);
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
    // The columns are idle, submitted, in progress, ready, partly ready, failed.
    let expected = "\
submit    submitted    -            -            -            -            -
start     -            in_progress  -            -            -            -
receive   -            -            in_progress  -            -            -
fail      -            -            in_progress  -            -            -
retry     -            -            in_progress  in_progress  in_progress  in_progress
skip      -            -            in_progress  -            partly_ready failed
complete  -            -            -            -            -            -
abort     -            partly_ready partly_ready -            -            -
resume    -            -            -            -            in_progress  in_progress
reset     idle         idle         idle         idle         idle         idle
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
    assert_eq!((machine.state(), machine.why()), (RunState::PartlyReady, Some(ErrorCode::Holes)));
    assert!(machine.is_partial(), "what was received stays usable");
    machine.take(Step::Retry(1)).unwrap();
    machine.take(Step::Receive(1)).unwrap();
    machine.take(Step::Complete).unwrap();
    assert_eq!((machine.state(), machine.is_partial()), (RunState::Ready, false));
    assert_eq!(machine.take(Step::Receive(9)), Err(BadStep::Run(RunState::Ready)));
}

#[test]
fn fc_11_a_run_without_any_cards_has_failed_and_one_with_some_is_partly_ready() {
    let check = |received: usize, stop: fn(&mut Machine), expected: RunState| {
        let mut machine = Machine::new(2);
        for step in [Step::Submit, Step::Start] {
            machine.take(step).unwrap();
        }
        for index in 0..received {
            machine.take(Step::Receive(index)).unwrap();
        }
        stop(&mut machine);
        assert_eq!(machine.state(), expected);
    };
    let abort = |machine: &mut Machine| machine.take(Step::Abort(ErrorCode::RateLimit)).unwrap();
    let holes = |machine: &mut Machine| {
        for index in 0..2 {
            let _ = machine.take(Step::Fail(index));
        }
        machine.take(Step::Complete).unwrap();
    };
    check(0, abort, RunState::Failed);
    check(0, holes, RunState::Failed);
    check(1, abort, RunState::PartlyReady);
    check(1, holes, RunState::PartlyReady);
}
