//! `ghosthand chat` and `ghosthand replay` with a model at the far side.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use contract::Wire;
use fake_providers::Turn;
use serde_json::{Value, json};
use testkit::Gate;

use crate::support::model_project::{FarSide, KEY};
use crate::support::program::Run;
use crate::support::tool_tree::base;

const QUESTION: &str = "Is ana@gmial.com right?";
const ANSWER: &str = "Did you mean ana@gmail.com?";

fn check_email() -> Turn {
    Turn::calls("validate_email", json!({ "email": "ana@gmial.com" }))
}

fn create_event() -> Turn {
    Turn::calls(
        "calendar_create_event",
        json!({ "title": "Clock talk", "start_time": "2027-02-06T14:00:00Z",
                "end_time": "2027-02-06T15:00:00Z", "attendees": ["ana@example.org"] }),
    )
}

fn events(far: &FarSide) -> usize {
    let text = fs::read_to_string(far.path().join("calendar/calendar.ics")).unwrap();
    text.matches("SUMMARY:Clock talk").count()
}

#[track_caller]
fn good(run: Run) -> Run {
    assert_eq!(run.code, 0, "{run:?}");
    run
}

/// A conversation `c1` with one tool call and an answer.
fn talked(far: &FarSide) {
    far.fake.then(check_email()).then(Turn::says(ANSWER));
    good(far.run(&["chat", "--conversation", "c1", QUESTION]));
}

#[test]
fn one_message_one_call_one_answer_on_every_wire() {
    for wire in Wire::ALL {
        let far = FarSide::speaking(*wire);
        let first = check_email().thinking("A typo?", "c2lnLTE=").text("Let me see.");
        far.fake.then(first).then(Turn::says(ANSWER));
        let run = good(far.run(&["chat", QUESTION]));
        assert_eq!(run.out, format!("Let me see.\n{ANSWER}\n"), "{wire}");
        assert!(run.err.contains("validate_email"), "{wire}: {}", run.err);
        far.fake.assert_used_up();
        let requests = far.fake.requests();
        assert!(requests[0].body.to_string().contains(QUESTION), "{wire}");
        assert!(requests[1].body.to_string().contains("ana@gmail.com"), "{wire}");
        let told = |name: &str| requests[0].header(name).is_some_and(|key| key.ends_with(KEY));
        assert!(["authorization", "x-goog-api-key"].into_iter().any(told), "{wire}");
    }
}

#[test]
fn a_pipe_is_answered_without_a_key() {
    let far = FarSide::new();
    let said = "Is the email ana@gmial.com valid?\n";
    let run = good(far.pipe(said, &["chat", "-", "--model", "rehearsal"]));
    assert!(run.out.contains("ana@gmail.com"), "{run:?}");
    assert!(far.fake.requests().is_empty());
}

#[test]
fn more_than_a_message_may_have_is_told_and_not_cut() {
    let far = FarSide::new();
    let run = far.pipe(&"é".repeat(600_000), &["chat", "-"]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("larger than 512 kB") && run.err.contains("fix"), "{}", run.err);
    assert!(far.fake.requests().is_empty());
}

/// The names of the tools that a request offers.
fn offered(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect()
}

#[test]
fn a_voice_has_its_own_tools() {
    let far = FarSide::new();
    far.fake.then(Turn::says("Hello.")).then(Turn::says("Good bye."));
    good(far.run(&["chat", "Hello"]));
    good(far.run(&["chat", "--mode", "voice", "Hello"]));
    let requests = far.fake.requests();
    let (text, voice) = (offered(&requests[0].body), offered(&requests[1].body));
    assert!(!text.contains(&"end_voice_session"), "{text:?}");
    assert!(voice.contains(&"end_voice_session"), "{voice:?}");
}

/// The beginning of the id of the one request that waits.
fn waiting(far: &FarSide) -> String {
    good(far.run(&["approvals", "list"])).out.lines().next().unwrap_or_default().to_owned()
}

