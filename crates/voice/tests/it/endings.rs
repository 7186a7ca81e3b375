//! Endings: three ways, interrupted, without acknowledgement; silence for one turn.

use voice::{RoadKind, Shown};

use crate::support::{check, check_on};

const ASKED: &str = "at 0s user says \"thanks that is all\" for 1.2s\n";

/// The tools of the samples, as far as a session sees them.
const TOOLS: &str = "tool end_voice_session writes repeatable budget 500ms\n\
                     tool ignore_user writes budget 1s\n";

fn end(after: &str) -> String {
    format!("[{{\"type\":\"END_VOICE_SESSION\",\"after\":\"{after}\"}}]")
}

#[test]
fn vx_06_immediate_ends_at_once() {
    let script = format!(
        "{TOOLS}{ASKED}\
         at 2s provider calls end_voice_session {{\"reason\":\"user_request\"}} as c1\n\
         at 2.2s tool c1 returns {{}} with {}\n\
         expect at 2.2s c1 answered, Result\n\
         expect at 2.2s ending: end_voice_session:user_request, immediate\n\
         expect at 2.2s session ended: end_voice_session:user_request\n\
         expect 1 times end: end_voice_session:user_request\n\
         expect never continued\n",
        end("immediate")
    );
    check(&script);
}

#[test]
fn vx_06_current_turn_waits_for_the_model_s_last_words_and_ignores_speech() {
    let script = format!(
        "{TOOLS}{ASKED}\
         at 2s provider calls end_voice_session {{\"reason\":\"task_complete\"}} as c1\n\
         at 2.2s tool c1 returns {{}} with {}\n\
         at 2.5s provider says \"Goodbye then, it was a pleasure.\" for 2s\n\
         at 3s user says \"one more thing\" for 1s\n\
         expect at 2.2s continued\n\
         expect at 2.5s u1 playing\n\
         expect at 4.5s u1 heard\n\
         expect at 4.5s session ended\n\
         expect never s2\n\
         expect never paused\n",
        end("current_turn")
    );
    for road in RoadKind::ALL {
        let parsed = voice::parse_script(&script).unwrap();
        let run = parsed.run_on(road.as_str()).unwrap();
        assert!(run.failures.is_empty(), "{:?}\n{}", run.failures, run.text());
    }
}

#[test]
fn vx_06_current_turn_ends_after_five_seconds_of_nothing() {
    let script = format!(
        "{TOOLS}{ASKED}\
         at 2s provider calls end_voice_session {{\"reason\":\"task_complete\"}} as c1\n\
         at 2.2s tool c1 returns {{}} with {}\n\
         expect at 2.2s continued\n\
         expect at 7.2s session ended\n",
        end("current_turn")
    );
    check(&script);
}

#[test]
fn vx_06_a_farewell_is_heard_to_its_end() {
    let script = format!(
        "{TOOLS}{ASKED}\
         at 2s provider calls end_voice_session {{\"reason\":\"user_request\",\"final_message\":\"Gladly. Goodbye!\"}} as c1\n\
         at 2.2s tool c1 returns {{}} with {}\n\
         expect at 2.2s ending: end_voice_session:user_request, farewell_spoken\n\
         expect at 2.2s u1 farewell \"Gladly. Goodbye!\"\n\
         expect at 2.2s u1 playing\n\
         expect at 3.1s u1 heard\n\
         expect at 3.1s session ended\n\
         expect never continued\n",
        end("farewell_spoken")
    );
    for run in check(&script) {
        let report = run.report.unwrap();
        let texts: Vec<_> = report.transcript.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["thanks that is all", "Gladly. Goodbye!"]);
    }
}

#[test]
fn vx_06_the_model_may_say_the_farewell_and_we_say_it_if_it_does_not() {
    let setup = format!(
        "set ending.farewell_by \"model\"\n{TOOLS}{ASKED}\
         at 2s provider calls end_voice_session {{\"reason\":\"user_request\",\"final_message\":\"Goodbye!\"}} as c1\n\
         at 2.2s tool c1 returns {{}} with {}\n",
        end("farewell_spoken")
    );
    let by_model = format!(
        "{setup}\
         at 3s provider says \"See you soon.\" for 1s\n\
         expect at 2.2s continued\n\
         expect at 3s u1 is the farewell\n\
         expect at 4s u1 heard\n\
         expect at 4s session ended\n"
    );
    check(&by_model);
    let by_us = format!(
        "{setup}\
         expect at 7.2s u1 farewell \"Goodbye!\"\n\
         expect u1 heard\n\
         expect at 7.68s session ended\n"
    );
    check(&by_us);
}

