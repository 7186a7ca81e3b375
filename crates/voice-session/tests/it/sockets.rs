//! Sockets that break, and providers that refuse.

use fake_providers::{VoiceMessage, VoiceStep};
use serde_json::json;
use testkit::script::says;

use crate::support::project::Project;
use crate::support::{FarSide, KEY, Told, for_each, provider_models};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vx_13_a_socket_that_is_cut_in_a_running_write_repeats_nothing_and_the_result_is_told() {
    for_each(provider_models(), |model| async move {
        let project = Project::holding();
        let far = FarSide::new(model).await;
        let call = Told::Calls("book", json!({ "thing": "table" }));
        if far.is_text() {
            far.then([VoiceStep::Delegates { times: 1 }]);
        }
        far.told([call]);
        far.then([VoiceStep::Pass(project.started.clone()), VoiceStep::Cut]);
        far.told([Told::Says("It is booked.")]);
        let mut talk = far.talk(&project, &["book a table"], &[]).await;
        talk.until("ready").await;
        talk.speak(1_000);
        talk.until("connection lost").await;
        talk.until("connection back").await;
        project.finish.open();
        talk.until_heard("It is booked.").await;
        let (ended, report) = talk.hang_up().await;
        let text = ended.text();
        report.unwrap_or_else(|fault| panic!("{model}: {fault}\n{text}"));
        assert_eq!(project.runs().len(), 1, "{model}: {text}");
        far.voice().assert_used_up();
        far.text.assert_used_up();
        assert_eq!(far.voice().handshakes().len(), 2, "{model}: {text}");
        let result = "\"done\"";
        let told = |one: &VoiceMessage| {
            one.connection == 2 && one.message.to_string().replace('\\', "").contains(result)
        };
        // On Live, the result goes to our own text turn.
        let is_told = far.voice().messages().iter().any(told)
            || far.text.requests().iter().any(|request| format!("{request:?}").contains("done"));
        assert!(is_told, "{model}: {text}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_comes_late_loses_nothing_that_was_said() {
    let project = Project::new();
    let far = FarSide::new("gpt-realtime-2.1").await;
    far.voice().refuse([503, 429]);
    far.told([Told::Says("Hello.")]);
    let mut talk = far.talk(&project, &["hello"], &[]).await;
    // The person speaks while there is no connection.
    talk.speak(1_000);
    talk.until_heard("Hello.").await;
    let (_, report) = talk.hang_up().await;
    report.unwrap();
    far.voice().assert_used_up();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_that_would_come_again_ends_the_session_and_hides_the_key() {
    for_each(provider_models(), |model| async move {
        let project = Project::new();
        let far = FarSide::new(model).await;
        far.voice().refuse([403]);
        let talk = far.talk(&project, &[], &[]).await;
        let (ended, report) = talk.ended().await;
        let fault = report.err().unwrap().to_string();
        assert!(fault.contains("refuses the connection with 403: not now, [secret]"), "{fault}");
        assert!(fault.contains("check the key"), "{fault}");
        let all = format!("{fault}{:?}{}", ended.troubles, ended.text());
        assert!(!all.contains(KEY), "{all}");
        assert!(ended.text().contains("session ended: the provider cannot be reached"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gemini_goes_on_with_its_handle_when_the_server_goes_away() {
    let project = Project::new();
    let far = FarSide::new("gemini-3.8-live").await;
    far.told([Told::Says("Hello.")]);
    far.then([VoiceStep::Sends(json!({ "goAway": { "timeLeft": "30s" } }))]);
    far.told([Told::Says("Still here.")]);
    let mut talk = far.talk(&project, &["hello", "are you there"], &[]).await;
    talk.until("ready").await;
    talk.speak(1_000);
    talk.until("reconnecting").await;
    talk.until("connection back").await;
    talk.speak(1_000);
    talk.until_heard("Still here.").await;
    let (_, report) = talk.hang_up().await;
    report.unwrap();
    far.voice().assert_used_up();
    let messages = far.voice().messages();
    let setup = messages.iter().find(|one| one.connection == 2).unwrap();
    let handle = setup.message.pointer("/setup/sessionResumption/handle");
    assert!(handle.is_some_and(|handle| handle.as_str().unwrap().starts_with("handle-")));
    let history = |one: &&VoiceMessage| one.message.get("clientContent").is_some();
    assert_eq!(messages.iter().filter(history).count(), 0, "the context is kept");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vx_05_a_withdrawn_call_is_not_answered_and_a_write_is_done_once() {
    let project = Project::holding();
    let far = FarSide::new("gemini-3.8-live").await;
    far.told([Told::Calls("book", json!({}))]);
    let withdrawn = json!({ "toolCallCancellation": { "ids": ["call-1"] } });
    let done = json!({ "serverContent": { "turnComplete": true, "interactionStatus": "IDLE" } });
    far.then([
        VoiceStep::Pass(project.started.clone()),
        VoiceStep::Sends(withdrawn),
        VoiceStep::Sends(done),
    ]);
    let mut talk = far.talk(&project, &["book a table"], &[]).await;
    talk.until("ready").await;
    talk.speak(1_000);
    talk.until("withdrawn").await;
    project.finish.open();
    talk.until("call-1 settled").await;
    let (ended, report) = talk.hang_up().await;
    report.unwrap();
    assert_eq!(project.runs().len(), 1, "{}", ended.text());
    let answers = |one: &VoiceMessage| one.message.get("toolResponse").is_some();
    assert!(!far.voice().messages().iter().any(answers), "{}", ended.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_delegations_at_once_are_answered_one_after_the_other() {
    let project = Project::new();
    let far = FarSide::new("gpt-live-1").await;
    far.then([VoiceStep::Delegates { times: 2 }]);
    far.text.then(says("The first."));
    far.text.then(says("The second."));
    let mut talk = far.talk(&project, &["two things"], &[]).await;
    talk.until("ready").await;
    talk.speak(1_000);
    let second = |one: &VoiceMessage| one.message["content"] == "The second.";
    talk.until_done(far.voice().received(second)).await;
    talk.until_heard("The first.").await;
    let (_, report) = talk.hang_up().await;
    report.unwrap();
    far.voice().assert_used_up();
    let messages = far.voice().messages();
    let commentary: Vec<_> = messages
        .iter()
        .filter(|one| one.message["type"] == "session.commentary.append")
        .map(|one| (&one.message["content"], &one.message["delegation_id"]))
        .collect();
    let expected =
        [(&json!("The first."), &json!("dlg_1")), (&json!("The second."), &json!("dlg_2"))];
    assert_eq!(commentary, expected);
}
