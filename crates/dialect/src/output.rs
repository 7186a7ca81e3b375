//! Compiles the schema of a structured answer for each provider's own field.
//!
//! In: a schema of any draft and a [`Target`]. Out: a [`CompiledOutput`] with the part of
//! the request, or why there is none. Must hold: the same compiler as for tools; only the
//! location and the root differ.

use serde_json::{Map, Value, json};

use crate::compile::{Compiled, Enforcement, compile_output_schema, identified, within_limits};
use crate::loss::{Loss, LossKind};
use crate::lower::RootRule;
use crate::plan::Plan;
use crate::target::{OutputForm, Target, target};

/// A compiled schema for a structured answer.
#[derive(Debug, Clone)]
pub struct CompiledOutput {
    /// Fields to merge into the request.
    pub wire: Value,
    /// The schema inside it.
    pub schema: Value,
    pub plan: Plan,
    pub losses: Vec<Loss>,
    pub enforcement: Enforcement,
}

/// Compiles a schema for a model's answer.
pub fn compile_output(
    schema: &Value,
    name: &str,
    target: &Target,
) -> Result<CompiledOutput, Vec<Loss>> {
    let form = target.output;
    if form == OutputForm::Missing {
        return Err(vec![missing(target)]);
    }
    let wanted = rules_of(target);
    let rule = root_rule(form);
    let strict = wanted.is_strict();
    let mut degraded = None;
    let compiled = match compile_output_schema(schema, wanted, rule) {
        Ok(compiled) if strict => match within_limits(&compiled.schema, &wanted.limits) {
            Ok(()) => Ok(compiled),
            Err(why) => fall_back(schema, target, rule, why, &mut degraded),
        },
        other => other.map_err(|refusal| refusal.faults()),
    };
    let Compiled { schema, plan, mut losses } = compiled?;
    let enforcement =
        if strict && degraded.is_none() { Enforcement::Strict } else { Enforcement::Loose };
    if let Some(why) = degraded {
        let what = format!("the answer is requested without strict mode: {why}");
        losses.insert(0, Loss::new(LossKind::Degraded, "", "", what));
    }
    let schema = Value::Object(schema);
    let wire = field(target, name, &schema, enforcement);
    Ok(CompiledOutput { wire, schema, plan, losses, enforcement })
}

/// Falls back to non-strict mode; Anthropic's format has only the strict one.
fn fall_back(
    schema: &Value,
    target: &Target,
    rule: RootRule,
    why: String,
    degraded: &mut Option<String>,
) -> Result<Compiled, Vec<Loss>> {
    let loose = target.fallback.and_then(crate::target::target);
    match (target.output, loose) {
        (OutputForm::AnthropicFormat, _) | (_, None) => {
            Err(vec![Loss::refused("", "", why, "split the answer into smaller parts")])
        }
        (_, Some(loose)) => {
            *degraded = Some(why);
            compile_output_schema(schema, loose, rule).map_err(|refusal| refusal.faults())
        }
    }
}

fn missing(target: &Target) -> Loss {
    let what = format!("{} has no structured output", target.name);
    Loss::refused("", "", what, "request a call of one tool instead")
}

/// The target whose schema rules apply to the answer.
fn rules_of(of: &Target) -> &Target {
    let name = match of.output {
        OutputForm::AnthropicFormat => "anthropic-strict",
        // Its grammar supports nearly all of JSON Schema, unlike its tools.
        OutputForm::OllamaFormat => "mcp",
        OutputForm::ResponseFormat
        | OutputForm::TextFormat
        | OutputForm::ResponseJsonSchema
        | OutputForm::ResponseSchema
        | OutputForm::OutputSchema
        | OutputForm::OpenApiResponse
        | OutputForm::Missing => return of,
    };
    target(name).unwrap_or(of)
}

fn root_rule(form: OutputForm) -> RootRule {
    match form {
        OutputForm::AnthropicFormat | OutputForm::ResponseFormat | OutputForm::TextFormat => {
            RootRule::Object
        }
        OutputForm::ResponseJsonSchema
        | OutputForm::ResponseSchema
        | OutputForm::OllamaFormat
        | OutputForm::OutputSchema
        | OutputForm::OpenApiResponse
        | OutputForm::Missing => RootRule::Any,
    }
}

fn field(target: &Target, name: &str, schema: &Value, enforcement: Enforcement) -> Value {
    let strict = enforcement == Enforcement::Strict;
    let format = || {
        let mut format = Map::new();
        format.insert("name".to_owned(), name.into());
        format.insert("schema".to_owned(), schema.clone());
        format.insert("strict".to_owned(), strict.into());
        format
    };
    match target.output {
        OutputForm::AnthropicFormat => {
            json!({ "output_config": { "format": { "type": "json_schema", "schema": schema } } })
        }
        OutputForm::ResponseFormat => {
            json!({ "response_format": { "type": "json_schema", "json_schema": format() } })
        }
        OutputForm::TextFormat => {
            let mut text = Map::new();
            text.insert("type".to_owned(), "json_schema".into());
            text.extend(format());
            json!({ "text": { "format": text } })
        }
        OutputForm::ResponseJsonSchema => {
            json!({ "responseMimeType": "application/json", "responseJsonSchema": schema })
        }
        OutputForm::ResponseSchema => {
            json!({ "responseMimeType": "application/json", "responseSchema": schema })
        }
        OutputForm::OllamaFormat => json!({ "format": schema }),
        OutputForm::OutputSchema => json!({ "outputSchema": schema }),
        OutputForm::OpenApiResponse => json!({
            "responses": { "200": { "description": name, "content": {
                "application/json": { "schema": identified(target, name, schema.clone()) } } } }
        }),
        OutputForm::Missing => Value::Null,
    }
}

#[cfg(test)]
mod tests;