#[test]
fn vx_06_a_model_that_begins_a_farewell_without_sound_does_not_keep_the_session() {
    let script = format!(
        "set ending.farewell_by \"model\"\n{TOOLS}{ASKED}\
         at 2s provider calls end_voice_session {{\"reason\":\"user_request\"}} as c1\n\
         at 2.2s tool c1 returns {{}} with {}\n\
         at 3s provider begins \"See you\" for 0s\n\
         expect at 3s u1 is the farewell\n\
         expect at 7.2s u2 farewell \"Goodbye.\"\n\
         expect u1 dropped\n\
         expect u2 heard\n\
         expect session ended\n",
        end("farewell_spoken")
    );
    check_on(RoadKind::Realtime, &script);
}

#[test]
fn vx_06_a_missing_acknowledgement_ends_it_by_length_and_three_seconds() {
    let script = format!(
        "{TOOLS}{ASKED}\
         at 1.9s page stops reporting\n\
         at 2s provider calls end_voice_session {{\"reason\":\"user_request\",\"final_message\":\"Gladly. Goodbye!\"}} as c1\n\
         at 2.2s tool c1 returns {{}} with {}\n\
         expect at 2.2s u1 playing\n\
         expect at 6.1s u1 stalled at 0 ms\n\
         expect at 6.1s session ended\n",
        end("farewell_spoken")
    );
    check(&script);
}

#[test]
fn vx_06_an_interruption_takes_back_the_person_s_own_wish() {
    let script = format!(
        "{TOOLS}{ASKED}\
         at 2s provider calls end_voice_session {{\"reason\":\"user_request\",\"final_message\":\"It was nice to talk to you. Goodbye!\"}} as c1\n\
         at 2.2s tool c1 returns {{}} with {}\n\
         at 2.8s user says \"wait one more question\" for 1.2s\n\
         at 5s provider says \"Yes?\" for 1s\n\
         expect at 2.8s u1 paused\n\
         expect at 3.3s ending cancelled\n\
         expect u1 cut\n\
         expect t2 requested \"wait one more question\"\n\
         expect u2 heard\n\
         expect never session ended\n",
        end("farewell_spoken")
    );
    check(&script);
}

#[test]
fn vx_06_noise_during_a_farewell_changes_nothing() {
    let script = format!(
        "{TOOLS}{ASKED}\
         at 2s provider calls end_voice_session {{\"reason\":\"user_request\",\"final_message\":\"It was nice to talk to you. Goodbye!\"}} as c1\n\
         at 2.2s tool c1 returns {{}} with {}\n\
         at 2.8s user speaks\n\
         at 3s user stops\n\
         expect at 2.8s u1 paused\n\
         expect u1 resumed\n\
         expect u1 heard\n\
         expect session ended\n\
         expect never ending cancelled\n",
        end("farewell_spoken")
    );
    check(&script);
}

#[test]
fn vx_06_barge_in_at_every_tenth_of_a_second_of_a_farewell() {
    let words = "That was too much for today. Goodbye, and please be kind to the next one.";
    let length = words.chars().count() as u64 * 60;
    for (tool, argument, ends) in
        [("ignore_user", "farewell_message", true), ("end_voice_session", "final_message", false)]
    {
        for at in (2_200..2_200 + length).step_by(100) {
            let script = format!(
                "{TOOLS}{ASKED}\
                 at 2s provider calls {tool} {{\"{argument}\":\"{words}\"}} as c1\n\
                 at 2.2s tool c1 returns {{}} with {}\n\
                 at {at}ms user interrupts with \"listen to me\"\n\
                 until 12s\n",
                end("farewell_spoken")
            );
            for road in RoadKind::ALL {
                let run = check_on(road, &script);
                let text = run.text();
                assert_eq!(run.report.is_some(), ends, "{tool} {at}\n{text}");
                let requested = text.contains("t2 requested \"listen to me\"");
                assert_eq!(requested, !ends, "{tool} {at}\n{text}");
                assert_eq!(text.matches("ending: ").count(), 1, "{text}");
            }
        }
    }
}

