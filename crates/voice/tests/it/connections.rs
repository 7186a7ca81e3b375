//! Lost connections, and another process that goes on.

use voice::RoadKind;

use crate::support::{check, check_model, check_on};

const ASKED: &str = "at 0s user says \"book a table\" for 1.2s\n";

#[test]
fn vx_13_a_lost_connection_during_a_write_repeats_nothing() {
    let script = format!(
        "tool book writes budget 1s\n{ASKED}\
         at 2s provider calls book {{}} as call-number-1\n\
         at 2.5s connection lost\n\
         at 3s tool call-number-1 returns {{\"booked\":true}}\n\
         at 4s connection back\n\
         at 4.5s provider says \"It is booked.\" for 1s\n\
         expect at 2.5s connection lost\n\
         expect reconnect\n\
         expect at 3s call-number-1 settled, Done\n\
         expect at 4s connection back\n\
         expect at 4s call-number-1 answered\n\
         expect at 4s continued\n\
         expect u1 heard\n\
         expect 1 times handler runs\n"
    );
    for road in [RoadKind::Realtime, RoadKind::Gemini, RoadKind::Live] {
        check_on(road, &script);
    }
}

#[test]
fn vx_13_a_result_goes_by_its_id_where_the_context_is_kept_and_as_context_where_it_is_not() {
    let script = "tool book writes budget 3s\n\
         at 0s user says \"hello there\" for 1.2s\n\
         at 2s provider says \"Hi.\" for 0.5s\n\
         at 3s user says \"book a table\" for 1.2s\n\
         at 5s provider calls book {} as call-number-1\n\
         at 5.5s connection lost\n\
         at 6s connection back\n\
         at 7s tool call-number-1 returns {\"booked\":true}\n\
         at 7.5s provider says \"It is booked.\" for 1s\n\
         expect u2 heard\n\
         expect 1 times handler runs\n";
    let kept = check_on(RoadKind::Gemini, script);
    let text = kept.text();
    assert!(text.contains("\"sessionResumption\":{\"handle\":\"handle-1\"}"), "{text}");
    assert!(text.contains("call-number-1 answered, Result, Speaks"), "{text}");
    assert!(text.contains("\"toolResponse\""), "{text}");
    let fresh = check_on(RoadKind::Realtime, script);
    let text = fresh.text();
    assert!(text.contains("call-number-1 answered, InHistory, Speaks"), "{text}");
    assert!(text.contains("The result of the call call-number-1 of `book`"), "{text}");
    assert!(!text.contains("function_call_output"), "{text}");
    // The new session knows what was said and heard.
    for said in ["hello there", "Hi.", "book a table"] {
        assert!(text.matches(said).count() >= 2, "{said}\n{text}");
    }
}

#[test]
fn vx_13_an_answer_of_which_nothing_was_heard_is_asked_for_again() {
    let script = format!(
        "{ASKED}\
         at 2s connection lost\n\
         at 3s connection back\n\
         at 3.5s provider says \"Here I am.\" for 1s\n\
         expect at 3s connection back\n\
         expect at 3s t1 requested again\n\
         expect u1 heard\n"
    );
    check_on(RoadKind::Realtime, &script);
    check_on(RoadKind::Gemini, &script);
}

#[test]
fn vx_13_what_was_received_is_heard_and_not_repeated() {
    let script = format!(
        "{ASKED}\
         at 2s provider begins \"It is three o'clock.\" for 2s\n\
         at 3s connection lost\n\
         at 3.5s connection back\n\
         until 9s\n\
         expect u1 lost\n\
         expect at 4s u1 heard\n\
         expect never requested again\n"
    );
    check_on(RoadKind::Realtime, &script);
    check_on(RoadKind::Gemini, &script);
}

