//! Pause before cut, and only what was heard.

use voice::{RoadKind, Speaker};

use crate::support::{check, check_on};

const QUESTION: &str = "at 0s user says \"what time is it\" for 1.2s\n\
     at 2s provider says \"It is three o'clock. Do you want anything else?\" for 4s\n";

#[test]
fn vx_04_speech_pauses_at_once_and_half_a_second_of_it_cuts() {
    let script = format!(
        "{QUESTION}\
         at 3.5s user interrupts with \"never mind\"\n\
         until 8s\n\
         expect at 3.5s u1 paused\n\
         expect at 3.5s pause u1 in 100 ms\n\
         expect at 4s u1 cut at 1500 ms, heard \"It is three\"\n\
         expect at 4s interrupted\n\
         expect at 5s t2 requested \"never mind\"\n\
         expect never resumed\n"
    );
    for run in check(&script) {
        let state = run.state.unwrap();
        let lines: Vec<_> =
            state.transcript().iter().map(|line| (line.speaker, line.text.as_str())).collect();
        let expected = [
            (Speaker::User, "what time is it"),
            (Speaker::Assistant, "It is three"),
            (Speaker::User, "never mind"),
        ];
        assert_eq!(lines, expected);
        let history: Vec<_> = state.history().into_iter().map(|line| line.text).collect();
        assert_eq!(history, ["what time is it", "It is three", "never mind"]);
    }
}

#[test]
fn vx_04_words_cut_before_half_a_second() {
    let script = format!(
        "{QUESTION}\
         at 3.5s user speaks\n\
         at 3.7s partial \"no wait\"\n\
         at 4.8s user stops saying \"no wait a moment\"\n\
         expect at 3.5s u1 paused\n\
         expect at 3.7s u1 cut at 1500 ms\n"
    );
    check(&script);
}

#[test]
fn vx_04_a_noise_holds_playback_and_two_seconds_of_silence_resume_it() {
    let script = format!(
        "{QUESTION}\
         at 3.5s user speaks\n\
         at 3.8s user stops\n\
         expect at 3.5s u1 paused\n\
         expect at 5.8s u1 resumed\n\
         expect at 8.3s u1 heard\n\
         expect never u1 cut\n\
         expect never t2 requested\n"
    );
    // The provider writes nothing down, so nothing tells earlier that it was a noise.
    check_on(RoadKind::Realtime, &script);
    check_on(RoadKind::Live, &script);
}

#[test]
fn vx_04_an_empty_transcript_resumes_before_that() {
    let script = format!(
        "{QUESTION}\
         at 3.5s user makes noise for 0.3s\n\
         expect at 3.5s u1 paused\n\
         expect at 4.1s s2 said \"\"\n\
         expect at 4.1s u1 resumed\n\
         expect never u1 cut\n"
    );
    check_on(RoadKind::Gemini, &script);
    check_on(RoadKind::Cascade, &script);
}

#[test]
fn vx_04_a_sign_of_listening_does_not_cut() {
    for hum in ["mhm", "Uh huh.", "okay, right"] {
        let script = format!(
            "{QUESTION}\
             at 3.5s user hums \"{hum}\" for 0.4s\n\
             expect at 3.5s u1 paused\n\
             expect s2 ignored\n\
             expect u1 resumed\n\
             expect u1 heard\n\
             expect never u1 cut\n\
             expect never t2 requested\n"
        );
        for run in check(&script) {
            let texts: Vec<_> =
                run.state.unwrap().transcript().iter().map(|line| line.text.clone()).collect();
            assert_eq!(texts.len(), 2, "{texts:?}");
        }
    }
}

#[test]
fn vx_04_a_long_sign_of_listening_cuts_in_the_end() {
    let script = format!(
        "{QUESTION}\
         at 3.5s user speaks\n\
         at 3.6s partial \"okay\"\n\
         at 5.5s user stops saying \"okay okay okay\"\n\
         expect at 5s u1 cut\n"
    );
    check(&script);
}

#[test]
fn vx_04_only_realtime_and_the_cascade_learn_what_was_heard() {
    let script = format!(
        "{QUESTION}\
         at 3.5s user interrupts\n\
         expect \"type\":\"conversation.item.truncate\",\"item_id\":\"item_1\",\"content_index\":0,\"audio_end_ms\":1500\n"
    );
    check_on(RoadKind::Realtime, &script);
    let cascade =
        format!("{QUESTION}at 3.5s user interrupts\nexpect turn truncate \"It is three\"\n");
    check_on(RoadKind::Cascade, &cascade);
    let others = format!("{QUESTION}at 3.5s user interrupts\nexpect never truncate\n");
    check_on(RoadKind::Gemini, &others);
    check_on(RoadKind::Live, &others);
}

