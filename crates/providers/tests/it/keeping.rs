//! A key is kept only if it works, is sealed in the store, and is never shown again.

use contract::{Block, Message, Request, Secret, Wire};
use fake_providers::{FakeProvider, Turn};
use models::{Key, Provider};
use providers::{ConfiguredProvider, KeyFrom, NewProvider, ProviderFault, ProviderKind};

use crate::world::{World, compatible};

const KEY: &str = "sk-0123456789-abcdefghij";

fn hello() -> Request {
    let messages = vec![Message::user(vec![Block::text("Hello")])];
    Request { messages, output_tokens_max: Some(100), ..Request::default() }
}

#[tokio::test]
async fn a_key_is_tried_sealed_and_opened_by_the_next_process() {
    let far = FakeProvider::compatible().await.unwrap();
    far.key(KEY).otherwise(Turn::says("OK"));
    let (world, address) = (World::new(), format!("{}/v1", far.base_url()));
    let providers = world.providers(Vec::new(), Vec::new());
    let kept = providers.keep("mine", compatible(&address, Some(KEY))).await.unwrap();
    assert!(kept.asked.starts_with("mine:"), "{kept:?}");
    assert!(kept.models.len() > 1);
    let asked = far.requests();
    assert!(asked.iter().any(|one| one.path.ends_with("/chat/completions")), "a real request");
    let stored = world.stored().await;
    assert!(stored.contains("sealed") && !stored.contains(KEY), "{stored}");

    let next = world.providers(Vec::new(), Vec::new());
    let shown = next.providers().await.unwrap();
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0].key_end.as_deref(), Some("••••ghij"));
    assert_eq!((shown[0].key_from, shown[0].of_page), (KeyFrom::Page, true));
    let printed = format!("{shown:?} {kept:?}");
    assert!(!printed.contains(KEY), "{printed}");
    let model = next.open(&kept.asked).await;
    assert_eq!(model.ask(&hello(), &mut |_| {}).await.unwrap().text(), "OK");
    assert_eq!(next.default_model().await.facts().to_string(), kept.asked);
}

#[tokio::test]
async fn a_key_that_the_provider_refuses_is_not_kept_and_not_repeated() {
    let far = FakeProvider::compatible().await.unwrap();
    far.key("sk-right").otherwise(Turn::says("OK"));
    let (world, address) = (World::new(), format!("{}/v1", far.base_url()));
    let providers = world.providers(Vec::new(), Vec::new());
    let fault = providers.keep("mine", compatible(&address, Some(KEY))).await.unwrap_err();
    let told = format!("{fault} {} {fault:?}", fault.fix());
    assert!(matches!(fault, ProviderFault::Refused(_)), "{told}");
    assert!(!told.contains(KEY), "{told}");
    assert_eq!(world.stored().await, "");
    assert_eq!(providers.default_model().await.facts().to_string(), "rehearsal");
}

#[tokio::test]
async fn every_wire_can_be_added() {
    let far = FakeProvider::start().await.unwrap();
    far.key(KEY).otherwise(Turn::says("OK"));
    let world = World::new();
    let providers = world.providers(Vec::new(), Vec::new());
    let base = far.base_url();
    for (kind, wire, path) in [
        (ProviderKind::Anthropic, None, ""),
        (ProviderKind::OpenAi, None, "/v1"),
        (ProviderKind::Gemini, None, "/v1beta"),
        (ProviderKind::Compatible, Some(Wire::Anthropic), ""),
        (ProviderKind::Compatible, Some(Wire::Responses), "/v1"),
        (ProviderKind::Compatible, Some(Wire::Gemini), "/v1beta"),
    ] {
        let (address, key) = (Some(format!("{base}{path}")), Some(Secret::new(KEY)));
        let new = NewProvider { kind, wire, address, key, model: None };
        let name = kind.usual_name();
        let kept = providers.keep(name, new).await;
        let kept = kept.unwrap_or_else(|fault| panic!("{kind:?} {wire:?}: {fault}"));
        assert!(kept.asked.starts_with(&format!("{name}:")), "{kept:?}");
    }
}