#[test]
fn vx_13_go_away_is_a_new_connection_in_a_quiet_moment() {
    let quiet = format!(
        "{ASKED}\
         at 2s provider says \"It is three o'clock.\" for 2s\n\
         at 3s provider goes away in 60s\n\
         at 5s connection lost\n\
         at 5.2s connection back\n\
         until 9s\n\
         expect at 3s provider goes away at 63.000s\n\
         expect at 4s reconnecting\n\
         expect at 5.2s connection back\n\
         expect 1 times reconnecting\n"
    );
    check_on(RoadKind::Gemini, &quiet);
    let busy = format!(
        "tool book writes budget 3s\n{ASKED}\
         at 2s provider calls book {{}} as c1\n\
         at 3s provider goes away in 20s\n\
         until 30s\n\
         expect at 18s reconnecting\n"
    );
    check_on(RoadKind::Gemini, &busy);
}

#[test]
fn vx_13_another_process_goes_on_from_the_log_without_a_second_effect() {
    let script = format!(
        "tool book writes budget 3s\n{ASKED}\
         at 2s provider calls book {{}} as call-number-1\n\
         at 2.5s process restarts\n\
         at 3s connection back\n\
         until 8s\n\
         expect call-number-1 handler runs\n\
         expect process restarted\n\
         expect call-number-1 settled, PartialEffects\n\
         expect call-number-1 answered\n\
         expect 1 times handler runs\n"
    );
    for road in RoadKind::ALL {
        // A provider of another process knows nothing of the call; its result is context.
        let run = check_on(road, &script);
        assert!(run.text().contains("answered, InHistory"), "{}", run.text());
        assert!(!format!("{:?}", run.sent).contains("function_call_output"));
    }
    let read = format!(
        "tool look reads budget 3s\n{ASKED}\
         at 2s provider calls look {{}} as call-number-1\n\
         at 2.5s process restarts\n\
         at 3s connection back\n\
         at 3.5s tool call-number-1 returns {{}}\n\
         until 8s\n\
         expect process restarted\n\
         expect call-number-1 answered\n\
         expect continued\n\
         expect 2 times handler runs\n"
    );
    for road in RoadKind::ALL {
        check_on(road, &read);
    }
}

#[test]
fn vx_13_behind_a_voice_our_own_turn_outlives_the_connection_and_gets_the_result() {
    let script = format!(
        "tool book writes budget 1s\n{ASKED}\
         at 2s provider calls book {{}} as call-number-1\n\
         at 2.5s connection lost\n\
         at 3s tool call-number-1 returns {{\"booked\":true}}\n\
         at 4s connection back\n\
         until 8s\n\
         expect at 4s call-number-1 answered, Result\n\
         expect at 4s turn answer call-number-1 {{\"booked\":true}}\n\
         expect 1 times handler runs\n\
         expect never turn t0 start\n"
    );
    check_on(RoadKind::Live, &script);
}

#[test]
fn vx_13_in_another_process_our_own_turn_begins_again_from_the_result() {
    let script = format!(
        "tool look reads budget 3s\n{ASKED}\
         at 2s provider calls look {{}} as call-number-1\n\
         at 2.5s process restarts\n\
         at 3s connection back\n\
         at 3.5s tool call-number-1 returns {{\"seen\":1}}\n\
         at 4s provider says \"It is there.\" for 1s\n\
         until 8s\n\
         expect at 3.5s turn inform The result of the call call-number-1 of `look`: {{\"seen\":1}}\n\
         expect at 3.5s turn t0 start\n\
         expect heard\n"
    );
    check_on(RoadKind::Cascade, &script);
    check_on(RoadKind::Live, &script);
}

#[test]
fn an_approval_survives_another_process() {
    let script = "tool book writes asks\n\
         at 0s user says \"book a table\" for 1.2s\n\
         at 2s provider calls book {\"name\":\"Ana\"} as call-number-1\n\
         at 15s process restarts\n\
         at 15.2s connection back\n\
         at 16s user says \"yes\" for 0.6s\n\
         at 20s tool call-number-1 returns {}\n\
         until 25s\n\
         expect u1 heard\n\
         expect process restarted\n\
         expect approval answered \"yes\": yes\n\
         expect call-number-1 handler runs\n\
         expect call-number-1 answered\n\
         expect 1 times handler runs\n";
    check(script);
}

