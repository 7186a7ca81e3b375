//! FC-09, FC-10, FC-11, FC-13, FC-14, FC-23, FC-25: interactive runs and their faults.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cancel::Cancel;
use cards::{ErrorCode, RetryScope, RunEvent, Sending, WorkEnd, WorkOptions};
use contract::{FaultKind, ModelFacts, ModelFault, Rung, Usage};
use models::Cost;
use testkit::script::{ScriptedModel, Step, fails, says};

use crate::world::{World, asked, cut, good, model, options, sent};

const TEXT: &str = "Suns rej. Kaķis skrien. Putns dzied. Zivs peld.\n\nLācis guļ. Vilks gaudo.";

fn fault(kind: FaultKind, status: u16) -> ModelFault {
    ModelFault {
        kind,
        message: format!("the far side says {status}"),
        fix: "wait".to_owned(),
        status: Some(status),
        retry_after: None,
    }
}

#[tokio::test]
async fn a_text_becomes_cards_in_the_order_of_the_text() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let model = model(good);
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    assert_eq!(sent(&model), [vec![0, 1, 2, 3], vec![4, 5]]);
    assert_eq!(world.told(&run).await[4], "4 Received Перевод 4.");
    let deck = world.library.deck(&run, cards::ContextsMax::USUAL).await.unwrap();
    let words: Vec<_> = deck.cards.iter().map(|card| card.card.base_form.as_str()).collect();
    assert_eq!(words, ["suns", "kaķis", "putns", "zivs", "lācis", "vilks"]);
    // The text of a context comes from the manifest, never from the model.
    assert_eq!(deck.cards[4].card.contexts[0].text, "Lācis guļ.");
    let counts = world.library.counts(&run).await.unwrap();
    assert_eq!((counts.words, counts.sentences, counts.phrases), (12, 6, 0));
    // Working again sends nothing.
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn fc_04_nothing_but_the_question_is_sent_and_its_beginning_never_changes() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let model = model(good);
    world.work(&run, &model).await;
    let requests = model.requests();
    for request in &requests {
        assert_eq!(request.messages.len(), 1, "no result is sent back");
        assert!(request.server_tools.is_empty() && request.tools.is_empty());
        assert_eq!(request.system, requests[0].system);
        assert_eq!(request.shape, requests[0].shape);
    }
}

