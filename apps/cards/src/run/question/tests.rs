//! The output limits of one sentence over several retries.

use contract::{ModelFacts, Rung};

use super::asked_with;
use crate::model::ask_settings::AskSettings;
use crate::model::prompt::NumberedSentence;
use crate::run::event::{RunEvent, Spent};
use crate::run::handle_answer::{LimitStep, SentenceGroup};
use crate::run::run_info::{RUN_VERSION, RunInfo};
use crate::run::snapshot::Snapshot;
use crate::text::manifest::{Chunking, Manifest};

fn snapshot() -> Snapshot {
    let (from, source) = ("lv".parse().unwrap(), "Suns rej.");
    let manifest = Manifest::of(source, &from, "t", Chunking::usual());
    let head = RunInfo {
        id: "t-0".parse().unwrap(),
        document: "t".to_owned(),
        from,
        to: "ru".parse().unwrap(),
        engine: manifest.engine,
        sentences: 1,
        source_bytes: source.len(),
        created_at: 0,
        owner: None,
        version: RUN_VERSION,
    };
    Snapshot::new(head, source.to_owned(), manifest)
}

fn facts(output_tokens_max: Option<u32>) -> ModelFacts {
    ModelFacts {
        provider: "p".to_owned(),
        model: "m".to_owned(),
        wire: None,
        rungs: vec![Rung::Native],
        output_tokens_max,
    }
}

/// The limits of requests that are all cut off: a first one and a raised one at each retry.
fn limits(settings: &AskSettings, most: Option<u32>, retries: usize) -> Vec<u32> {
    let mut snapshot = snapshot();
    let lines = [NumberedSentence { index: 0, text: "Suns rej.", known_bytes: 0 }];
    let mut limits = Vec::new();
    for _ in 0..retries {
        for attempt in [LimitStep::First, LimitStep::Raised] {
            let group = SentenceGroup { sentences: vec![0], attempt };
            let with = asked_with(&snapshot, &group, &lines, settings, &facts(most));
            limits.push(with.output_tokens);
            snapshot.apply(RunEvent::Settled {
                at: 0,
                work: 0,
                results: Vec::new(),
                holes: Vec::new(),
                again: vec![0],
                spent: Spent::default(),
                attempts: Vec::new(),
                cut_at: Some(with.output_tokens),
                strays: 0,
            });
        }
    }
    limits
}

#[test]
fn every_retry_has_a_higher_limit_up_to_the_most_that_the_model_gives() {
    let usual = AskSettings::usual();
    assert_eq!(
        limits(&usual, Some(20_000), 4),
        [1_024, 2_048, 4_096, 8_192, 16_384, 20_000, 20_000, 20_000]
    );
    assert_eq!(limits(&usual, None, 3), [1_024, 2_048, 4_096, 8_192, 16_384, 32_768]);
    assert_eq!(limits(&usual, Some(512), 1), [512, 512]);
}

#[test]
fn an_operator_sets_the_first_limit_and_how_it_grows() {
    let settings =
        AskSettings { output_tokens: Some(500), output_tokens_bump: 3, ..AskSettings::usual() };
    assert_eq!(limits(&settings, None, 2), [500, 1_500, 4_500, 13_500]);
    let never = AskSettings { output_tokens_bump: 1, ..AskSettings::usual() };
    assert_eq!(limits(&never, None, 2), [1_024; 4]);
}
