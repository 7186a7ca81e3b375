//! Fifty tool schemas that break transformers, each with instances to accept and to reject.

use serde_json::Value;

/// One schema with what must hold for it.
#[derive(Debug, Clone)]
pub struct Case {
    pub name: String,
    pub schema: Value,
    /// Arguments that the contract accepts.
    pub accept: Vec<Value>,
    /// Arguments that the contract refuses.
    pub reject: Vec<Value>,
    /// What was recorded per target: `raw` (what the provider does) and `fate`.
    pub expected: Value,
}

/// All cases.
pub fn cases() -> Vec<Case> {
    let text = include_str!("../corpus/tricky-schemas.json");
    let corpus: Value = serde_json::from_str(text).unwrap_or_default();
    let list = |case: &Value, name: &str| case[name].as_array().cloned().unwrap_or_default();
    let case = |case: &Value| Case {
        name: case["name"].as_str().unwrap_or_default().to_owned(),
        schema: case["schema"].clone(),
        accept: list(case, "accept"),
        reject: list(case, "reject"),
        expected: case["expected"].clone(),
    };
    corpus["cases"].as_array().into_iter().flatten().map(case).collect()
}
