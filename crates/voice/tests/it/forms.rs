//! A tool's form, spoken: the same answers as on the page.

use std::collections::BTreeMap;

use policy::Timestamp;
use serde_json::json;
use voice::{
    Command, Config, Input, Language, LogEntry, Opened, RoadKind, Session, Submission,
    all_capabilities, in_words, road,
};

use crate::support::check;

const SETUP: &str = "tool volume reads\n\
     at 0s user says \"make it louder\" for 1.2s\n\
     at 2s provider calls volume {} as c1\n\
     at 2.2s tool c1 asks loud \"A question about the volume.\" {\"type\":\"object\",\"required\":[\"decibel\"],\
     \"properties\":{\"decibel\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":120,\"title\":\"How loud\"},\
     \"fade\":{\"type\":\"boolean\",\"default\":false}}}\n";

#[test]
fn a_handler_s_question_is_asked_and_its_answer_is_the_page_s_json() {
    let script = format!(
        "{SETUP}\
         at 8s user says \"two hundred\" for 1s\n\
         at 16s user says \"forty two\" for 1s\n\
         at 24s user says \"skip\" for 0.6s\n\
         at 32s user says \"yes\" for 0.6s\n\
         at 34s tool c1 returns {{}}\n\
         until 38s\n\
         expect c1 form opened\n\
         expect question \"A question about the volume. How loud?\"\n\
         expect form answered \"two hundred\"\n\
         expect question \"That does not fit. How loud?\"\n\
         expect form answered \"forty two\"\n\
         expect question \"fade? Yes or no? Say skip to leave it out.\"\n\
         expect question \"I have How loud: 42. Is that right?\"\n\
         expect form accept: {{\"decibel\":42}}\n\
         expect c1 handler runs with loud={{\"decibel\":42}}\n\
         expect c1 answered, Result, Speaks\n\
         expect never t2 requested\n"
    );
    check(&script);
}

#[test]
fn an_answer_may_come_before_the_question_has_ended() {
    let script = format!(
        "{SETUP}\
         at 3s user says \"forty two\" for 1s\n\
         until 8s\n\
         expect u1 cut\n\
         expect form answered \"forty two\"\n\
         expect question \"fade?\n"
    );
    check(&script);
}

#[test]
fn a_form_can_be_left_and_closes_by_itself() {
    let left = format!(
        "{SETUP}\
         at 8s user says \"never mind\" for 1s\n\
         at 12s tool c1 returns {{}}\n\
         until 14s\n\
         expect form cancel: null\n\
         expect notice \"Cancelled.\"\n\
         expect 2 times c1 handler runs\n\
         expect c1 answered\n"
    );
    check(&left);
    let silent = format!(
        "{SETUP}\
         at 90s tool c1 returns {{}}\n\
         until 100s\n\
         expect u1 heard\n\
         expect form cancel: null\n\
         expect c1 answered\n"
    );
    check(&silent);
}

/// A form with one field whose button goes to this target.
fn shopping(target: &str) -> String {
    format!(
        "{{\"id\":\"shopping\",\"type\":\"ui_v1\",\"label\":\"Shopping list\",\"layout\":{{\"type\":\"modal\",\
         \"title\":\"Shopping list\",\"components\":[{{\"id\":\"item\",\"type\":\"text_input\",\"props\":{{\"label\":\"What to buy\"}}}},\
         {{\"id\":\"add\",\"type\":\"button\",\"props\":{{\"label\":\"Add\"}},\"actions\":[{{\"type\":\"tool_submit\",\"target\":\"{target}\",\
         \"params\":{{\"item\":\"item\"}}}}]}}]}}}}"
    )
}

/// A session in which the form was begun, and is filled in by voice.
fn spoken_form(target: &str) -> String {
    format!(
        "at 1s form of shopping_list {}\n\
         at 8s user says \"milk\" for 0.6s\n\
         at 14s user says \"yes\" for 0.6s\n",
        shopping(target)
    )
}

#[test]
fn a_form_of_the_page_is_filled_in_by_voice() {
    let script = format!(
        "{}\
         until 18s\n\
         expect question \"Shopping list. What to buy? Say skip to leave it out.\"\n\
         expect form sent to add_item: {{\"item\":\"milk\"}}\n\
         expect form of shopping_list sent to add_item: {{\"item\":\"milk\"}}\n\
         expect notice \"Done.\"\n\
         expect 1 times form of shopping_list sent\n\
         expect never t1 requested\n",
        spoken_form("add_item")
    );
    check(&script);
    let bare = "at 1s form of x {\"layout\":{}}\nuntil 3s\n\
                expect note: the form of `x` cannot be spoken: the form has no components to ask for\n";
    check(bare);
}