#[test]
fn two_delegations_within_a_second_are_taken_one_after_the_other() {
    let script = "tool look reads\n\
         at 0s user says \"two things please\" for 1.2s\n\
         at 2s provider calls look {\"n\":1} as c1\n\
         at 2.5s provider sends {\"type\":\"session.delegation.created\",\"event_id\":\"e\",\"offset_ms\":0,\"delegation\":{\"id\":\"dlg_9\",\"target\":\"client\"}}\n\
         at 3s tool c1 returns {}\n\
         at 3.5s provider says \"The first.\" for 1s\n\
         until 8s\n\
         expect at 2s turn t1 start\n\
         expect at 3.5s \"content\":\"The first.\",\"delegation_id\":\"dlg_1\"\n\
         expect at 3.5s turn t2 start\n\
         expect u1 heard\n";
    let run = check_on(RoadKind::Live, script);
    let text = run.text();
    let commentary = text.find("\"content\":\"The first.\"").unwrap();
    assert!(text.find("turn t2 start").is_some_and(|second| commentary < second), "{text}");
}

#[test]
fn unknown_messages_are_noted_once_and_never_fatal() {
    let frames = [
        (RoadKind::Realtime, "{\"type\":\"response.something_new\"}"),
        (RoadKind::Live, "{\"type\":\"session.something_new\"}"),
        (RoadKind::Gemini, "{\"somethingNew\":{}}"),
    ];
    for (road, frame) in frames {
        let script = format!(
            "{ASKED}\
             at 1.8s provider sends {frame}\n\
             at 1.9s provider sends {frame}\n\
             at 1.9s provider sends not json at all\n\
             at 2s provider says \"It is three.\" for 1s\n\
             expect note: the provider sent something unknown, which is ignored:\n\
             expect note: the provider sent something unknown, which is ignored: a message that is not JSON\n\
             expect u1 heard\n\
             expect 2 times something unknown\n"
        );
        check_on(road, &script);
    }
}

#[test]
fn realtime_reads_the_names_of_the_beta() {
    let script = format!(
        "{ASKED}\
         at 2s provider sends {{\"type\":\"response.output_item.added\",\"response_id\":\"resp_1\",\"item\":{{\"id\":\"i1\",\"type\":\"message\"}}}}\n\
         at 2s provider sends {{\"type\":\"response.audio_transcript.delta\",\"response_id\":\"resp_1\",\"item_id\":\"i1\",\"delta\":\"Hi.\"}}\n\
         at 2s provider sends {{\"type\":\"response.audio.delta\",\"response_id\":\"resp_1\",\"item_id\":\"i1\",\"delta\":\"{}\"}}\n\
         at 2.1s provider sends {{\"type\":\"response.audio.done\",\"response_id\":\"resp_1\",\"item_id\":\"i1\"}}\n\
         at 2.1s provider sends {{\"type\":\"conversation.item.created\"}}\n\
         at 2.2s provider ends\n\
         until 6s\n\
         expect u1 text \"Hi.\"\n\
         expect u1 heard\n\
         expect never unknown\n",
        "AAAA".repeat(4_000)
    );
    check_on(RoadKind::Realtime, &script);
}

#[test]
fn a_response_that_is_already_being_made_is_waited_for() {
    let script = format!(
        "{ASKED}\
         at 1.8s provider sends {{\"type\":\"error\",\"error\":{{\"code\":\"conversation_already_has_active_response\",\"message\":\"busy\",\"type\":\"invalid_request_error\"}}}}\n\
         at 1.9s provider ends\n\
         at 2.5s provider says \"Now.\" for 1s\n\
         expect respond-1\n\
         expect at 1.9s respond-2\n\
         expect u1 heard\n"
    );
    check_on(RoadKind::Realtime, &script);
}

#[test]
fn a_blocking_model_gets_no_audio_while_a_call_runs() {
    // Checked on the road itself, in `src/road/gemini/tests.rs`; here, that the table is used.
    let script = format!(
        "tool look reads after 300ms returns {{}}\n{ASKED}\
         at 2s provider calls look {{}} as c1\n\
         until 5s\n\
         expect \"behavior\":\"BLOCKING\"\n\
         expect \"toolResponse\":{{\"functionResponses\":[{{\"id\":\"c1\",\"name\":\"look\",\"response\"\n\
         expect never WHEN_IDLE\n"
    );
    check_model("gemini-3.1-flash-live-preview", &script);
}
