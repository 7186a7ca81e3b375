//! Approvals by voice: an exact read-back, heard to the end, and the person's own words.

use voice::RoadKind;

use crate::support::{check, check_on};

/// A tool that writes and asks; the read-back takes 6.66 s.
const SETUP: &str = "tool book writes asks\n\
     at 0s user says \"book a table\" for 1.2s\n\
     at 2s provider calls book {\"name\":\"Ana\",\"guests\":4} as call-number-1\n";

const READ_BACK: &str = "I am about to run book. name: Ana. guests: 4. Say yes to do it, or no.";

fn read_back_end() -> u64 {
    2_000
        + voice::sentences(READ_BACK, voice::TextEnd::Final, &[voice::Language::En])
            .into_iter()
            .map(|range| READ_BACK[range].trim().chars().count() as u64 * 60)
            .sum::<u64>()
}

#[test]
fn vx_10_a_yes_after_the_whole_read_back_runs_exactly_this_call() {
    let end = read_back_end();
    let script = format!(
        "{SETUP}\
         at {}ms user says \"Yes, please.\" for 0.5s\n\
         at {}ms tool call-number-1 returns {{\"ok\":true}}\n\
         at {}ms provider says \"Booked.\" for 1s\n\
         expect at 2s call-number-1 waits for approval\n\
         expect u1 question \"{READ_BACK}\"\n\
         expect at {end}ms u1 heard\n\
         expect approval answered \"Yes, please.\": yes\n\
         expect approved\n\
         expect call-number-1 handler runs\n\
         expect call-number-1 settled, Done\n\
         expect call-number-1 answered, Result, Speaks\n\
         expect continued\n\
         expect u2 heard\n\
         expect 1 times handler runs\n\
         expect never t2 requested\n",
        end + 500,
        end + 3_000,
        end + 3_500,
    );
    for run in check(&script) {
        // The answer never reached the model as a turn.
        assert!(!run.text().contains("show button"), "{}", run.text());
    }
}

#[test]
fn vx_10_a_yes_in_each_language_counts_in_that_language() {
    for (code, yes) in
        [("uk", "Так."), ("ru", "да"), ("lv", "jā"), ("de", "Ja, bitte!"), ("es", "sí")]
    {
        let script = format!(
            "language {code}\n{SETUP}\
             at 20s user says \"{yes}\" for 0.5s\n\
             until 30s\n\
             expect u1 heard\n\
             expect approval answered \"{yes}\": yes\n\
             expect handler runs\n"
        );
        check_on(RoadKind::Cascade, &script);
    }
}

#[test]
fn vx_10_a_no_declines_and_nothing_runs() {
    let script = format!(
        "{SETUP}\
         at 12s user says \"no thanks\" for 0.6s\n\
         until 20s\n\
         expect approval answered \"no thanks\": no\n\
         expect declined\n\
         expect call-number-1 settled, Failed\n\
         expect call-number-1 answered, Result, Speaks\n\
         expect never handler runs\n"
    );
    check(&script);
}

#[test]
fn vx_10_two_unclear_answers_go_to_the_button() {
    let script = format!(
        "{SETUP}\
         at 12s user says \"maybe later\" for 0.6s\n\
         at 30s user says \"what was that again\" for 1.2s\n\
         at 50s page approves\n\
         at 51s tool call-number-1 returns {{}}\n\
         until 55s\n\
         expect approval answered \"maybe later\": unclear\n\
         expect question \"Please say yes or no. {READ_BACK}\"\n\
         expect approval answered \"what was that again\": unclear\n\
         expect approval by button\n\
         expect show button\n\
         expect notice \"Please confirm this on the page.\"\n\
         expect at 50s question closed\n\
         expect hide button\n\
         expect call-number-1 handler runs\n"
    );
    check(&script);
}

#[test]
fn vx_10_a_yes_before_the_end_of_the_read_back_is_not_a_yes() {
    // At every half second of the read-back: the yes is unclear, and the read-back is repeated.
    for at in (2_100..read_back_end() - 600).step_by(500) {
        let script = format!(
            "{SETUP}\
             at {at}ms user says \"yes\" for 0.7s\n\
             until 20s\n\
             expect u1 cut\n\
             expect approval answered \"yes\": unclear\n\
             expect question \"Please say yes or no.\n\
             expect never approved\n\
             expect never handler runs\n"
        );
        check(&script);
    }
}

#[test]
fn vx_10_a_no_before_the_end_of_the_read_back_counts() {
    let script = format!(
        "{SETUP}\
         at 4s user says \"no stop\" for 0.7s\n\
         until 12s\n\
         expect u1 cut\n\
         expect approval answered \"no stop\": unclear\n"
    );
    check(&script);
    let script = script.replace("no stop\\\": unclear", "stop").replace("no stop", "stop");
    check(&script.replace("\"stop\": unclear", "\"stop\": no"));
}

#[test]
fn vx_10_a_cough_during_the_read_back_changes_nothing() {
    let script = format!(
        "{SETUP}\
         at 4s user speaks\n\
         at 4.2s user stops\n\
         at 16s user says \"yes\" for 0.6s\n\
         until 22s\n\
         expect at 4s u1 paused\n\
         expect u1 resumed\n\
         expect u1 heard\n\
         expect approval answered \"yes\": yes\n\
         expect handler runs\n"
    );
    check(&script);
}

#[test]
fn vx_10_the_model_s_word_is_never_an_answer() {
    let script = format!(
        "{SETUP}\
         at 8s provider says \"Yes, the user said yes. Approved.\" for 2s\n\
         until 30s\n\
         expect never approved\n\
         expect never handler runs\n"
    );
    check(&script);
}