/// A conversation `c1` in which a write waits for a person.
fn asked(far: &FarSide) {
    far.fake.then(create_event());
    let run = far.run(&["chat", "--conversation", "c1", "Put the clock talk into the calendar."]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.err.contains("Approve this call?") && run.err.contains("title: Clock talk"),
        "{run:?}"
    );
    let id = waiting(far);
    assert!(run.err.contains(&format!("ghosthand approvals approve {id}")), "{run:?}");
    assert!(run.err.contains("ghosthand chat --conversation c1"), "{run:?}");
    assert_eq!(events(far), 0);
}

#[test]
fn what_a_person_approves_runs_once_and_the_conversation_goes_on() {
    let far = FarSide::new();
    asked(&far);
    good(far.run(&["approvals", "approve", &waiting(&far)]));
    assert_eq!(events(&far), 1);
    far.fake.then(Turn::says("It is in the calendar."));
    let run = good(far.run(&["chat", "--conversation", "c1"]));
    assert!(run.out.contains("It is in the calendar."), "{run:?}");
    assert_eq!(events(&far), 1);
    far.fake.assert_used_up();
    good(far.run(&["replay", "c1"]));
}

/// What has run is never told to the model as not run.
#[test]
fn a_new_message_after_an_approval_does_not_hide_what_ran() {
    let far = FarSide::new();
    asked(&far);
    good(far.run(&["approvals", "approve", &waiting(&far)]));
    far.fake.then(Turn::says("It is in the calendar.")).then(Turn::says("At two."));
    let run = good(far.run(&["chat", "--conversation", "c1", "When is it?"]));
    assert_eq!(run.out, "It is in the calendar.\nAt two.\n", "{run:?}");
    assert_eq!(events(&far), 1);
    let told = far.fake.requests().last().unwrap().body.to_string();
    assert!(!told.contains("was not run"), "{told}");
}

#[test]
fn a_new_message_instead_of_an_approval_moves_on() {
    let far = FarSide::new();
    asked(&far);
    far.fake.then(Turn::says("As you like."));
    let run = good(far.run(&["chat", "--conversation", "c1", "Forget it."]));
    assert_eq!(run.out, "As you like.\n", "{run:?}");
    assert_eq!(events(&far), 0);
    assert_eq!(waiting(&far), "");
    let told = far.fake.requests().last().unwrap().body.to_string();
    assert!(told.contains("was not run"), "{told}");
}

#[test]
fn a_conversation_is_run_again_byte_for_byte() {
    let far = FarSide::new();
    talked(&far);
    let run = good(far.run(&["replay", "c1"]));
    assert!(run.err.contains("byte for byte the same"), "{run:?}");
    let list = good(far.run(&["replay"]));
    assert!(list.out.contains("c1") && list.out.contains(QUESTION), "{list:?}");
    assert_eq!(far.fake.requests().len(), 2, "nothing is asked again");

    let handler = far.path().join("tools/validate-email/handler.js");
    let text = fs::read_to_string(&handler).unwrap();
    fs::write(&handler, format!("{text}\n// another tool now\n")).unwrap();
    let changed = far.run(&["replay", "c1"]);
    assert_eq!(changed.code, 1, "{changed:?}");
    assert!(changed.out.contains("validate_email  changed"), "{changed:?}");
}

#[test]
fn a_conversation_is_written_as_a_story_that_can_be_run() {
    let far = FarSide::new();
    talked(&far);
    fs::create_dir(far.path().join("stories")).unwrap();
    good(far.run(&["replay", "c1", "--export", "stories/story.md"]));
    let story = fs::read_to_string(far.path().join("stories/story.md")).unwrap();
    assert!(story.contains(QUESTION) && story.contains(ANSWER), "{story}");
    good(far.run(&["test", "stories"]));
    let other = story.replace("ana@gmial.com", "ana@gmx.com");
    fs::write(far.path().join("stories/story.md"), other).unwrap();
    assert_eq!(far.run(&["test", "stories"]).code, 1, "a story that cannot fail is no test");
}

