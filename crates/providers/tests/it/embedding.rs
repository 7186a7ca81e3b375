//! An embedding model of a provider that the page added, with its sealed key.

use contract::{Embedder as _, FaultKind};
use fake_providers::{FakeProvider, Turn};
use providers::EmbeddingModel;

use crate::world::{World, compatible};

const KEY: &str = "sk-0123456789-abcdefghij";

#[tokio::test]
async fn a_provider_of_the_page_embeds_with_its_key_until_it_is_removed() {
    let far = FakeProvider::compatible().await.unwrap();
    far.key(KEY).otherwise(Turn::says("OK")).meanings(&[&["car", "automobile"], &["cat"]]);
    let (world, address) = (World::new(), format!("{}/v1", far.base_url()));
    let providers = world.providers(Vec::new(), Vec::new());
    let model = EmbeddingModel::new(providers.clone(), "mine:nomic-embed-text");
    let texts = ["a cat".to_owned(), "one automobile".to_owned()];
    let fault = model.embed(&texts).await.unwrap_err();
    assert_eq!(fault.kind, FaultKind::UnknownModel);
    assert!(fault.message.contains("there is no provider `mine`"), "{}", fault.message);
    providers.keep("mine", compatible(&address, Some(KEY))).await.unwrap();
    let embedded = model.embed(&texts).await.unwrap();
    // The server answers in another order; the numbers of the vectors count.
    assert_eq!(embedded.vectors, [[0.0, 1.0, 0.1], [1.0, 0.0, 0.1]]);
    assert_eq!(embedded.tokens, Some(6));
    assert_eq!(far.embedded(), [texts.to_vec()]);
    providers.remove("mine").await.unwrap();
    assert!(model.embed(&texts).await.is_err());
}