#[test]
fn vx_04_an_answer_of_which_nothing_was_heard_leaves_the_provider_s_context() {
    let script = "\
         at 0s user says \"what time is it\" for 1.2s\n\
         at 1.9s user speaks\n\
         at 2s provider says \"It is three.\" for 1s\n\
         at 3s user stops saying \"in Riga\"\n\
         until 6s\n\
         expect at 2.4s confirmed\n\
         expect u1 dropped\n\
         expect \"type\":\"conversation.item.delete\",\"item_id\":\"item_1\"\n\
         expect t2 requested \"in Riga\"\n\
         expect never playing\n";
    let run = check_on(RoadKind::Realtime, script);
    let texts: Vec<_> =
        run.state.unwrap().transcript().iter().map(|line| line.text.clone()).collect();
    assert_eq!(texts, ["what time is it", "in Riga"]);
}

#[test]
fn vx_04_speech_while_the_model_thinks_gives_the_answer_up() {
    let script = "\
         at 0s user says \"what time is it\" for 1.2s\n\
         at 2s user says \"in Riga I mean\" for 1s\n\
         at 4.5s provider says \"Four.\" for 1s\n\
         expect t1 requested\n\
         expect interrupted\n\
         expect t2 requested \"in Riga I mean\"\n\
         expect u1 heard\n";
    check(script);
}

#[test]
fn a_response_that_begins_after_it_was_given_up_is_cancelled_by_name() {
    let script = "\
         at 0s user says \"what time is it\" for 1.2s\n\
         at 2s provider begins \"It is\" for 0.5s\n\
         at 2.2s user interrupts with \"stop\"\n\
         at 4.5s provider says \"Yes?\" for 1s\n\
         expect {\"type\":\"response.cancel\",\"response_id\":\"resp_1\"}\n\
         expect \"type\":\"conversation.item.truncate\"\n\
         expect t2 requested \"stop\"\n\
         expect u2 heard\n";
    check_on(RoadKind::Realtime, script);
}

#[test]
fn vx_04_barge_in_at_every_tenth_of_a_second_of_an_answer() {
    let text = "It is three o'clock in the afternoon. Do you want anything else from me today?";
    for tenth in 0..50 {
        let at = 2_000 + tenth * 100;
        let script = format!(
            "at 0s user says \"what time is it\" for 1.2s\n\
             at 2s provider says \"{text}\" for 5s\n\
             at {at}ms user interrupts with \"and tomorrow\"\n\
             until 12s\n\
             expect at {at}ms u1 paused\n\
             expect t2 requested \"and tomorrow\"\n"
        );
        // At the very start the page has not begun to play.
        let script =
            if tenth == 0 { script.replace("expect at 2000ms u1 paused\n", "") } else { script };
        let runs = check(&script);
        let heard: Vec<_> = runs
            .iter()
            .map(|run| {
                let state = run.state.as_ref().unwrap();
                let lines = state.transcript().iter();
                lines
                    .filter(|line| line.speaker == Speaker::Assistant)
                    .map(|line| line.text.clone())
                    .collect::<Vec<_>>()
            })
            .collect();
        assert!(heard.windows(2).all(|pair| pair[0] == pair[1]), "{at}: {heard:?}");
        let heard = heard[0].concat();
        assert!(text.starts_with(&heard) && heard.len() < text.len(), "{heard}");
        // The share of the text is that of the time, to a word.
        let share = heard.chars().count() * 5_000 / text.chars().count();
        let played = (tenth * 100) as usize;
        assert!(share <= played && played - share < 800, "{at}: {share} {heard}");
    }
}

#[test]
fn a_noise_that_cut_an_answer_lets_the_model_go_on() {
    let script = "\
         at 0s user says \"what time is it\" for 1.2s\n\
         at 2s provider says \"It is three o'clock. Do you want anything else?\" for 4s\n\
         at 3.5s user makes noise for 0.8s\n\
         at 6s provider says \"Where was I?\" for 1s\n\
         expect at 4s u1 cut\n\
         expect t2 requested\n\
         expect said nothing. Go on\n\
         expect u2 heard\n";
    check_on(RoadKind::Cascade, script);
}

#[test]
fn playback_waits_while_the_person_speaks_and_starts_after_a_noise() {
    let script = "\
         at 0s user says \"what time is it\" for 1.2s\n\
         at 1.9s user speaks\n\
         at 2s provider says \"It is three.\" for 1s\n\
         at 2.2s user stops\n\
         expect at 4.2s s2 ignored\n\
         expect at 4.2s u1 playing\n\
         expect u1 heard\n";
    check_on(RoadKind::Realtime, script);
}

#[test]
fn a_button_for_silence_cuts_at_once_and_asks_nothing() {
    let script = format!(
        "{QUESTION}\
         at 3.5s page interrupts\n\
         until 8s\n\
         expect at 3.5s u1 cut at 1500 ms, heard \"It is three\"\n\
         expect at 3.5s interrupted\n\
         expect never t2 requested\n\
         expect never resumed\n"
    );
    check(&script);
}
