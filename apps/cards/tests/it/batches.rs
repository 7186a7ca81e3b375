//! FC-12: batches over the Message Batches API and OpenAI's, with their stages.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use cards::{
    Answerer, ErrorCode, Patience, Progress, RetryScope, RunEvent, RunId, Sending, Stage, WorkEnd,
    WorkOptions,
};
use contract::{Rung, Wire};
use fake_providers::{FakeProvider, Fault, Step, Turn};

use crate::wires::{answer, client, sentences, turn};
use crate::world::{World, options};

const TEXT: &str = "Suns rej. Kaķis skrien. Putns dzied. Zivs peld. Lācis guļ. Vilks gaudo.";

struct Batched {
    world: World,
    fake: FakeProvider,
    by: Answerer,
    run: RunId,
}

impl Batched {
    async fn new(wire: Wire) -> Self {
        let world = World::new();
        let run = world.begin_as(TEXT, 2).await;
        let fake = FakeProvider::start().await.unwrap();
        let model = if wire == Wire::Anthropic { "claude-haiku-5-5" } else { "gpt-5.5" };
        let client = Arc::new(client(&fake, wire, model, Some(Rung::Native), &world.clock));
        let by = Answerer { model: client.clone(), batches: Some(client) };
        Self { world, fake, by, run }
    }

    async fn work(&self, sending: Sending, patience: Patience) -> (WorkEnd, Vec<Progress>) {
        let options = WorkOptions { sending, patience, ..options() };
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let watcher =
            Arc::new(move |progress: &Progress| sink.lock().unwrap().push(progress.clone()));
        let end = self.world.library.work(&self.run, &self.by, &options, watcher).await.unwrap();
        let seen = seen.lock().unwrap().clone();
        (end, seen)
    }

    fn good(&self) -> &Self {
        self.fake.answering(|body| Step::from(turn(Rung::Native, &answer(&sentences(body)))));
        self
    }
}

/// Batches that were made at the far side.
fn made(fake: &FakeProvider) -> usize {
    let creates = |path: &str| path == "/v1/messages/batches" || path == "/v1/batches";
    fake.requests().iter().filter(|one| one.method == "POST" && creates(&one.path)).count()
}

#[tokio::test]
async fn fc_12_a_batch_is_sent_waited_for_and_read_on_both_services() {
    for wire in [Wire::Anthropic, Wire::Responses, Wire::Chat] {
        let batched = Batched::new(wire).await;
        batched.good().fake.batch_polls(3);
        let (end, seen) = batched.work(Sending::Batch, Patience::UntilEnded).await;
        assert_eq!(end, WorkEnd::Ready, "{wire}");
        assert_eq!(made(&batched.fake), 1, "{wire}");
        let stages: Vec<_> = seen.iter().map(|progress| progress.stage.clone()).collect();
        let waits = |stage: &Stage| matches!(stage, Stage::BatchWaiting { .. });
        assert!(stages.contains(&Stage::BatchSending) && stages.iter().any(waits));
        assert!(stages.contains(&Stage::BatchReading));
        // The schedule: young batches are looked at every second or two.
        let sleeps = batched.world.clock.sleeps.lock().unwrap().clone();
        assert_eq!(sleeps, vec![Duration::from_millis(1_500); 3], "{wire}");
        let told = batched.world.told(&batched.run).await;
        assert_eq!(told[5], "5 Received Перевод 5.");
    }
}