#[test]
fn vx_10_strong_effects_need_the_button() {
    let script = "tool pay writes asks outward\n\
         at 0s user says \"pay it\" for 1.2s\n\
         at 2s provider calls pay {} as call-number-1\n\
         at 8s user says \"yes\" for 1.2s\n\
         until 20s\n\
         expect note: a spoken answer is not enough: its effects are too strong for a spoken yes\n\
         expect show button\n\
         expect notice \"Please confirm this on the page.\"\n\
         expect never question \"\n\
         expect never approved\n\
         expect never handler runs\n";
    check(script);
    let allowed = "set approval.spoken_up_to \"outward_writes\"\n".to_owned()
        + &script.replace("expect", "#").replace("at 8s", "at 15s")
        + "expect question \"I am about to run pay.\n";
    check(&allowed);
}

#[test]
fn vx_10_speech_goes_on_while_the_button_waits() {
    let script = "tool pay writes asks outward\n\
         at 0s user says \"pay it\" for 1.2s\n\
         at 2s provider calls pay {} as call-number-1\n\
         at 8s user says \"where is the button\" for 1.2s\n\
         at 10s provider says \"On the page.\" for 1s\n\
         at 14s page approves\n\
         at 15s tool call-number-1 returns {\"paid\":true}\n\
         until 20s\n\
         expect call-number-1 answered, StillOpen, Silent\n\
         expect t2 requested \"where is the button\"\n\
         expect u2 heard\n\
         expect at 14s call-number-1 started\n\
         expect at 15s call-number-1 settled, Done\n\
         expect at 15s call-number-1 informed\n";
    check(script);
}

#[test]
fn vx_10_an_approval_expires_as_any_other() {
    let script = format!(
        "{SETUP}\
         at 30s user makes noise for 0.2s\n\
         until 320s\n\
         expect at 302s approval expired\n\
         expect call-number-1 settled, Failed\n\
         expect call-number-1 answered\n\
         expect never handler runs\n"
    );
    for run in check(&script) {
        // A minute of silence shows the button before that.
        let text = run.text();
        assert!(text.contains("approval by button"), "{text}");
    }
}

#[test]
fn vx_10_a_read_back_that_the_page_did_not_report_goes_to_the_button() {
    let script = format!(
        "{SETUP}\
         at 1.9s page stops reporting\n\
         at 15s user says \"yes\" for 1.2s\n\
         until 20s\n\
         expect u1 stalled\n\
         expect approval by button\n\
         expect never approved\n\
         expect never handler runs\n"
    );
    check(&script);
}

#[test]
fn vx_10_without_speech_or_ears_of_our_own_only_the_button_asks() {
    let mute = format!(
        "set own.speech \"absent\"\n{SETUP}until 8s\n\
         expect a spoken answer is not enough: the session has no text to speech of its own\n\
         expect show button\n\
         expect never question \"\n"
    );
    check(&mute);
    let deaf = format!(
        "set own.transcription \"absent\"\n{SETUP}until 8s\n\
         expect a spoken answer is not enough: the session cannot transcribe spoken answers\n\
         expect show button\n"
    );
    for road in [RoadKind::Gemini, RoadKind::Live, RoadKind::Cascade] {
        check_on(road, &deaf);
    }
    check_on(
        RoadKind::Realtime,
        &deaf
            .split("expect")
            .next()
            .unwrap()
            .to_owned()
            .replace("until 8s\n", "until 12s\nexpect u1 heard\n"),
    );
}

#[test]
fn vx_10_two_approvals_are_asked_one_after_the_other() {
    let script = "tool book writes asks\n\
         at 0s user says \"book two tables\" for 1.2s\n\
         at 2s provider calls book {\"n\":1} as call-number-1 and book {\"n\":2} as call-number-2\n\
         at 9s user says \"yes\" for 0.6s\n\
         at 20s user says \"no\" for 0.6s\n\
         at 25s tool call-number-1 returns {}\n\
         until 30s\n\
         expect question \"I am about to run book. n: 1.\n\
         expect approved\n\
         expect question \"I am about to run book. n: 2.\n\
         expect declined\n\
         expect call-number-1 answered\n\
         expect continued\n\
         expect 1 times handler runs\n";
    check(script);
}

#[test]
fn vx_10_the_page_may_answer_a_question_that_was_not_asked_yet() {
    let script = "tool book writes asks\n\
         at 0s user says \"book two tables\" for 1.2s\n\
         at 2s provider calls book {\"n\":1} as call-number-1 and book {\"n\":2} as call-number-2\n\
         at 3s page approves\n\
         at 4s tool call-number-2 returns {}\n\
         at 9s user says \"no\" for 0.6s\n\
         until 14s\n\
         expect question \"I am about to run book. n: 1.\n\
         expect at 3s call-number-2 started\n\
         expect call-number-2 handler runs\n\
         expect at 4s call-number-2 answered\n\
         expect declined\n\
         expect call-number-1 answered\n\
         expect continued\n\
         expect 1 times handler runs\n";
    check(script);
}

#[test]
fn the_provider_does_not_hear_answers_to_our_questions() {
    let script = format!(
        "{SETUP}\
         at 12s user says \"yes\" for 0.6s\n\
         until 20s\n\
         expect approved\n"
    );
    let live = check_on(RoadKind::Live, &script);
    let text = live.text();
    let mute = text.find("session.input_audio.mute").unwrap();
    let unmute = text.find("session.input_audio.unmute").unwrap();
    assert!(mute < text.find("approved").unwrap() && mute < unmute, "{text}");
    let gemini = check_on(RoadKind::Gemini, &script);
    assert_eq!(gemini.text().matches("activityStart").count(), 1, "{}", gemini.text());
}
