//! Entries as each provider and server writes them.

use serde_json::{Value, json};

use super::{ListedPrice, SaidFacts};

#[track_caller]
fn check(entry: Value, expected: SaidFacts) {
    assert_eq!(SaidFacts::read(&entry), expected, "{entry}");
}

#[test]
fn every_provider_says_it_in_its_own_words() {
    let nothing = SaidFacts::default();
    check(json!({"id": "gpt-5.4", "object": "model", "owned_by": "openai"}), nothing.clone());
    check(
        json!({"id": "claude-a", "type": "model", "max_input_tokens": 1_000_000,
            "max_tokens": 128_000, "capabilities": {"image_input": {"supported": true},
            "thinking": {"supported": false}}}),
        SaidFacts {
            window: Some(1_000_000),
            output_tokens_max: Some(128_000),
            pictures: Some(true),
            thinking: Some(false),
            ..nothing
        },
    );
    check(
        json!({"name": "models/gemini-a", "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536,
            "supportedGenerationMethods": ["embedContent"], "thinking": true}),
        SaidFacts {
            window: Some(1_048_576),
            output_tokens_max: Some(65_536),
            thinking: Some(true),
            chats: Some(false),
            ..nothing
        },
    );
    check(
        json!({"id": "a/b", "context_length": 131_072, "supported_parameters": ["tools", "seed"],
            "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
            "pricing": {"prompt": "0.0000025", "completion": "0.00001"}}),
        SaidFacts {
            window: Some(131_072),
            tools: Some(true),
            pictures: Some(true),
            thinking: Some(false),
            chats: Some(true),
            price: Some(ListedPrice {
                input_picodollars: 2_500_000,
                output_picodollars: 10_000_000,
            }),
            ..nothing
        },
    );
    check(
        json!({"id": "qwen", "meta": {"n_ctx_train": 32_768}}),
        SaidFacts { window: Some(32_768), ..nothing },
    );
    check(
        json!({"id": "nomic", "type": "embeddings", "max_context_length": 2_048}),
        SaidFacts { window: Some(2_048), chats: Some(false), ..nothing },
    );
    check(json!({"id": "x", "pricing": {"prompt": "-1", "completion": "0"}}), nothing);
}