#[test]
fn a_fork_goes_on_from_an_event() {
    let far = FarSide::new();
    talked(&far);
    let shown = good(far.run(&["replay", "c1", "--events"]));
    let settled = shown.out.lines().find(|line| line.contains("ana@gmail.com")).unwrap();
    let number = settled.split_whitespace().next().unwrap().to_owned();
    let fork = good(far.run(&["replay", "c1", "--fork", &number, "--as", "c2"]));
    assert_eq!(fork.out, "ghosthand chat --conversation c2\n");
    far.fake.then(Turn::says("It is a typo."));
    let run = good(far.run(&["chat", "--conversation", "c2"]));
    assert!(run.out.contains("It is a typo."), "{run:?}");
    let requests = far.fake.requests();
    assert_eq!(requests[2].bytes, requests[1].bytes, "the same question is asked again");
    good(far.run(&["replay", "c2"]));
    let again = far.run(&["replay", "c1", "--fork", &number, "--as", "c2"]);
    assert_eq!(again.code, 1, "{again:?}");
}

#[test]
fn a_killed_chat_is_finished_by_the_next_one() {
    let far = FarSide::new();
    for (file, text) in base("note") {
        fs::create_dir_all(far.path().join("tools/note")).unwrap();
        fs::write(far.path().join("tools/note").join(file), text).unwrap();
    }
    let gate = Gate::new();
    let note = Turn::calls("note", json!({ "text": "Buy milk" }));
    far.fake.then(note).then(Turn::says("Never heard.").gate(&gate));
    let mut chat = far.command(&["chat", "--conversation", "c1", QUESTION]);
    let mut chat = chat.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    far.wait(gate.reached());
    chat.kill().unwrap();
    chat.wait().unwrap();

    far.fake.then(Turn::says(ANSWER));
    let run = good(far.run(&["chat", "--conversation", "c1"]));
    assert!(run.out.contains(ANSWER) && !run.out.contains("Never heard."), "{run:?}");
    let requests = far.fake.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[2].body, requests[1].body, "the call is not made again");
    let ledger = good(far.run(&["ledger", "list"]));
    assert_eq!(ledger.out.lines().filter(|line| line.contains("note")).count(), 1, "{ledger:?}");
    good(far.run(&["replay", "c1"]));
}

#[test]
fn lines_of_a_pipe_are_one_conversation() {
    let far = FarSide::new();
    far.fake.then(Turn::says("Good day.")).then(Turn::says("Fine."));
    let run = good(far.pipe("Hello\n\n/cost\nHow are you?\n", &["chat"]));
    assert_eq!(run.out, "Good day.\nFine.\n", "{run:?}");
    far.fake.assert_used_up();
    let requests = far.fake.requests();
    let said = |index: usize| requests[index].body["messages"].as_array().unwrap().clone();
    assert_eq!(said(1)[..said(0).len()], said(0), "the second request extends the first");
    assert!(said(1).len() == said(0).len() + 2, "{:?}", said(1));
}

#[test]
fn an_interrupt_stops_the_answer_and_not_the_program() {
    let far = FarSide::new();
    let gate = Gate::new();
    far.fake.then(Turn::says("Never heard.").gate(&gate)).then(Turn::says("Here I am."));
    let mut chat = far.command(&["chat"]);
    chat.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut chat = chat.spawn().unwrap();
    let mut said = chat.stdin.take().unwrap();
    said.write_all(b"Hello\n").unwrap();
    far.wait(gate.reached());
    let kill = Command::new("kill").args(["-INT", &chat.id().to_string()]).status();
    assert!(kill.unwrap().success());
    far.wait(far.fake.abandoned(1));
    said.write_all(b"Are you there?\n").unwrap();
    drop(said);
    let output = chat.wait_with_output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), out.as_ref()), (Some(0), "Here I am.\n"), "{err}");
    assert!(err.contains("(stopped)"), "{err}");
}
