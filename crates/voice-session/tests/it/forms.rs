//! Forms of a running session: spoken, by hand, from elsewhere, across connections and processes.

use contract::{Action, HandlerAnswer};
use conversation::OpenQuestion;
use engine::QuestionFault;
use policy::ConversationId;
use serde_json::{Value, json};
use voice::{FormContent, Submission};
use voice_session::FromClient;

use crate::support::client::Talk;
use crate::support::project::{Project, meal, order_form};
use crate::support::{FarSide, MODELS, Told, for_each};

/// A person begins the form of `order`, and has heard its first question.
async fn ordering(project: &Project, far: &FarSide, said: &[&'static str]) -> Talk {
    let mut talk = far.talk(project, said, said).await;
    talk.until("ready").await;
    talk.send(FromClient::Form { tool: "order".to_owned() }).await;
    let form = talk.until_form(|form| form.field.as_deref() == Some("what")).await;
    let feature = order_form();
    assert_eq!(form.content, FormContent::Feature { tool: "order".to_owned(), feature });
    talk.until_asked("An order. What to order?").await;
    talk
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_is_spoken_is_approved_and_runs_once_on_every_road() {
    for_each(MODELS, |model| async move {
        let (project, far) = (Project::new(), FarSide::new(model).await);
        let mut talk = ordering(&project, &far, &["tea", "yes", "yes"]).await;
        talk.speak(700);
        talk.until_asked("I have What to order: tea.").await;
        talk.speak(700);
        talk.until("form sent to order: {\"thing\":\"tea\"}").await;
        talk.until_asked("I am about to run order.").await;
        assert_eq!(project.runs(), [""; 0], "{model}: nothing runs before the answer");
        talk.speak(700);
        talk.until("approved").await;
        talk.until("notice \"Done.\"").await;
        let (ended, report) = talk.hang_up().await;
        report.unwrap();
        assert_eq!(project.runs(), [r#"order {"thing":"tea"}"#], "{model}: {}", ended.text());
        assert_eq!(ended.troubles, [""; 0], "{model}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_is_sent_by_hand_ends_the_dialogue_and_counts_once() {
    let (project, far) = (Project::new(), FarSide::new("cascade").await);
    let mut talk = ordering(&project, &far, &["yes"]).await;
    let form = talk.until_form(|_| true).await.number;
    let answers = serde_json::Map::from_iter([("what".to_owned(), json!("coffee"))]);
    talk.send(FromClient::FormEdit { form, answers: answers.clone() }).await;
    let shown = talk.until_form(|form| !form.answers.is_empty()).await;
    assert_eq!(shown.answers, answers);
    let sends = |thing: &str| FromClient::FormSend {
        form,
        submission: Submission { target: "order".to_owned(), params: json!({ "thing": thing }) },
    };
    talk.send(sends("coffee")).await;
    talk.send(sends("cocoa")).await;
    talk.until_notice("The first answer counts").await;
    talk.until_asked("I am about to run order. thing: coffee.").await;
    assert_eq!(talk.form, None, "the form is gone");
    talk.speak(700);
    talk.until("notice \"Done.\"").await;
    let (ended, report) = talk.hang_up().await;
    report.unwrap();
    assert_eq!(project.runs(), [r#"order {"thing":"coffee"}"#], "{}", ended.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_waits_for_its_approval_survives_the_process_and_runs_once() {
    let (project, far) = (Project::new(), FarSide::new("cascade").await);
    let mut talk = ordering(&project, &far, &["tea", "yes"]).await;
    talk.speak(700);
    talk.until_asked("I have What to order: tea.").await;
    talk.speak(700);
    talk.until("waits for approval").await;
    talk.until("question \"I am about to run order.").await;
    talk.die().await;
    let mut talk = far.talk(&project, &["yes"], &["yes"]).await;
    talk.until("connection back").await;
    // The read-back goes on where it was, and is heard to its end.
    talk.until(" heard").await;
    talk.speak(700);
    talk.until("notice \"Done.\"").await;
    let (ended, report) = talk.hang_up().await;
    report.unwrap();
    assert_eq!(project.runs(), [r#"order {"thing":"tea"}"#], "{}", ended.text());
}

/// A session in which `cook` has asked its question.
async fn cooking(project: &Project, far: &FarSide) -> Talk {
    far.told([Told::Calls("cook", json!({})), Told::Says("It is cooked.")]);
    let mut talk = far.talk(project, &["cook something", "soup"], &["soup"]).await;
    talk.until("ready").await;
    talk.speak(1_000);
    talk.until_asked("About the meal. What dish?").await;
    talk
}

fn accepts(content: Value) -> HandlerAnswer {
    HandlerAnswer { action: Action::Accept, content }
}

const ASKED: &str = r#"cook {"action":"accept","content":{"dish":"soup","portions":4}}"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_s_question_is_begun_by_voice_and_finished_by_hand() {
    let (project, far) = (Project::new(), FarSide::new("cascade").await);
    let mut talk = cooking(&project, &far).await;
    talk.speak(700);
    let shown = talk.until_form(|form| form.answers.contains_key("dish")).await;
    assert_eq!(shown.answers, *json!({ "dish": "soup" }).as_object().unwrap());
    assert_eq!(shown.field.as_deref(), Some("portions"));
    let FormContent::Question { schema, message, .. } = &shown.content else { panic!("{shown:?}") };
    assert_eq!(json!({ "message": message, "schema": schema }), meal());
    let form = shown.number;
    // What does not fit is refused, and the question stays open.
    let unfit = accepts(json!({ "dish": "soup", "portions": 99 }));
    talk.send(FromClient::FormAnswer { form, answer: unfit }).await;
    let trouble = talk.until_trouble().await;
    assert!(trouble.contains("portions"), "{trouble}");
    let answer = accepts(json!({ "dish": "soup", "portions": 4 }));
    talk.send(FromClient::FormAnswer { form, answer: answer.clone() }).await;
    talk.send(FromClient::FormAnswer { form, answer }).await;
    talk.until_notice("The first answer counts").await;
    talk.until_heard("It is cooked.").await;
    let (ended, report) = talk.hang_up().await;
    report.unwrap();
    assert_eq!(project.runs(), [ASKED], "{}", ended.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_is_answered_elsewhere_is_noticed_on_every_road() {
    for_each(MODELS, |model| async move {
        let (project, far) = (Project::new(), FarSide::new(model).await);
        let mut talk = cooking(&project, &far).await;
        // As the API does; the session is told nothing.
        let talked = ConversationId("talk".to_owned());
        let mut open = project.conversations.questions(&talked).await.unwrap();
        let OpenQuestion { call, question, tool } = open.remove(0);
        assert_eq!((tool.as_str(), open), ("cook", Vec::new()), "{model}");
        let answer = accepts(json!({ "dish": "soup", "portions": 4 }));
        let name = &question.name;
        let answers = |answer| project.conversations.answer_question(&talked, &call, name, answer);
        answers(answer.clone()).await.unwrap();
        let late = answers(answer).await;
        assert!(matches!(late, Err(QuestionFault::NotAsked)), "{model}: {late:?}");
        talk.until("question closed").await;
        talk.until_heard("It is cooked.").await;
        assert_eq!(talk.form, None, "{model}");
        let (ended, report) = talk.hang_up().await;
        report.unwrap();
        assert_eq!(project.runs(), [ASKED], "{model}: {}", ended.text());
    })
    .await;
}
