//! Scripted sessions: real calls on a virtual clock, and the log that they leave.

use serde_json::Value;

use super::{play, project};
use crate::support::program::{Run, run};

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|fault| panic!("{fault}: {run:?}"))
}

/// Every expectation of the script must hold.
fn check(script: &str) -> Run {
    let dir = project();
    let found = play(dir.path(), script, &[]);
    assert_eq!(found.code, 0, "{}\n{}", found.out, found.err);
    found
}

#[test]
fn a_real_search_is_answered_in_voice_and_takes_as_long_as_the_script_says() {
    let found = check(
        "tool kb_search takes 1200ms\n\
         at 0s user says \"what do you know about the tide clock\" for 2s\n\
         at 3s provider calls kb_search {\"query\": \"tide clock\"} as call-1\n\
         at 5s provider says \"It is a clock for the tides.\" for 2s\n\
         expect at 3s call-1 handler runs\n\
         expect at 3.8s tone\n\
         expect at 4.2s call-1 settled\n\
         expect u1 heard\n\
         expect never question\n",
    );
    assert!(found.out.contains("project:tide-clock"), "the real handler: {}", found.out);
}

#[test]
fn a_spoken_yes_runs_the_write_once_and_anything_else_does_not() {
    let script = |answer: &str, rest: &str| {
        format!(
            "at 0s user says \"order tea\" for 1s\n\
             at 2s provider calls order {{\"thing\": \"tea\"}} as call-1\n\
             at 10s user says \"{answer}\" for 1s\n\
             expect question \"I am about to run order. thing: tea.\n{rest}"
        )
    };
    let yes = script("yes please", "expect approved\nexpect 1 times call-1 handler runs\n");
    let found = check(&yes);
    assert!(found.out.contains(r#""count":1"#), "{}", found.out);
    check(&script("no", "expect declined\nexpect never handler runs\n"));
    check(&script("tell me a joke", "expect never approved\nexpect never handler runs\n"));
}

#[test]
fn a_text_only_tool_is_refused_in_voice_and_its_handler_does_not_run() {
    let found = check(
        "at 0s user says \"book it\" for 1s\n\
         at 2s provider calls calendar_create_event {\"title\": \"Talk\", \"start_time\": \
         \"2027-02-06T14:00:00Z\", \"end_time\": \"2027-02-06T15:00:00Z\", \"attendees\": \
         [\"ana@example.org\"]} as call-1\n\
         expect call-1 settled\n\
         expect never handler runs\n",
    );
    assert!(found.out.contains("MODE_RESTRICTED"), "{}", found.out);
}

#[test]
fn the_third_retrieval_of_a_turn_is_refused_and_the_next_turn_is_free_again() {
    check(
        "at 0s user says \"look\" for 1s\n\
         at 2s provider calls kb_search {\"query\": \"tide clock\"} as call-1 and kb_search \
         {\"query\": \"photos\"} as call-2 and kb_search {\"query\": \"people\"} as call-3\n\
         at 4s provider says \"Found two.\" for 1s\n\
         at 8s user says \"look again\" for 1s\n\
         at 10s provider calls kb_search {\"query\": \"labs of ours\"} as call-4\n\
         expect call-1 handler runs\n\
         expect call-2 handler runs\n\
         expect BUDGET_EXCEEDED\n\
         expect call-4 handler runs\n\
         expect 3 times handler runs\n",
    );
}

#[test]
fn a_farewell_is_heard_before_the_session_ends_and_speaking_takes_it_back() {
    let script = |rest: &str| {
        format!(
            "at 0s user says \"thank you, goodbye\" for 1s\n\
             at 2s provider calls end_voice_session {{\"reason\": \"user_request\", \
             \"final_message\": \"Gladly. Goodbye!\"}} as call-1\n{rest}"
        )
    };
    check(&script("expect call-1 handler runs\nexpect u1 heard\nexpect session ended\n"));
    check(&script(
        "at 2.2s user interrupts with \"wait, one more thing\"\nuntil 6s\n\
         expect call-1 handler runs\nexpect u1 cut\nexpect never session ended\n",
    ));
}

#[test]
fn a_block_outlives_the_session_and_the_next_one_is_refused() {
    let dir = project();
    let block = "at 0s user says \"you are awful\" for 1s\n\
         at 2s provider calls ignore_user {\"duration_seconds\": 600, \"farewell_message\": \
         \"I will not go on like this.\"} as call-1\n\
         expect farewell\nexpect session ended\n";
    let keep = ["--conversation", "rude"];
    let first = play(dir.path(), block, &keep);
    assert_eq!(first.code, 0, "{}\n{}", first.out, first.err);
    let again = play(dir.path(), "at 0s user says \"hello\"\nexpect refused\n", &keep);
    assert_eq!(again.code, 0, "{}\n{}", again.out, again.err);
    assert!(again.err.contains("the session was refused"), "{}", again.err);
}

#[test]
fn a_kept_session_is_in_the_log_and_a_written_turn_knows_of_it() {
    let dir = project();
    let script = "at 0s user says \"order tea\" for 1s\n\
         at 2s provider calls order {\"thing\": \"tea\"} as call-1\n\
         at 10s user says \"yes\" for 1s\n\
         at 13s provider says \"Tea is ordered.\" for 2s\n\
         at 20s user hangs up\n\
         expect session ended\n";
    let kept = play(dir.path(), script, &["--conversation", "tea"]);
    assert_eq!(kept.code, 0, "{}\n{}", kept.out, kept.err);
    let events = run(dir.path(), &["replay", "tea", "--events"]);
    assert!(events.out.contains(r#""event":"voice""#), "{events:?}");
    let replayed = run(dir.path(), &["replay", "tea"]);
    assert_eq!(replayed.code, 0, "{replayed:?}");
    let ledger = run(dir.path(), &["ledger", "list"]);
    assert_eq!(ledger.out.matches("order").count(), 1, "{ledger:?}");
    let chat = run(dir.path(), &["chat", "what did I order?", "--conversation", "tea"]);
    assert_eq!(chat.code, 0, "{chat:?}");
}

#[test]
fn json_has_the_lines_the_log_and_the_transcript() {
    let dir = project();
    let script = "at 0s user says \"hello\" for 1s\n\
         at 2s provider says \"Good day. How can I help you?\" for 4s\n\
         at 4s user interrupts with \"stop\"\n\
         at 9s user hangs up\n";
    let found = play(dir.path(), script, &["--json"]);
    assert_eq!(found.code, 0, "{found:?}");
    let json = json(&found);
    assert_eq!(json["ok"], true);
    assert_eq!(json["ended"], "person");
    let texts: Vec<_> =
        json["transcript"].as_array().unwrap().iter().map(|line| &line["text"]).collect();
    assert_eq!(texts, ["hello", "Good day. How", "stop"], "only what was heard");
    assert!(json["log"].as_array().unwrap().len() > 10);
}

#[test]
fn every_road_calls_the_same_tools() {
    for road in ["realtime", "live", "gemini", "cascade"] {
        let dir = project();
        let script = "at 0s user says \"find the tide clock\" for 1s\n\
             at 2s provider calls kb_search {\"query\": \"tide clock\"} as call-1\n\
             at 4s provider says \"Found it.\" for 1s\n\
             expect 1 times call-1 handler runs\n\
             expect u1 heard\n";
        let found = play(dir.path(), script, &["--road", road]);
        assert_eq!(found.code, 0, "{road}: {}\n{}", found.out, found.err);
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_a_fix() {
    let dir = project();
    let check = |script: &str, code: i32, text: &str| {
        let found = play(dir.path(), script, &[]);
        assert_eq!(found.code, code, "{found:?}");
        let all = format!("{}{}", found.out, found.err);
        assert!(all.contains(text), "{text}: {all}");
    };
    check("at 0s user dances\n", 1, "session.voice:1: a user `says`");
    check("\ntool nowhere takes 1s\n", 1, "session.voice:2: the project has no tool `nowhere`");
    check("tool order reads\n", 1, "session.voice:1: `reads` is a matter of the contract");
    check("expect a miracle\n", 1, "FAIL  line 1: `a miracle` did not come");
    check("road nowhere\n", 1, "`nowhere` is neither a road nor a model");
    let none = run(dir.path(), &["voice", "--script", "absent.voice"]);
    assert_eq!(none.code, 1, "{none:?}");
    assert!(none.err.contains("`absent.voice` cannot be read"), "{}", none.err);
}
