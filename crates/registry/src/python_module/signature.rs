//! Compares the parameters of a function with its schema.

use serde_json::Value;

use super::Signature;

/// One way in which function and schema differ.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Mismatch {
    /// The function requires it, and the schema does not have it.
    NotInSchema(String),
    /// The schema requires it, and the function does not take it.
    NotTaken { name: String, near: Option<String> },
    /// The schema has it as optional, and the function does not take it.
    MayNotBeTaken { name: String, near: Option<String> },
    /// The schema has it as optional, and the function requires it.
    MayBeMissing(String),
}

pub(crate) fn mismatches(signature: &Signature, parameters: &Value) -> Vec<Mismatch> {
    let properties = parameters.get("properties").and_then(Value::as_object);
    let required = parameters.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|list| list.iter().any(|item| item == name));
    let mut found = Vec::new();
    for name in signature.required.iter().filter(|name| *name != "metadata") {
        match properties.and_then(|properties| properties.get(name)) {
            None => found.push(Mismatch::NotInSchema(name.clone())),
            Some(schema) if !is_required(name) && schema.get("default").is_none() => {
                found.push(Mismatch::MayBeMissing(name.clone()));
            }
            Some(_) => {}
        }
    }
    let taken = |name: &str| signature.parameters.iter().any(|parameter| parameter == name);
    for name in properties.into_iter().flat_map(|properties| properties.keys()) {
        if signature.var_keyword || taken(name) {
            continue;
        }
        let known = signature.parameters.iter().map(String::as_str);
        let near = contract::nearest(name, known).map(str::to_owned);
        let name = name.clone();
        found.push(match is_required(&name) {
            true => Mismatch::NotTaken { name, near },
            false => Mismatch::MayNotBeTaken { name, near },
        });
    }
    found
}