#[test]
fn r15_a_terminal_tool_of_a_generation_that_was_interrupted_never_runs() {
    // Barge-in at every tenth of a second of the words before the call.
    let words = "Thank you for calling, and goodbye for now.";
    for at in (2_000..4_400).step_by(100) {
        let script = format!(
            "{TOOLS}{ASKED}\
             at 2s provider says \"{words}\" for 2.5s then calls end_voice_session {{\"reason\":\"user_request\"}} as c1\n\
             at {at}ms user interrupts with \"wait\"\n\
             until 8s\n\
             expect c1 asked\n\
             expect c1 answered, Cancelled, Silent\n\
             expect t2 requested \"wait\"\n\
             expect never handler runs\n\
             expect never ending\n"
        );
        check(&script);
    }
}

#[test]
fn r15_a_terminal_tool_runs_once_its_generation_was_heard() {
    let script = format!(
        "{TOOLS}{ASKED}\
         at 2s provider says \"Thank you and goodbye.\" for 2s then calls end_voice_session {{\"reason\":\"user_request\"}} as c1\n\
         at 4.1s tool c1 returns {{}} with {}\n\
         expect at 2s c1 asked\n\
         expect at 4s u1 heard\n\
         expect at 4s c1 started\n\
         expect at 4.1s session ended\n",
        end("immediate")
    );
    check(&script);
}

#[test]
fn vx_06_a_terminal_tool_that_was_running_when_the_person_spoke_does_not_end_the_session() {
    let script = format!(
        "{TOOLS}{ASKED}\
         at 2s provider calls end_voice_session {{\"reason\":\"user_request\"}} as c1\n\
         at 2.1s user says \"no wait\" for 1.2s\n\
         at 3s tool c1 returns {{}} with {}\n\
         until 6s\n\
         expect at 2.6s interrupted\n\
         expect c1 answered, Result, Silent\n\
         expect note: `end_voice_session` does not end the session, because the person spoke\n\
         expect t2 requested\n\
         expect never session ended\n",
        end("immediate")
    );
    check(&script);
}

#[test]
fn vx_06_an_ending_closes_the_question_that_is_open() {
    let script = format!(
        "tool book writes asks\n{TOOLS}{ASKED}\
         at 2s provider calls book {{}} as c1 and ignore_user {{\"farewell_message\":\"That is enough.\"}} as c2\n\
         at 3s tool c2 returns {{}} with {}\n\
         expect c1 approval opened\n\
         expect u1 playing\n\
         expect at 3s ending\n\
         expect at 3s question closed\n\
         expect at 3s u1 cut\n\
         expect u2 farewell \"That is enough.\"\n\
         expect u2 heard\n\
         expect c1 answered, Cancelled, Silent\n\
         expect session ended: ignore_user\n",
        end("farewell_spoken")
    );
    check(&script);
}

#[test]
fn vx_06_a_session_ends_once_however_often_it_is_asked() {
    let script = format!(
        "{TOOLS}{ASKED}\
         at 2s provider calls end_voice_session {{\"final_message\":\"Goodbye my friend!\"}} as c1 and \
         end_voice_session {{\"final_message\":\"Goodbye again!\"}} as c2\n\
         at 2.2s tool c1 returns {{}} with {end}\n\
         at 2.3s tool c2 returns {{}} with {end}\n\
         at 2.4s user hangs up\n\
         at 2.5s user hangs up\n\
         expect note: the session is ending already\n\
         expect at 2.4s session ended: person\n\
         expect 1 times farewell \"\n\
         expect 1 times session ended\n",
        end = end("farewell_spoken")
    );
    check(&script);
}