#[tokio::test]
async fn fc_12_another_process_reads_the_results_by_the_id_in_the_log() {
    let batched = Batched::new(Wire::Anthropic).await;
    batched.good().fake.batch_polls(1);
    let (end, _) = batched.work(Sending::Batch, Patience::OneLook).await;
    assert!(matches!(end, WorkEnd::BatchAtWork { .. }), "{end:?}");
    let view = batched.world.library.view(&batched.run, "en").await.unwrap();
    assert!(matches!(view.progress.stage, Stage::BatchWaiting { .. }));
    // Live or not: a batch that is out is waited for, and nothing is sent twice.
    let (end, _) = batched.work(Sending::Live, Patience::UntilEnded).await;
    assert_eq!((end, made(&batched.fake)), (WorkEnd::Ready, 1));
    let names: Vec<String> = batched
        .fake
        .requests()
        .iter()
        .filter_map(|request| request.body["requests"].as_array().cloned())
        .flatten()
        .map(|one| one["custom_id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["b0-c0", "b0-c1", "b0-c2"]);
}

#[tokio::test]
async fn fc_12_what_is_cut_or_errored_in_a_batch_is_mended_live_and_only_that() {
    let batched = Batched::new(Wire::Anthropic).await;
    let cut =
        Turn::says("{\"flashcards\":[{\"base_form\":\"su").stop(contract::StopReason::MaxTokens);
    batched.fake.script::<Step>([
        turn(Rung::Native, &answer(&[(0, "Suns rej.".into()), (1, "Kaķis skrien.".into())])).into(),
        cut.into(),
        Fault::overloaded().into(),
    ]);
    batched.good();
    let (end, _) = batched.work(Sending::Batch, Patience::UntilEnded).await;
    assert_eq!(end, WorkEnd::Ready);
    let live: Vec<Vec<usize>> = batched
        .fake
        .requests()
        .iter()
        .filter(|request| request.path == "/v1/messages")
        .map(|request| sentences(&request.body).into_iter().map(|(index, _)| index).collect())
        .collect();
    assert_eq!(live, [[2, 3], [4, 5]]);
}

#[tokio::test]
async fn fc_12_a_request_that_expired_is_a_hole_and_nobody_pays_for_it_again_unasked() {
    let batched = Batched::new(Wire::Anthropic).await;
    batched.fake.script::<Step>([Fault::hang_up().into()]);
    batched.good();
    let (end, _) = batched.work(Sending::Batch, Patience::UntilEnded).await;
    assert_eq!(end, WorkEnd::Holes(2));
    let told = batched.world.told(&batched.run).await;
    assert_eq!((told[0].as_str(), told[1].as_str()), ("0 Invalid EXPIRED", "1 Invalid EXPIRED"));
    assert_eq!(told[2], "2 Received Перевод 2.");
    assert!(batched.fake.requests().iter().all(|request| request.path != "/v1/messages"));
    assert_eq!(batched.world.library.retry(&batched.run, &RetryScope::Holes).await.unwrap(), 2);
    let (end, _) = batched.work(Sending::Batch, Patience::UntilEnded).await;
    assert_eq!((end, made(&batched.fake)), (WorkEnd::Ready, 2));
}

#[tokio::test]
async fn fc_12_a_batch_that_is_too_old_is_expired_without_asking_and_a_person_sends_anew() {
    let batched = Batched::new(Wire::Anthropic).await;
    batched.good().fake.batch_polls(1);
    batched.work(Sending::Batch, Patience::OneLook).await;
    batched.world.clock.pass(Duration::from_secs(29 * 86_400));
    let before = batched.fake.requests().len();
    let (end, _) = batched.work(Sending::Batch, Patience::OneLook).await;
    assert!(matches!(end, WorkEnd::Stopped { code: ErrorCode::Expired, .. }), "{end:?}");
    assert_eq!(batched.fake.requests().len(), before);
    let (end, _) = batched.work(Sending::Batch, Patience::UntilEnded).await;
    assert_eq!((end, made(&batched.fake)), (WorkEnd::Ready, 2));
}

#[tokio::test]
async fn a_batch_that_was_perhaps_sent_is_never_sent_again_by_itself() {
    let batched = Batched::new(Wire::Anthropic).await;
    batched.good();
    batched.fake.script::<Step>([]);
    // Nobody listens there any more: the connection breaks in the middle of sending.
    let address = batched.fake.address();
    let Batched { world, fake, by, run } = batched;
    drop(fake);
    let gone = Batched { world, fake: FakeProvider::start().await.unwrap(), by, run };
    assert_ne!(gone.fake.address(), address);
    let (end, _) = gone.work(Sending::Batch, Patience::OneLook).await;
    assert!(matches!(end, WorkEnd::Stopped { code: ErrorCode::InDoubt, .. }), "{end:?}");
    let (end, _) = gone.work(Sending::Live, Patience::OneLook).await;
    assert!(matches!(end, WorkEnd::Stopped { code: ErrorCode::InDoubt, .. }), "{end:?}");
    assert!(gone.world.library.forget_batch(&gone.run).await.unwrap());
    let snapshot = gone.world.library.snapshot(&gone.run).await.unwrap();
    assert_eq!((&snapshot.batch, snapshot.waiting().len()), (&None, 6));
}

#[tokio::test]
async fn fc_23_a_batch_that_costs_more_than_allowed_is_not_sent() {
    let batched = Batched::new(Wire::Anthropic).await;
    batched.good();
    let cap = models::Cost { picodollars: 1_000 };
    let options = WorkOptions { sending: Sending::Batch, cost_max: Some(cap), ..options() };
    let library = &batched.world.library;
    let end = library.work(&batched.run, &batched.by, &options, Arc::new(|_| {})).await.unwrap();
    assert!(matches!(end, WorkEnd::Stopped { code: ErrorCode::MoneyCap, .. }), "{end:?}");
    assert_eq!(made(&batched.fake), 0);
    let events = library.events(&batched.run).await.unwrap();
    assert!(!events.iter().any(|event| matches!(event, RunEvent::BatchIntended { .. })));
    assert_eq!(library.retry(&batched.run, &RetryScope::Holes).await.unwrap(), 0);
}

#[tokio::test]
async fn fc_23_batches_have_as_many_requests_as_the_cap_allows() {
    let mut all_sizes = Vec::new();
    for step in 0..12 {
        let batched = Batched::new(Wire::Anthropic).await;
        batched.good();
        let library = &batched.world.library;
        let cap = models::Cost { picodollars: step * 250_000_000 };
        let options = WorkOptions { sending: Sending::Batch, cost_max: Some(cap), ..options() };
        let work = library.work(&batched.run, &batched.by, &options, Arc::new(|_| {}));
        let end = work.await.unwrap();
        let spent = library.view(&batched.run, "en").await.unwrap().progress.cost();
        assert!(spent.unwrap_or_default() <= cap, "{spent:?} of {cap:?}");
        let requests = batched.fake.requests();
        let size = |body: &serde_json::Value| Some(body["requests"].as_array()?.len());
        let sizes: Vec<_> = requests.iter().filter_map(|request| size(&request.body)).collect();
        let capped = matches!(end, WorkEnd::Stopped { code: ErrorCode::MoneyCap, .. });
        assert_eq!(capped, sizes.iter().sum::<usize>() < 3, "{end:?} {sizes:?}");
        all_sizes.push(sizes);
    }
    all_sizes.dedup();
    // Nothing, then one after the other, then two and one, then all at once.
    assert_eq!((all_sizes.first(), all_sizes.last()), (Some(&vec![]), Some(&vec![3])));
    assert!(all_sizes.contains(&vec![2, 1]), "{all_sizes:?}");
}

#[tokio::test]
async fn a_batch_of_answers_in_another_form_is_not_asked_again_live() {
    let world = World::new();
    let text: Vec<_> = (0..24).map(|number| format!("Vārds{number} stāv.")).collect();
    let run = world.begin_as(&text.join(" "), 2).await;
    let fake = FakeProvider::start().await.unwrap();
    let model = "claude-haiku-5-5";
    let client = Arc::new(client(&fake, Wire::Anthropic, model, Some(Rung::Native), &world.clock));
    let by = Answerer { model: client.clone(), batches: Some(client) };
    fake.answering(|_| Step::from(Turn::says("{}")));
    let options = WorkOptions { sending: Sending::Batch, ..options() };
    let end = world.library.work(&run, &by, &options, Arc::new(|_| {})).await.unwrap();
    assert!(matches!(end, WorkEnd::Stopped { code: ErrorCode::UnusableAnswers, .. }), "{end:?}");
    assert_eq!(made(&fake), 1);
    assert!(fake.requests().iter().all(|request| request.path != "/v1/messages"));
}