#[test]
fn a_form_that_calls_a_tool_is_judged_and_its_result_is_told_once() {
    let script = format!(
        "tool shopping_list writes asks parameters {{\"type\":\"object\",\"properties\":{{\"item\":{{\"type\":\"string\"}}}}}} \
         after 500ms returns {{\"message\":\"Milk is on the list.\"}}\n\
         {}\
         at 26s user says \"yes\" for 0.6s\n\
         at 40s user says \"thanks\" for 0.6s\n\
         at 42s provider says \"Gladly.\" for 1s\n\
         until 50s\n\
         expect form sent to shopping_list: {{\"item\":\"milk\"}}\n\
         expect waits for approval\n\
         expect question \"I am about to run shopping list. item: milk. Say yes to do it, or no.\"\n\
         expect approved\n\
         expect handler runs\n\
         expect settled, Done\n\
         expect answered, Result, Silent\n\
         expect notice \"Milk is on the list.\"\n\
         expect t1 requested \"thanks\"\n\
         expect 1 times handler runs\n\
         expect 1 times notice \"Milk is on the list.\"\n",
        spoken_form("shopping_list")
    );
    for run in check(&script) {
        let sent: Vec<String> = run.sent.iter().map(|one| format!("{one:?}")).collect();
        let told: Vec<_> =
            sent.iter().filter(|one| one.contains("filled in the form of")).collect();
        // Live has two models: the one that speaks, and ours behind it.
        let by_voice = told.iter().filter(|one| one.starts_with("Message")).count();
        let by_text = told.iter().filter(|one| one.starts_with("Turn")).count();
        assert!(by_voice <= 1 && by_text <= 1 && !told.is_empty(), "{sent:#?}");
    }
}

#[test]
fn a_form_that_is_declined_or_fails_is_told_so() {
    let declined = format!(
        "tool shopping_list writes asks parameters {{\"type\":\"object\",\"properties\":{{\"item\":{{\"type\":\"string\"}}}}}}\n\
         {}\
         at 26s user says \"no\" for 0.6s\n\
         until 40s\n\
         expect declined\n\
         expect notice \"That did not work.\n\
         expect never handler runs\n",
        spoken_form("shopping_list")
    );
    check(&declined);
    let failed = format!(
        "tool shopping_list reads parameters {{\"type\":\"object\",\"properties\":{{\"item\":{{\"type\":\"string\"}}}}}} \
         after 100ms fails \"The list is full.\"\n\
         {}\
         until 30s\n\
         expect settled, Failed\n\
         expect notice \"That did not work. The list is full.\"\n",
        spoken_form("shopping_list")
    );
    check(&failed);
}

#[test]
fn a_lost_connection_does_not_send_a_form_twice() {
    let script = format!(
        "tool shopping_list writes parameters {{\"type\":\"object\",\"properties\":{{\"item\":{{\"type\":\"string\"}}}}}} \
         after 3s returns {{\"message\":\"Added.\"}}\n\
         {}\
         at 16s connection lost\n\
         at 20s connection back\n\
         until 30s\n\
         expect handler runs\n\
         expect connection lost\n\
         expect settled, Done\n\
         expect connection back\n\
         expect notice \"Added.\"\n\
         expect 1 times handler runs\n\
         expect 1 times notice\n",
        spoken_form("shopping_list")
    );
    check(&script);
}

#[test]
fn a_restart_does_not_send_a_form_twice() {
    // A read that was lost with its process runs again; a write is in doubt, and is said to be.
    let script = |effects: &str, rest: &str| {
        format!(
            "tool shopping_list {effects} parameters {{\"type\":\"object\",\"properties\":{{\"item\":{{\"type\":\"string\"}}}}}}\n\
             {}\
             at 16s process restarts\n\
             at 16.5s connection back\n\
             until 30s\n\
             expect process restarted\n{rest}",
            spoken_form("shopping_list")
        )
    };
    check(&script("reads", "expect 2 times handler runs\n"));
    check(&script(
        "writes",
        "expect settled, PartialEffects\n\
         expect notice \"I do not know whether that was done.\n\
         expect 1 times handler runs\n",
    ));
    // A question that was open is asked again, with what was answered.
    let asked = format!(
        "at 1s form of shopping_list {}\n\
         at 8s user says \"milk\" for 0.6s\n\
         at 9.5s process restarts\n\
         at 9.6s connection back\n\
         at 20s user says \"yes\" for 0.6s\n\
         until 25s\n\
         expect process restarted\n\
         expect form sent to add_item: {{\"item\":\"milk\"}}\n\
         expect 1 times form of shopping_list sent\n",
        shopping("add_item")
    );
    check(&asked);
}

#[test]
fn a_form_is_finished_by_hand_and_the_voice_is_silent() {
    let question = format!(
        "set page_forms \"present\"\n{SETUP}\
         at 8s page answers {{\"decibel\": 42}}\n\
         at 9s tool c1 returns {{}}\n\
         at 12s user says \"forty two\" for 1s\n\
         until 20s\n\
         expect c1 form opened\n\
         expect question closed\n\
         expect c1 handler runs with loud={{\"decibel\":42}}\n\
         expect c1 answered, Result, Speaks\n\
         expect 2 times c1 handler runs\n\
         expect never form answered\n"
    );
    check(&question);
    // While the question is being said.
    let feature = format!(
        "at 1s form of shopping_list {}\n\
         at 2s page sends add_item {{\"item\": \"milk\"}}\n\
         at 3s page sends add_item {{\"item\": \"bread\"}}\n\
         until 20s\n\
         expect u1 question\n\
         expect u1 cut\n\
         expect form sent to add_item: {{\"item\":\"milk\"}}\n\
         expect notice \"Done.\"\n\
         expect never bread\n\
         expect 1 times form of shopping_list sent\n",
        shopping("add_item")
    );
    check(&feature);
    let closed = format!(
        "at 1s form of shopping_list {}\n\
         at 2s page closes form\n\
         until 10s\n\
         expect u1 cut\n\
         expect never form sent\n",
        shopping("add_item")
    );
    for run in check(&closed) {
        assert!(run.text().contains("question closed"), "{}", run.text());
    }
}

