//! Approvals of a running session, answered by voice or elsewhere.

use serde_json::json;
use voice_session::FromClient;

use crate::support::project::Project;
use crate::support::{FarSide, MODELS, Told, for_each};

/// Begins a session in which `order` waits for a person, and goes on until it is read back.
async fn asked(
    project: &Project,
    far: &FarSide,
    said: &[&'static str],
) -> crate::support::client::Talk {
    far.told([Told::Calls("order", json!({ "thing": "tea" })), Told::Says("It is ordered.")]);
    let mut talk = far.talk(project, said, &said[1..]).await;
    talk.until("ready").await;
    talk.speak(1_000);
    talk.until("question \"I am about to run order. thing: tea.").await;
    talk
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vx_10_a_spoken_yes_after_the_read_back_runs_the_write_on_every_road() {
    for_each(MODELS, |model| async move {
        let (project, far) = (Project::new(), FarSide::new(model).await);
        let mut talk = asked(&project, &far, &["order tea", "yes"]).await;
        talk.until_asked("I am about to run order.").await;
        assert_eq!(project.runs(), [""; 0], "{model}: nothing runs before the answer");
        talk.speak(700);
        talk.until("approved").await;
        talk.until_heard("It is ordered.").await;
        let (ended, report) = talk.hang_up().await;
        report.unwrap();
        assert_eq!(project.runs(), [r#"order {"thing":"tea"}"#], "{model}: {}", ended.text());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_from_another_surface_is_noticed_and_the_result_is_spoken() {
    for (model, answer, runs) in [
        ("cascade", "approve", 1),
        ("gpt-realtime-2.1", "approve", 1),
        ("gpt-live-1", "approve", 1),
        ("gemini-3.8-live", "approve", 1),
        ("gpt-realtime-2.1", "decline", 0),
    ] {
        let (project, far) = (Project::new(), FarSide::new(model).await);
        let mut talk = asked(&project, &far, &["order tea"]).await;
        // As `ghosthand approvals approve` and the API do; the session is told nothing.
        let open = project.engine.open_approvals().await.unwrap();
        let request = &open[0].request.id;
        let payload = json!({ "request": request, "answer": answer }).to_string();
        project.engine.answer(&payload).await.unwrap();
        talk.until("question closed").await;
        talk.until_heard("It is ordered.").await;
        let (ended, report) = talk.hang_up().await;
        report.unwrap();
        assert_eq!(project.runs().len(), runs, "{model}: {}", ended.text());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vx_10_two_unclear_answers_go_to_the_button_and_the_button_counts_once() {
    let (project, far) = (Project::new(), FarSide::new("gpt-realtime-2.1").await);
    let mut talk = asked(&project, &far, &["order tea", "perhaps", "who knows"]).await;
    talk.until_asked("I am about to run order.").await;
    talk.speak(700);
    talk.until_asked("Please say yes or no.").await;
    talk.speak(700);
    talk.until("button").await;
    let request = talk.until_button().await;
    let scope = policy::ApprovalScope::ThisCall;
    let choice = policy::ApprovalChoice::Approve { scope };
    talk.send(FromClient::Answer { request, choice }).await;
    talk.until_heard("It is ordered.").await;
    let (ended, report) = talk.hang_up().await;
    report.unwrap();
    assert_eq!(project.runs().len(), 1, "{}", ended.text());
}