#[test]
fn vx_07_suppress_audio_lasts_exactly_one_turn() {
    let script = format!(
        "tool quiet writes\n{ASKED}\
         at 2s provider calls quiet {{}} as c1\n\
         at 2.2s tool c1 returns {{}} with [{{\"type\":\"SUPPRESS_AUDIO\",\"value\":true}}]\n\
         at 2.5s provider says \"This is only shown.\" for 1s\n\
         at 6s user says \"and now speak\" for 1.2s\n\
         at 8s provider says \"This is heard.\" for 1s\n\
         expect c1 intent SUPPRESS_AUDIO\n\
         expect continued\n\
         expect u1 suppressed\n\
         expect t2 requested\n\
         expect u2 playing\n\
         expect u2 heard\n\
         expect never u1 playing\n"
    );
    for run in check(&script) {
        let state = run.state.unwrap();
        let texts: Vec<_> = state.transcript().iter().map(|line| line.text.as_str()).collect();
        let expected =
            ["thanks that is all", "This is only shown.", "and now speak", "This is heard."];
        assert_eq!(texts, expected);
    }
}

#[test]
fn vx_07_every_output_of_the_turn_is_silent_and_what_plays_already_is_heard() {
    let script = format!(
        "tool quiet writes\ntool more reads after 100ms returns 1\n{ASKED}\
         at 2s provider says \"Let me see about that.\" for 1.5s then calls quiet {{}} as c1\n\
         at 2.2s tool c1 returns {{}} with [{{\"type\":\"SUPPRESS_AUDIO\",\"value\":true}}]\n\
         at 2.5s provider says \"First part.\" for 1s then calls more {{}} as c2\n\
         at 3s provider says \"Second part.\" for 1s\n\
         until 9s\n\
         expect u1 playing\n\
         expect u1 heard\n\
         expect never u2 playing\n\
         expect never u3 playing\n\
         expect 2 times suppressed\n"
    );
    check(&script);
}

#[test]
fn vx_07_a_farewell_by_the_model_is_heard_though_audio_is_suppressed() {
    let script = format!(
        "set ending.farewell_by \"model\"\n{TOOLS}{ASKED}\
         at 2s provider calls ignore_user {{\"farewell_message\":\"Goodbye now.\"}} as c1\n\
         at 2.2s tool c1 returns {{}} with [{{\"type\":\"SUPPRESS_AUDIO\",\"value\":true}},\
         {{\"type\":\"END_VOICE_SESSION\",\"after\":\"farewell_spoken\"}}]\n\
         at 3s provider says \"I am hanging up.\" for 1s\n\
         at 3.1s provider says \"And one more thing.\" for 1s\n\
         expect u1 is the farewell\n\
         expect u1 playing\n\
         expect at 4s u1 heard\n\
         expect at 4s session ended\n\
         expect never u2 playing\n"
    );
    check(&script);
}

#[test]
fn vx_07_suppress_transcript_hides_one_turn_and_the_log_keeps_it() {
    let script = format!(
        "tool hide writes\n{ASKED}\
         at 2s provider calls hide {{}} as c1\n\
         at 2.2s tool c1 returns {{}} with [{{\"type\":\"SUPPRESS_TRANSCRIPT\",\"value\":true}}]\n\
         at 2.5s provider says \"A secret.\" for 1s\n\
         at 6s user says \"go on please\" for 1.2s\n\
         at 8s provider says \"In public.\" for 1s\n\
         at 10s user hangs up\n"
    );
    for run in check(&script) {
        let shown: Vec<_> =
            run.report.unwrap().transcript.iter().map(|line| line.text.clone()).collect();
        assert_eq!(shown, ["go on please", "In public."]);
        let state = run.state.unwrap();
        let hidden: Vec<_> = state
            .transcript()
            .iter()
            .filter(|line| line.shown == Shown::No)
            .map(|line| line.text.as_str())
            .collect();
        assert_eq!(hidden, ["thanks that is all", "A secret."]);
    }
}

#[test]
fn vx_08_a_block_is_told_after_the_farewell_and_keeps_the_person_out() {
    let script = format!(
        "{TOOLS}{ASKED}\
         at 2s provider calls ignore_user {{\"farewell_message\":\"That was too much. Goodbye.\"}} as c1\n\
         at 2.1s tool c1 messages {{\"type\":\"timeout\",\"timeoutUntil\":60}}\n\
         at 2.2s tool c1 returns {{}} with [{{\"type\":\"END_VOICE_SESSION\",\"after\":\"farewell_spoken\"}},{{\"type\":\"SUPPRESS_AUDIO\",\"value\":true}}]\n\
         at 2.4s provider says \"And another thing.\" for 1s\n\
         expect at 2.2s u1 farewell\n\
         expect u1 playing\n\
         expect u1 heard\n\
         expect message {{\"type\":\"timeout\"\n\
         expect session ended: ignore_user\n\
         expect 1 times message {{\n\
         expect never u2 playing\n"
    );
    check(&script);
    let blocked = "blocked for 60s\nexpect refused: this person is blocked for another 60 s\n\
                   expect never ready\n";
    check(blocked);
}

