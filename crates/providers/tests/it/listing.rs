//! The list of models: what each can do, and what is missing from it.

use contract::Secret;
use fake_providers::{FakeProvider, Turn};
use models::{Key, Provider};
use providers::ConfiguredProvider;

use crate::world::{World, compatible};

#[tokio::test]
async fn the_list_says_what_each_model_can_do_and_keeps_the_stand_in() {
    let far = FakeProvider::start().await.unwrap();
    let world = World::new();
    let key = || Key::Given(Secret::new("sk-test"));
    let anthropic = Provider { base_url: far.base_url(), ..Provider::anthropic(key()) };
    let openai = Provider { base_url: format!("{}/v1", far.base_url()), ..Provider::openai(key()) };
    let missing = Provider::gemini(Key::Missing);
    let configured = [anthropic, openai, missing]
        .map(|provider| ConfiguredProvider { provider, first_model: None });
    let providers = world.providers(configured.into(), Vec::new());
    let list = providers.models(false).await;
    let find = |id: &str| list.models.iter().find(|line| line.id == id).unwrap();
    let opus = find("anthropic:claude-opus-5-5");
    assert_eq!((opus.tools, opus.pictures, opus.thinking), (Some(true), Some(true), Some(true)));
    assert_eq!((opus.window, opus.sampling), (Some(1_000_000), false));
    let price = opus.price.unwrap();
    assert_eq!((price.input, price.output), (4.0, 20.0));
    let gpt = find("openai:gpt-4o");
    assert_eq!((gpt.sampling, gpt.thinking), (true, Some(false)));
    let stand_in = find("rehearsal");
    assert!(stand_in.stand_in);
    assert!(!list.models.iter().any(|line| line.provider == "gemini"));
    assert_eq!((list.server_default.as_str(), list.faults.len()), ("rehearsal", 0));
    // Asked once; a second look is answered from memory.
    let asked = far.requests().len();
    providers.models(false).await;
    assert_eq!(far.requests().len(), asked);
    providers.models(true).await;
    assert!(far.requests().len() > asked);
}

#[tokio::test]
async fn a_provider_that_does_not_answer_is_named_and_the_others_are_listed() {
    let far = FakeProvider::compatible().await.unwrap();
    far.otherwise(Turn::says("OK"));
    let world = World::new();
    let dead = Provider::compatible("dead", "http://127.0.0.1:9/v1", Key::NotNeeded);
    let configured = vec![ConfiguredProvider { provider: dead, first_model: Some("x".into()) }];
    let providers = world.providers(configured, Vec::new());
    let address = format!("{}/v1", far.base_url());
    let kept = providers.keep("mine", compatible(&address, None)).await.unwrap();
    let list = providers.models(false).await;
    assert_eq!(list.faults.len(), 1);
    assert_eq!(list.faults[0].provider, "dead");
    assert!(list.models.iter().any(|line| line.id == "dead:x"));
    assert!(list.models.iter().any(|line| line.id == kept.asked));
    assert_eq!(list.server_default, kept.asked);
}