#[tokio::test]
async fn fc_09_a_cut_answer_keeps_what_is_whole_and_only_the_rest_is_asked_in_halves() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let model = model(|sentences| match sentences.len() {
        4 => cut(&sentences[..3]),
        _ => good(sentences),
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    // The two that are not certain, with twice the limit.
    let expected: [&[usize]; 3] = [&[0, 1, 2, 3], &[2, 3], &[4, 5]];
    assert_eq!(sent(&model), expected);
    assert_eq!(limits(&model)[1], limits(&model)[0] * 2, "one bump");
    assert_eq!(world.told(&run).await.len(), 6);
}

fn limits(model: &ScriptedModel) -> Vec<u32> {
    model.requests().iter().map(|request| request.output_tokens_max.unwrap()).collect()
}

#[tokio::test]
async fn fc_09_what_is_cut_again_is_split_with_the_same_limit() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let model = model(|sentences| match sentences.len() {
        1 | 2 => good(sentences),
        _ => cut(&sentences[..1]),
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    let expected: [&[usize]; 5] = [&[0, 1, 2, 3], &[0, 1, 2, 3], &[0, 1], &[2, 3], &[4, 5]];
    assert_eq!(sent(&model), expected);
    let raised = limits(&model)[0] * 2;
    assert_eq!(limits(&model)[1..4], [raised; 3]);
}

#[tokio::test]
async fn fc_09_every_retry_raises_the_limit_of_a_sentence_up_to_the_models_own() {
    let world = World::new();
    let run = world.begin("Suns rej. Kaķis skrien.").await;
    let facts = ModelFacts {
        provider: "script".to_owned(),
        model: "scripted".to_owned(),
        wire: None,
        rungs: vec![Rung::Native],
        output_tokens_max: Some(20_000),
    };
    let answer = |request: &contract::Request| {
        let sentences = asked(request);
        match sentences.iter().any(|(index, _)| *index == 0) {
            true => cut(&sentences[..1]),
            false => good(&sentences),
        }
    };
    let model = Arc::new(ScriptedModel::answering(answer).with_facts(facts));
    assert_eq!(world.work(&run, &model).await, WorkEnd::Holes(1));
    let mut seen = model.requests().len();
    let mut raised = Vec::new();
    for _ in 0..3 {
        world.library.retry(&run, &RetryScope::Holes).await.unwrap();
        assert_eq!(world.work(&run, &model).await, WorkEnd::Holes(1));
        raised.push(limits(&model)[seen..].to_vec());
        seen = model.requests().len();
    }
    assert_eq!(raised, [vec![4_096, 8_192], vec![16_384, 20_000], vec![20_000]]);
    let views = world.library.sentences(&run, "en").await.unwrap();
    let message = views[0].trouble.as_ref().unwrap().message.clone().unwrap();
    assert!(message.ends_with("the model gives no more"), "{message}");
}

#[tokio::test]
async fn fc_09_a_sentence_that_is_always_cut_is_a_hole_exactly_there_with_what_came_whole() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let bad = |sentences: &[(usize, String)]| sentences.iter().any(|(index, _)| *index == 2);
    let model = model(move |sentences| match bad(sentences) {
        true => cut(&sentences[..1]),
        false => good(sentences),
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Holes(1));
    let told = world.told(&run).await;
    assert_eq!(told[1], "1 Received Перевод 1.");
    assert_eq!(told[2], "2 Invalid MAX_TOKENS Перевод 2.");
    assert_eq!(told[3], "3 Received Перевод 3.");
    let deck = world.library.deck(&run, cards::ContextsMax::USUAL).await.unwrap();
    assert!(deck.cards.iter().any(|card| card.card.base_form == "putns"), "complete cards stay");
    let view = world.library.view(&run, "uk").await.unwrap();
    assert!(view.partial);
    assert_eq!(view.progress.state, cards::RunState::PartlyReady);
    assert_eq!(view.trouble.unwrap().code, ErrorCode::Holes);
}

#[tokio::test]
async fn fc_10_a_retry_is_glued_into_its_place_and_the_others_stay_byte_for_byte() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let refusing = model(|sentences| match sentences.iter().any(|(index, _)| *index == 1) {
        true => Step::new().refuses("no"),
        false => good(sentences),
    });
    assert_eq!(world.work(&run, &refusing).await, WorkEnd::Holes(1));
    let before = world.library.sentences(&run, "en").await.unwrap();
    assert_eq!(before[1].trouble.as_ref().unwrap().code, ErrorCode::Refused);
    assert_eq!(world.library.retry(&run, &RetryScope::Holes).await.unwrap(), 1);
    let model = model(good);
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    assert_eq!(sent(&model), [[1]]);
    let after = world.library.sentences(&run, "en").await.unwrap();
    for (index, view) in after.iter().enumerate().filter(|(index, _)| *index != 1) {
        assert_eq!(
            serde_json::to_string(view).unwrap(),
            serde_json::to_string(&before[index]).unwrap()
        );
    }
    assert_eq!(after[1].translation.as_deref(), Some("Перевод 1."));
}

#[tokio::test]
async fn fc_25_the_sentences_of_a_card_are_asked_again_and_its_old_cards_stay_until_then() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    world.work(&run, &model(good)).await;
    let key = "lv:ru:word:putns".parse().unwrap();
    assert_eq!(world.library.regenerate(&run, &key).await.unwrap(), 1);
    assert!(world.library.card(&run, &key).await.is_ok());
    let better = model(|sentences| {
        let mut answer = crate::world::answer(sentences);
        answer["flashcards"][0]["base_translation"] = "птица".into();
        says(&answer.to_string())
    });
    assert_eq!(world.work(&run, &better).await, WorkEnd::Ready);
    let card = world.library.card(&run, &key).await.unwrap();
    assert_eq!(card.card.base_translation.as_deref(), Some("птица"));
    assert!(world.library.regenerate(&run, &"lv:ru:word:nav".parse().unwrap()).await.is_err());
}

#[tokio::test]
async fn bad_json_is_repaired_once_then_halved() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let model = model(|sentences| match sentences.iter().any(|(index, _)| *index == 3) {
        true => says("{\"flashcards\": [nonsense"),
        false => good(sentences),
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Holes(1));
    assert_eq!(world.told(&run).await[3], "3 Invalid BAD_JSON");
    let requests = model.requests();
    assert_eq!(requests[1].messages.len(), 3, "the second request says what was wrong");
}