#[test]
fn a_message_of_a_tool_that_does_not_end_the_session_goes_at_once() {
    let script = format!(
        "tool show writes\n{ASKED}\
         at 2s provider calls show {{}} as c1\n\
         at 2.1s tool c1 messages {{\"type\":\"map\"}}\n\
         at 2.2s tool c1 returns {{}}\n\
         until 4s\n\
         expect at 2.2s message {{\"type\":\"map\"}}\n"
    );
    check(&script);
}

#[test]
fn vx_09_history_and_a_pending_request_begin_the_session_and_the_end_returns_them_once() {
    let script = "\
         history user \"hello\"\n\
         history assistant \"Hi.\"\n\
         pending \"how does the tide clock work?\"\n\
         tool note writes\n\
         at 1s provider says \"It follows the moon.\" for 1s\n\
         at 3s user says \"write that down\" for 1.2s\n\
         at 5s provider calls note {} as c1\n\
         at 5.2s tool c1 returns {} with [{\"type\":\"SET_PENDING_MESSAGE\",\"message\":\"go on in text\"}]\n\
         at 5.5s provider says \"Done.\" for 1s\n\
         at 8s user hangs up\n\
         expect at 0s t1 requested \"how does the tide clock work?\"\n\
         expect u1 heard\n\
         expect c1 intent SET_PENDING_MESSAGE\n\
         expect end: person, 4 lines, 1 pending\n";
    for run in check(script) {
        let report = run.report.unwrap();
        assert_eq!(report.pending, ["go on in text"]);
        let texts: Vec<_> = report.transcript.iter().map(|line| line.text.as_str()).collect();
        let question = "how does the tide clock work?";
        assert_eq!(texts, [question, "It follows the moon.", "write that down", "Done."]);
        // The request was sent, and the provider that keeps the conversation got its history.
        let sent = format!("{:?}", run.sent);
        assert!(sent.contains(question), "{sent}");
    }
}

#[test]
fn vx_09_a_pending_message_is_the_first_of_the_next_turn() {
    let script = format!(
        "tool later writes\n{ASKED}\
         at 2s provider calls later {{}} as c1\n\
         at 2.2s tool c1 returns {{}} with [{{\"type\":\"SET_PENDING_MESSAGE\",\"message\":\"remember the milk\"}}]\n\
         at 2.5s provider says \"I will.\" for 1s\n\
         at 5s user says \"what else\" for 1.2s\n\
         until 9s\n\
         expect t2 requested \"remember the milk\" \"what else\"\n"
    );
    check(&script);
}

#[test]
fn unknown_intents_are_noted_and_wrong_ones_are_an_error() {
    let script = format!(
        "tool odd writes\n{ASKED}\
         at 2s provider calls odd {{}} as c1 and odd {{\"x\":1}} as c2\n\
         at 2.2s tool c1 returns {{}} with [{{\"type\":\"DANCE\"}},{{\"type\":\"SUPPRESS_AUDIO\",\"value\":false}}]\n\
         at 2.3s tool c2 returns {{}} with [{{\"type\":\"END_VOICE_SESSION\",\"after\":\"soon\"}}]\n\
         until 5s\n\
         expect note: intent 0 has the unknown type `DANCE`; it is ignored\n\
         expect c1 intent SUPPRESS_AUDIO\n\
         expect c2 settled, PartialEffects\n\
         expect never session ended\n"
    );
    check(&script);
}

#[test]
fn a_failed_call_may_only_leave_a_message() {
    let mut driven = crate::support::session_with_call("odd");
    let commands = driven.settle_failed_with_intents();
    let shown = format!("{commands:?}");
    assert_eq!(shown.matches("IntentApplied").count(), 1, "{shown}");
    assert!(shown.contains("intent: SetPendingMessage"), "{shown}");
    assert!(shown.contains("failed, so it does not end the session"), "{shown}");
}