#[tokio::test]
async fn a_key_of_the_environment_wins_and_a_missing_one_is_filled() {
    let far = FakeProvider::start().await.unwrap();
    far.key(KEY).otherwise(Turn::says("OK"));
    let world = World::new();
    let at = |provider: Provider| Provider { base_url: far.base_url(), ..provider };
    let configured = |key: Key| {
        let provider = at(Provider::anthropic(key));
        vec![ConfiguredProvider { provider, first_model: None }]
    };
    let new = || NewProvider {
        kind: ProviderKind::Anthropic,
        wire: None,
        address: Some("http://127.0.0.1:9/elsewhere".to_owned()),
        key: Some(Secret::new(KEY)),
        model: None,
    };
    let set = world.providers(configured(Key::Given(Secret::new("sk-env"))), Vec::new());
    let fault = set.keep("anthropic", new()).await.unwrap_err();
    assert!(matches!(fault, ProviderFault::Configured(_)), "{fault}");
    let unset = world.providers(configured(Key::Missing), Vec::new());
    assert!(unset.why_gone("anthropic:claude-haiku-5-5").await.is_some());
    // The settings say where the key of their provider goes, whatever was typed.
    let kept = unset.keep("anthropic", new()).await.unwrap();
    assert_eq!(kept.asked, "anthropic:claude-haiku-5-5");
    assert_eq!(unset.why_gone(&kept.asked).await, None);
    let shown = set.providers().await.unwrap();
    assert_eq!((shown[0].key_from, shown[0].of_page), (KeyFrom::Environment, false));
    assert_eq!(shown[0].key_name.as_deref(), Some("ANTHROPIC_API_KEY"));
    // At another address the key stays sealed.
    let elsewhere =
        Provider { base_url: "http://127.0.0.1:9".into(), ..Provider::anthropic(Key::Missing) };
    let moved = vec![ConfiguredProvider { provider: elsewhere, first_model: None }];
    let moved = world.providers(moved, Vec::new());
    let because = moved.why_gone(&kept.asked).await.unwrap();
    assert!(because.contains("another address"), "{because}");
}

#[tokio::test]
async fn a_provider_is_removed_with_its_key_and_its_models_are_gone() {
    let far = FakeProvider::compatible().await.unwrap();
    far.otherwise(Turn::says("OK"));
    let (world, address) = (World::new(), format!("{}/v1", far.base_url()));
    let providers = world.providers(Vec::new(), Vec::new());
    let kept = providers.keep("mine", compatible(&address, Some(KEY))).await.unwrap();
    // The same address again needs no key.
    let again = NewProvider { model: Some("other".into()), ..compatible(&address, None) };
    assert_eq!(providers.keep("mine", again).await.unwrap().asked, "mine:other");
    providers.remove("mine").await.unwrap();
    assert_eq!(world.stored().await, "");
    let because = providers.why_gone(&kept.asked).await.unwrap();
    assert_eq!(because, "there is no provider `mine`");
    let fault = providers.open(&kept.asked).await.ask(&hello(), &mut |_| {}).await.unwrap_err();
    assert!(fault.message.contains("is not available"), "{fault:?}");
    assert!(matches!(providers.remove("mine").await, Err(ProviderFault::Unknown(_))));
}

#[tokio::test]
async fn what_cannot_be_a_provider_is_refused_before_anything_is_sent() {
    let world = World::new();
    let providers = world.providers(Vec::new(), Vec::new());
    for (name, address, key, expected) in [
        ("Mine", "http://127.0.0.1:9/v1", None, "cannot be the name"),
        ("rehearsal", "http://127.0.0.1:9/v1", None, "cannot be the name"),
        ("mine", "http://169.254.169.254/v1", None, "link-local"),
        ("mine", "http://example.com/v1", Some(KEY), "unencrypted"),
        ("mine", "http://127.0.0.1:9/v1", Some("sk with spaces"), "plain characters"),
        ("mine", "", None, "an address"),
    ] {
        let fault = providers.keep(name, compatible(address, key)).await.unwrap_err();
        assert!(fault.to_string().contains(expected), "{name} {address}: {fault}");
        assert!(!fault.fix().is_empty());
    }
    let new = NewProvider { kind: ProviderKind::OpenAi, ..compatible("http://127.0.0.1:9", None) };
    let fault = providers.keep("openai", new).await.unwrap_err();
    assert_eq!(fault.to_string(), "this provider needs a key");
}