#[tokio::test]
async fn a_sentence_that_a_whole_answer_leaves_out_is_asked_about_alone() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let model = model(|sentences| match sentences.len() {
        4 => good(&[sentences[0].clone(), sentences[1].clone(), sentences[3].clone()]),
        _ => good(sentences),
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    let expected: [&[usize]; 3] = [&[0, 1, 2, 3], &[2], &[4, 5]];
    assert_eq!(sent(&model), expected);
}

#[tokio::test]
async fn fc_13_a_busy_provider_is_waited_for_as_it_says() {
    let world = World::new();
    let run = world.begin("Suns rej.").await;
    let tries = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&tries);
    let model = model(move |sentences| match count.fetch_add(1, Ordering::SeqCst) {
        0 => fails(ModelFault {
            retry_after: Some(Duration::from_secs(7)),
            ..fault(FaultKind::RateLimited, 429)
        }),
        1 => fails(fault(FaultKind::Overloaded, 529)),
        _ => good(sentences),
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    let sleeps = world.clock.sleeps.lock().unwrap().clone();
    assert_eq!(sleeps, [Duration::from_secs(7), Duration::from_millis(1_750)]);
}

#[tokio::test]
async fn a_provider_that_stays_away_stops_the_run_and_nothing_becomes_a_hole() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    for (kind, status, code) in [
        (FaultKind::RateLimited, 429, ErrorCode::RateLimit),
        (FaultKind::Overloaded, 529, ErrorCode::Overloaded),
        (FaultKind::WrongKey, 401, ErrorCode::AuthError),
        (FaultKind::SpendCap, 402, ErrorCode::QuotaExhausted),
    ] {
        let model = model(move |_| fails(fault(kind, status)));
        let end = world.work(&run, &model).await;
        assert!(matches!(&end, WorkEnd::Stopped { code: found, .. } if *found == code), "{end:?}");
        assert!(world.told(&run).await.iter().all(|line| line.ends_with("Pending")));
        assert_eq!(world.library.view(&run, "en").await.unwrap().trouble.unwrap().code, code);
    }
    assert_eq!(world.work(&run, &model(good)).await, WorkEnd::Ready);
}

#[tokio::test]
async fn a_request_that_is_too_large_is_halved() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let model = model(|sentences| match sentences.len() {
        1..=2 => good(sentences),
        _ => fails(fault(FaultKind::TooLarge, 413)),
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    let expected: [&[usize]; 4] = [&[0, 1, 2, 3], &[0, 1], &[2, 3], &[4, 5]];
    assert_eq!(sent(&model), expected);
}

#[tokio::test]
async fn fc_14_refusals_long_contexts_and_pauses_have_outcomes_of_their_own() {
    use contract::StopReason;
    let check = async |step: fn() -> Step, expected: ErrorCode| {
        let world = World::new();
        let run = world.begin("Suns rej.").await;
        assert_eq!(world.work(&run, &model(move |_| step())).await, WorkEnd::Holes(1));
        let views = world.library.sentences(&run, "en").await.unwrap();
        assert_eq!(views[0].trouble.as_ref().unwrap().code, expected);
    };
    check(|| Step::new().refuses("I will not"), ErrorCode::Refused).await;
    check(|| says("…").stopping(StopReason::ContextExceeded), ErrorCode::ContextExceeded).await;
    check(|| says("…").stopping(StopReason::PauseTurn), ErrorCode::Paused).await;
    check(|| says("Here are your cards!"), ErrorCode::BadJson).await;
}

fn priced(
    answer: impl Fn(&[(usize, String)]) -> Step + Send + Sync + 'static,
) -> Arc<ScriptedModel> {
    let facts = ModelFacts {
        provider: "anthropic".to_owned(),
        model: "claude-sonnet-5-5".to_owned(),
        wire: None,
        rungs: vec![Rung::Native],
        output_tokens_max: None,
    };
    let usage = Usage { input: 1_000, output: 1_000, ..Usage::default() };
    let answer = move |request: &contract::Request| answer(&asked(request)).using(usage);
    Arc::new(ScriptedModel::answering(answer).with_facts(facts))
}

#[tokio::test]
async fn fc_23_the_cost_is_estimated_before_and_never_exceeds_the_cap() {
    let world = World::new();
    let text: Vec<_> = (0..40).map(|number| format!("Suns rej {number} reizes.")).collect();
    let run = world.begin_as(&text.join(" "), 1).await;
    let model = priced(good);
    let facts = contract::Model::facts(&*model).clone();
    let estimate = world.library.estimate(&run, &facts, Sending::Live).await.unwrap();
    assert_eq!((estimate.sentences, estimate.requests), (40, 40));
    assert!(estimate.cost.unwrap() > Cost::default());
    let batch = world.library.estimate(&run, &facts, Sending::Batch).await.unwrap();
    assert!(batch.cost.unwrap() < estimate.cost.unwrap());
    // Each answer costs 1.2 cents, and may cost a little more.
    let cap = Cost { picodollars: 100_000_000_000 };
    let capped = WorkOptions { cost_max: Some(cap), requests_at_once_max: 3, ..options() };
    let (end, seen) = world.work_with(&run, &model, capped.clone()).await;
    assert!(matches!(end, WorkEnd::Stopped { code: ErrorCode::MoneyCap, .. }), "{end:?}");
    let last = seen.last().unwrap();
    assert!(last.cost().unwrap() <= cap, "{:?}", last.cost());
    assert!(last.received >= 5 && last.waiting > 0, "{last:?}");
    assert_eq!(last.in_flight, 0);
    // The cap is for the whole run: going on with the same one sends nothing.
    let requests = model.requests().len();
    let (end, _) = world.work_with(&run, &model, capped).await;
    assert!(matches!(end, WorkEnd::Stopped { code: ErrorCode::MoneyCap, .. }));
    assert_eq!(model.requests().len(), requests);
    let enough = Cost { picodollars: 10_000_000_000_000 };
    let raised = WorkOptions { cost_max: Some(enough), ..options() };
    assert_eq!(world.work_with(&run, &model, raised).await.0, WorkEnd::Ready);
    assert_eq!(model.requests().len(), 40);
}

#[tokio::test]
async fn fc_23_the_cap_holds_for_retries_that_name_none() {
    let world = World::new();
    let text: Vec<_> = (0..9).map(|number| format!("Suns rej {number} reizes.")).collect();
    let run = world.begin_as(&text.join(" "), 1).await;
    let model = priced(good);
    // Enough for one answer, which costs 1.2 cents, and not for the next.
    let cap = Cost { picodollars: 20_000_000_000 };
    let capped = WorkOptions { cost_max: Some(cap), ..options() };
    world.work_with(&run, &model, capped).await;
    let (end, seen) = world.work_with(&run, &model, options()).await;
    assert!(matches!(end, WorkEnd::Stopped { code: ErrorCode::MoneyCap, .. }), "{end:?}");
    assert!(seen.last().unwrap().cost().unwrap() <= cap);
    let view = world.library.view(&run, "en").await.unwrap();
    assert!((view.cost_max.unwrap() - 0.02).abs() < 1e-9);
    let raised = Cost { picodollars: 1_000_000_000_000 };
    let (end, _) =
        world.work_with(&run, &model, WorkOptions { cost_max: Some(raised), ..options() }).await;
    assert_eq!(end, WorkEnd::Ready);
}

#[tokio::test]
async fn a_model_that_answers_in_another_form_is_stopped_after_ten_answers() {
    let world = World::new();
    let text: Vec<_> = (0..14).map(|number| format!("Suns rej {number} reizes.")).collect();
    for (at_once, answer) in [(1, "{}"), (4, "{}"), (4, "{\"flashcards\": []}"), (4, "Sure!")] {
        let run = world.begin_as(&format!("{at_once} {answer} {}", text.join(" ")), 10).await;
        let model = model(move |_| says(answer));
        let options = WorkOptions { requests_at_once_max: at_once, ..options() };
        let (end, _) = world.work_with(&run, &model, options).await;
        let stopped = matches!(&end, WorkEnd::Stopped { code: ErrorCode::UnusableAnswers, message }
                if message.contains("answers in a row could not be used"));
        assert!(stopped, "{end:?}");
        let requests = model.requests().len();
        // Those that were under way are still read; a model that ignores a way to answer is
        // asked in another one first.
        assert!((10..=18).contains(&requests), "{answer}: {requests} requests");
        let told = world.told(&run).await;
        assert!(told.iter().all(|line| line.ends_with("Pending")), "{told:?}");
    }
}

#[tokio::test]
async fn one_sentence_that_never_works_does_not_stop_the_run() {
    let text: Vec<_> = (0..30).map(|number| format!("Vārds{number} stāv.")).collect();
    for bad in [0, 9, 15, 29] {
        let world = World::new();
        let run = world.begin_as(&text.join(" "), 10).await;
        let model = model(move |sentences| match sentences.iter().any(|(at, _)| *at == bad) {
            true => says("{}"),
            false => good(sentences),
        });
        assert_eq!(world.work(&run, &model).await, WorkEnd::Holes(1), "{bad}");
        assert!(world.told(&run).await[bad].contains("Invalid BAD_JSON"), "{bad}");
    }
}

#[tokio::test]
async fn fc_08_cards_for_sentences_that_nobody_asked_about_are_counted_and_left_out() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let model = model(|sentences| {
        let mut answer = crate::world::answer(sentences);
        let stray = crate::world::card(99, "Svešs vārds.");
        answer["flashcards"].as_array_mut().unwrap().push(stray);
        says(&answer.to_string())
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    assert_eq!(world.library.view(&run, "en").await.unwrap().metrics.unknown, 2);
    let deck = world.library.deck(&run, cards::ContextsMax::USUAL).await.unwrap();
    assert!(deck.cards.iter().all(|card| card.card.base_form != "svešs"));
}

#[tokio::test]
async fn a_sentence_without_cards_is_called_that() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let model = model(|sentences| {
        let known: Vec<_> = sentences.iter().filter(|(index, _)| *index != 2).cloned().collect();
        good(&known)
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Holes(1));
    assert_eq!(world.told(&run).await[2], "2 Invalid NO_CARDS");
}

#[tokio::test]
async fn a_cancelled_run_goes_on_where_it_was() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let cancel = Cancel::default();
    let thrown = cancel.clone();
    let model = model(move |sentences| {
        if sentences.iter().any(|(index, _)| *index == 4) {
            thrown.cancel();
        }
        good(sentences)
    });
    let (end, _) = world.work_with(&run, &model, WorkOptions { cancel, ..options() }).await;
    assert!(matches!(end, WorkEnd::Cancelled | WorkEnd::Ready), "{end:?}");
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    assert!(sent(&model).iter().filter(|sentences| sentences.contains(&0)).count() == 1);
}

#[tokio::test]
async fn one_process_works_on_a_run_at_a_time() {
    let world = World::new();
    let run = world.begin("Suns rej.").await;
    let gate = testkit::Gate::new();
    let door = gate.clone();
    let waiting = model(move |sentences| {
        Step::new().waits(&door).says(&crate::world::answer(sentences).to_string())
    });
    let first = world.work(&run, &waiting);
    let second = async {
        gate.reached().await;
        let held = world.library.retry(&run, &RetryScope::Holes).await;
        assert!(matches!(held, Err(cards::CardsFault::Held { .. })), "{held:?}");
        gate.open();
    };
    let (end, ()) = tokio::join!(first, second);
    assert_eq!(end, WorkEnd::Ready);
    assert_eq!(world.library.retry(&run, &RetryScope::Holes).await.unwrap(), 0);
}

#[tokio::test]
async fn the_log_tells_what_happened_to_every_sentence() {
    let world = World::new();
    let run = world.begin(&format!("{TEXT} * * *")).await;
    world.work(&run, &model(good)).await;
    let events = world.library.events(&run).await.unwrap();
    for index in 0..6 {
        let sent = events.iter().filter(
            |event| matches!(event, RunEvent::Sent { sentences, .. } if sentences.contains(&index)),
        );
        assert_eq!(sent.count(), 1);
    }
    let skipped = |event: &RunEvent| matches!(event, RunEvent::Skipped { sentences, .. } if sentences == &[6]);
    assert!(events.iter().any(skipped), "what has no words is not sent");
    assert!(matches!(events.last(), Some(RunEvent::Completed { .. })));
}

#[tokio::test]
async fn without_a_key_the_stand_in_makes_cards_of_every_word() {
    let world = World::new();
    let run = world.begin(TEXT).await;
    let by = cards::Answerer { model: Arc::new(cards::OfflineModel::default()), batches: None };
    let end = world.library.work(&run, &by, &options(), Arc::new(|_| {})).await.unwrap();
    assert_eq!(end, WorkEnd::Ready);
    let deck = world.library.deck(&run, cards::ContextsMax::USUAL).await.unwrap();
    assert_eq!(deck.cards.len(), 12);
    assert_eq!(deck.cards[0].card.base_translation.as_deref(), Some(cards::REHEARSED));
}

#[tokio::test]
async fn what_is_no_text_is_refused_before_anything_is_written() {
    let world = World::new();
    let beginning = cards::NewRun {
        document: "x".to_owned(),
        pair: crate::world::pair(),
        chunking: cards::Chunking::usual(),
    };
    assert!(world.library.begin(" \n", &beginning).await.is_err());
    assert!(world.library.runs().await.unwrap().is_empty());
    assert!(matches!(world.library.find(None).await, Err(cards::CardsFault::NoRuns)));
}
