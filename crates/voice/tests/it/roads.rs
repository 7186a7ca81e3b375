//! The same script gives the same decisions on every road.

use voice::{RoadKind, Run};

use crate::support::check;

/// Live writes down what was said when it pauses or answers; everything else is the same.
fn comparable(run: &Run, other: &Run, is_live: bool) -> (Vec<String>, Vec<String>) {
    let said = |line: &String| line.contains(" said \"");
    // What happens in one instant has no order between roads: our own speech comes a step later.
    let lines = |run: &Run| -> Vec<String> {
        let mut lines: Vec<String> =
            run.decisions().into_iter().filter(|line| !is_live || !said(line)).collect();
        lines.sort_by(|a, b| (&a[..9], a).cmp(&(&b[..9], b)));
        lines
    };
    (lines(run), lines(other))
}

#[track_caller]
fn same_everywhere(script: &str) {
    let runs = check(script);
    for (road, run) in RoadKind::ALL.into_iter().zip(&runs).skip(1) {
        let (found, expected) = comparable(run, &runs[0], road == RoadKind::Live);
        assert_eq!(found, expected, "{} decides otherwise than realtime", road.as_str());
    }
}

#[test]
fn vx_11_a_question_and_its_answer() {
    same_everywhere(
        "at 0s user says \"what time is it\" for 1.2s\n\
         at 2s provider says \"It is three o'clock. Do you want anything else?\" for 4s\n\
         expect u1 heard\n",
    );
}

#[test]
fn vx_11_an_interruption() {
    same_everywhere(
        "at 0s user says \"what time is it\" for 1.2s\n\
         at 2s provider says \"It is three o'clock. Do you want anything else?\" for 4s\n\
         at 3.5s user interrupts with \"in Riga\"\n\
         at 5.5s provider says \"Five there.\" for 1s\n\
         expect u1 cut\n\
         expect u2 heard\n",
    );
}

#[test]
fn vx_11_calls_with_fillers_and_results() {
    same_everywhere(
        "tool kb_search retrieval budget 1s\ntool book writes\n\
         at 0s user says \"book a table\" for 1.2s\n\
         at 2s provider calls kb_search {\"q\":\"table\"} as call-number-1\n\
         at 5s tool call-number-1 returns {\"n\":1}\n\
         at 5.2s provider calls book {} as call-number-2\n\
         at 5.5s tool call-number-2 fails \"No table is free.\"\n\
         at 6s provider says \"There is none.\" for 1s\n\
         expect tone\n\
         expect filler\n\
         expect call-number-2 settled, Failed\n\
         expect u2 heard\n",
    );
}

#[test]
fn vx_11_a_write_that_outlives_an_interruption() {
    same_everywhere(
        "tool book writes\n\
         at 0s user says \"book a table\" for 1.2s\n\
         at 2s provider calls book {} as call-number-1\n\
         at 2.5s user says \"and what is the weather\" for 1.5s\n\
         at 5.5s provider says \"Sunny.\" for 1s\n\
         at 8s tool call-number-1 returns {}\n\
         expect interrupted\n\
         expect call-number-1 answered, StillOpen\n\
         expect u1 heard\n\
         expect call-number-1 informed\n",
    );
}

#[test]
fn vx_11_an_approval_by_voice() {
    same_everywhere(
        "tool book writes asks\n\
         at 0s user says \"book a table\" for 1.2s\n\
         at 2s provider calls book {\"name\":\"Ana\"} as call-number-1\n\
         at 12s user says \"yes\" for 1s\n\
         at 14s tool call-number-1 returns {}\n\
         at 14.5s provider says \"Done.\" for 1s\n\
         expect approved\n\
         expect u2 heard\n",
    );
}

#[test]
fn vx_11_a_farewell() {
    same_everywhere(
        "tool end_voice_session writes repeatable\n\
         at 0s user says \"goodbye\" for 1.2s\n\
         at 2s provider says \"It was nice.\" for 1s then calls end_voice_session {\"reason\":\"user_request\",\"final_message\":\"Goodbye!\"} as c1\n\
         at 3.2s tool c1 returns {} with [{\"type\":\"END_VOICE_SESSION\",\"after\":\"farewell_spoken\"}]\n\
         expect at 3s c1 started\n\
         expect session ended\n",
    );
}

#[test]
fn vx_11_malformed_and_refused_calls() {
    same_everywhere(
        "tool pay writes text-only\n\
         at 0s user says \"pay the bill\" for 1.2s\n\
         at 2s provider calls pay {} as call-number-1 and nothing_like_it {} as call-number-2\n\
         at 2.5s provider says \"I cannot.\" for 1s\n\
         expect MODE_RESTRICTED\n\
         expect u1 heard\n",
    );
}

#[test]
fn vx_11_only_realtime_and_the_cascade_cancel_and_truncate() {
    let script = "at 0s user says \"what time is it\" for 1.2s\n\
         at 2s provider begins \"It is three o'clock. Do you want\" for 4s\n\
         at 3.5s user interrupts with \"in Riga\"\n\
         until 8s\n\
         expect u1 cut\n";
    for (road, run) in RoadKind::ALL.into_iter().zip(check(script)) {
        let sent = format!("{:?}", run.sent);
        let cancels = sent.contains("response.cancel") || sent.contains("Turn(Cancel)");
        let truncates = sent.contains("item.truncate") || sent.contains("Turn(Truncate");
        let expected = matches!(road, RoadKind::Realtime | RoadKind::Cascade);
        assert_eq!((cancels, truncates), (expected, expected), "{}", road.as_str());
    }
}

#[test]
fn live_may_begin_to_answer_before_the_person_has_quite_stopped() {
    let script = "at 0s user says \"what time is it now\" for 2s\n\
         at 1.9s provider says \"It is three o'clock.\" for 2s\n\
         at 6s user says \"thanks\" for 1s\n\
         until 8s\n\
         expect at 1.9s t1 requested\n\
         expect at 1.9s u1 answer started\n\
         expect at 2s s1 speech ended\n\
         expect at 2s u1 playing\n\
         expect u1 heard\n\
         expect never interrupted\n";
    crate::support::check_on(RoadKind::Live, script);
}

#[test]
fn live_that_knows_the_words_early_still_waits_for_the_person_to_stop() {
    let script = "at 0s user says \"what time is it now\" for 2s\n\
         at 1.5s partial \"what time is it\"\n\
         at 1.8s provider says \"It is three o'clock.\" for 2s\n\
         until 5s\n\
         expect at 1.8s s1 said \"what time is it\"\n\
         expect at 1.8s t1 requested\n\
         expect at 2s s1 speech ended\n\
         expect at 2s u1 playing\n\
         expect u1 heard\n";
    crate::support::check_on(RoadKind::Live, script);
}
