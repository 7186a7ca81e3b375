//! Two profiles as one: the voice of the base, the techniques of the other.

use serde_json::{Value, json};

use crate::lint::collides;
use crate::style::profile::{Profile, ProfileFault};

/// The result of mixing.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixed {
    pub profile: Profile,
    /// `mix:default+competitor-alex`
    pub used: String,
    /// Fields that came from the techniques.
    pub borrowed: Vec<String>,
    /// Hooks that were left out because the base avoids them.
    pub dropped: Vec<String>,
    /// How many of the profile's examples are the base's; the others follow them.
    pub base_examples: usize,
}

const VOICE_BORROWED: [&str; 2] = ["sentence_style", "paragraph_style"];

/// Mixes two profiles. `avoid` is the union of both.
pub fn mix(base: &Profile, techniques: &Profile) -> Result<Mixed, ProfileFault> {
    let mut value = base.value().clone();
    let from = techniques.value();
    let mut borrowed = Vec::new();
    for field in VOICE_BORROWED {
        if let Some(taken) = from.pointer(&format!("/voice/{field}")) {
            value["voice"][field] = taken.clone();
            borrowed.push(format!("voice.{field}"));
        }
    }
    let avoid = union(&base.voices("avoid"), &techniques.voices("avoid"));
    value["voice"]["avoid"] = json!(avoid);
    let (hooks, dropped): (Vec<&str>, Vec<&str>) =
        techniques.voices("hooks").into_iter().partition(|hook| !collides(hook, &avoid));
    if !hooks.is_empty() {
        value["voice"]["hooks"] = json!(hooks);
        borrowed.push("voice.hooks".to_owned());
    }
    if !techniques.voices("closings").is_empty() {
        value["voice"]["closings"] = json!(techniques.voices("closings"));
        borrowed.push("voice.closings".to_owned());
    }
    borrowed.extend(mix_platforms(&mut value, from));
    let both = base.value()["examples"].as_array().into_iter().flatten();
    let both = both.chain(from["examples"].as_array().into_iter().flatten());
    value["examples"] = Value::Array(both.cloned().collect());
    Ok(Mixed {
        profile: Profile::from_value(&value)?,
        used: format!("mix:{}+{}", base.name(), techniques.name()),
        borrowed,
        dropped: dropped.into_iter().map(str::to_owned).collect(),
        base_examples: base.examples().len(),
    })
}

/// The structure from the techniques, the smaller of both lengths; the rest stays the base's.
fn mix_platforms(value: &mut Value, from: &Value) -> Vec<String> {
    let mut borrowed = Vec::new();
    let Some(platforms) = value.get_mut("platforms").and_then(Value::as_object_mut) else {
        return borrowed;
    };
    for (name, rules) in platforms {
        let Some(other) = from.get("platforms").and_then(|all| all.get(name)) else { continue };
        if let Some(structure) = other.get("structure") {
            rules["structure"] = structure.clone();
            borrowed.push(format!("platforms.{name}.structure"));
        }
        let length = |rules: &Value| rules.get("max_length").and_then(Value::as_f64);
        if let (Some(own), Some(others)) = (length(rules), length(other))
            && others < own
            && let Some(length) = other.get("max_length")
        {
            rules["max_length"] = length.clone();
        }
    }
    borrowed
}

fn union(one: &[&str], other: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = one.iter().map(|rule| (*rule).to_owned()).collect();
    for rule in other {
        if !all.iter().any(|known| known == rule) {
            all.push((*rule).to_owned());
        }
    }
    all
}

#[cfg(test)]
mod tests;