#[test]
fn what_is_written_by_hand_is_not_asked_for_and_is_read_back() {
    let script = format!(
        "set page_forms \"present\"\n{SETUP}\
         at 4s page fills {{\"decibel\": 999, \"fade\": true}}\n\
         at 6s user says \"forty two\" for 1s\n\
         at 20s page fills {{\"decibel\": 43}}\n\
         at 30s user says \"yes\" for 0.6s\n\
         until 35s\n\
         expect form filled in by hand: {{\"decibel\":999,\"fade\":true}}\n\
         expect form answered \"forty two\"\n\
         expect question \"I have How loud: 42; fade: yes. Is that right?\"\n\
         expect question \"I have How loud: 43; fade: yes. Is that right?\"\n\
         expect form accept: {{\"decibel\":43,\"fade\":true}}\n\
         expect never question \"fade?\n"
    );
    check(&script);
}

#[test]
fn silence_and_forms_that_cannot_be_spoken_are_for_the_page() {
    let silent = format!(
        "set page_forms \"present\"\n{SETUP}\
         at 100s page fills {{\"decibel\": 3}}\n\
         at 110s page answers {{\"decibel\": 3}}\n\
         at 111s tool c1 returns {{}}\n\
         until 120s\n\
         expect by button\n\
         expect c1 handler runs with loud={{\"decibel\":3}}\n\
         expect never form cancel\n"
    );
    check(&silent);
    let forgotten = format!(
        "set page_forms \"present\"\nset timing.by_hand_ms 20000\n{SETUP}\
         at 100s tool c1 returns {{}}\n\
         until 110s\n\
         expect by button\n\
         expect form cancel: null\n\
         expect 2 times c1 handler runs\n"
    );
    check(&forgotten);
    let on_page = "set page_forms \"present\"\n\
         at 1s form of cast {\"id\":\"cast\",\"layout\":{\"components\":[{\"id\":\"who\",\"type\":\"persona_selector\"},\
         {\"id\":\"go\",\"type\":\"button\",\"actions\":[{\"type\":\"tool_submit\",\"target\":\"go\",\"params\":{\"who\":\"who\"}}]}]}}\n\
         at 8s user says \"what else\" for 1s\n\
         at 9s provider says \"Nothing.\" for 1s\n\
         at 12s page sends go {\"who\": \"Ana\"}\n\
         until 20s\n\
         expect note: the form of `cast` cannot be spoken: `who` can be chosen on the page only\n\
         expect notice \"This form has to be filled in on the page.\"\n\
         expect t1 requested\n\
         expect form of cast sent to go: {\"who\":\"Ana\"}\n\
         expect notice \"Done.\"\n";
    check(on_page);
}

/// Nothing records whether a form's own handler did its work, so it is never asked twice.
#[test]
fn another_process_does_not_send_a_form_to_its_handler_again() {
    let row = all_capabilities().iter().find(|row| row.road == RoadKind::Cascade).unwrap();
    let config = Config::standard(road(row).facts(), vec![Language::En]);
    let opened = Opened { config, history: Vec::new(), pending: Vec::new() };
    let (mut session, mut commands) = Session::open(Timestamp(0), opened, None).unwrap();
    let feature = serde_json::from_str(&shopping("add_item")).unwrap();
    let (tool, calls) = ("shopping_list".to_owned(), BTreeMap::new());
    let params = json!({ "item": "milk" });
    let submission = Submission { target: "add_item".to_owned(), params };
    commands.extend(session.handle(Timestamp(1), Input::Ready));
    commands.extend(session.handle(Timestamp(2), Input::FormWanted { tool, feature, calls }));
    let form = session.state().form().unwrap().number;
    commands.extend(session.handle(Timestamp(3), Input::FormSubmitted { form, submission }));
    let runs = |commands: &[Command]| {
        commands.iter().filter(|one| matches!(one, Command::RunCall { .. })).count()
    };
    assert_eq!(runs(&commands), 1);
    let record = |command: &Command| match command {
        Command::Record(entry) => Some(entry.clone()),
        _ => None,
    };
    let log: Vec<LogEntry> = commands.iter().filter_map(record).collect();
    let (_, resumed) = Session::resume(Timestamp(9), &log).unwrap();
    assert_eq!(runs(&resumed), 0);
    let told: Vec<String> =
        resumed.iter().filter_map(record).map(|entry| in_words(&entry.event)).collect();
    assert!(told.iter().any(|line| line.contains("settled, PartialEffects")), "{told:#?}");
}
