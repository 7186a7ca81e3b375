//! The same conversation on every road, over its real socket.

use fake_providers::VoiceWire;
use serde_json::json;
use voice::{State, capabilities};

use crate::support::project::Project;
use crate::support::{FarSide, KEY, MODELS, Told, for_each, provider_models};

/// A question, a call, an answer that is heard; then the person hangs up.
async fn booked(far: &FarSide) -> Vec<String> {
    let project = Project::new();
    far.told([Told::Calls("book", json!({ "thing": "table" })), Told::Says("It is booked.")]);
    let mut talk = far.talk(&project, &["book a table"], &[]).await;
    talk.until("ready").await;
    talk.speak(1_000);
    talk.until_heard("It is booked.").await;
    let (ended, report) = talk.hang_up().await;
    let text = ended.text();
    report.unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    assert_eq!(project.runs(), [r#"book {"thing":"table"}"#], "{text}");
    if let Some(voice) = &far.voice {
        voice.assert_used_up();
        let spoken = voice.messages();
        assert!(!spoken.iter().any(|one| one.message.to_string().contains(KEY)));
    }
    far.text.assert_used_up();
    let state = State::replay(&ended.log).unwrap();
    let said: Vec<String> = state.transcript().iter().map(|line| line.text.clone()).collect();
    assert_eq!(said, ["book a table", "It is booked."], "{text}");
    let mut decisions = ended.decisions();
    // What was said is final at different moments, on Gemini after the request.
    decisions.retain(|line| !line.contains(" said \""));
    for line in &mut decisions {
        if line.contains(" requested") {
            line.truncate(line.find(" \"").unwrap_or(line.len()));
        }
    }
    decisions.sort();
    decisions
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vx_11_every_road_decides_the_same_over_its_real_socket() {
    let expected = booked(&FarSide::new("cascade").await).await;
    let expected = std::sync::Arc::new(expected);
    for_each(provider_models(), |model| {
        let expected = std::sync::Arc::clone(&expected);
        async move {
            let far = FarSide::new(model).await;
            assert_eq!(booked(&far).await, *expected, "{model} decides otherwise");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_the_names_of_the_beta_is_understood() {
    let row = capabilities("gpt-realtime-2.1").unwrap().clone();
    let far = FarSide::on(Some(VoiceWire::RealtimeBeta), row).await;
    let decided = booked(&far).await;
    assert!(decided.iter().any(|line| line.contains("u1 heard")), "{decided:?}");
    assert!(!decided.iter().any(|line| line.contains("unknown")), "{decided:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vx_04_an_interruption_cuts_playback_and_the_model_learns_what_was_heard() {
    for_each(MODELS, |model| async move {
        let project = Project::new();
        let far = FarSide::new(model).await;
        let long = "One two three four five six seven eight nine ten eleven twelve thirteen.";
        far.told([Told::Says(long), Told::Says("Yes?")]);
        if !far.is_text() {
            far.voice().stretch(3_000);
        }
        let mut talk = far.talk(&project, &["count", "stop please"], &["stop please"]).await;
        talk.until("ready").await;
        talk.speak(800);
        talk.until_playing("One two").await;
        talk.speak(1_200);
        let cut = talk.until(" cut at ").await;
        talk.until_heard("Yes?").await;
        let (ended, report) = talk.hang_up().await;
        report.unwrap();
        let heard = cut.split("heard \"").nth(1).unwrap_or_default().trim_end_matches('"');
        assert!(long.starts_with(heard) && heard.len() < long.len(), "{model}: {cut}");
        let state = State::replay(&ended.log).unwrap();
        let said: Vec<String> = state.transcript().iter().map(|line| line.text.clone()).collect();
        assert!(!said.contains(&long.to_owned()), "{model}: {said:?}");
        far.text.assert_used_up();
        if let Some(voice) = &far.voice {
            voice.assert_used_up();
            let sent = voice.messages();
            let kind = |one: &fake_providers::VoiceMessage| one.message["type"].clone();
            let truncates = sent.iter().any(|one| {
                kind(one) == "conversation.item.truncate" || kind(one) == "conversation.item.delete"
            });
            assert_eq!(truncates, model.starts_with("gpt-realtime"), "{model}");
        }
    })
    .await;
}
