//! Lets tools ask a model, through the configured provider, counted and limited.

use std::sync::Arc;

use contract::{Block, Message, Request};
use policy::ServiceFault;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fault::FaultCode;
use crate::handler_services::arguments;
use crate::handler_services::run_state::RunState;
use crate::permissions::Service;
use emit::{Ask, EmitLimits, RefusedRungs, emit_value};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Complete {
    prompt: String,
    #[serde(default)]
    system: Option<String>,
    /// A JSON Schema that the answer must fit.
    #[serde(default)]
    schema: Option<Value>,
}

/// Returns `{text}`, or `{value}` if a schema was given.
pub(crate) async fn complete(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let Complete { prompt, system, schema } = arguments::parse(Service::AiComplete, args)?;
    let limits = &run.grant.limits;
    run.meter.count_ai(limits.ai_calls_max)?;
    let max = limits.ai_prompt_bytes_max;
    let bytes = prompt.len() + system.as_deref().map_or(0, str::len);
    if bytes > max {
        return Err(
            FaultCode::TooLarge.fault(format!("the prompt has {bytes} bytes; {max} are allowed"))
        );
    }
    let Some(model) = run.grant.model.clone() else {
        return Err(FaultCode::Unavailable.fault("no model is available here"));
    };
    let clean = |text: &str| run.redactor.text(text);
    let (prompt, system) = (clean(&prompt), clean(system.as_deref().unwrap_or_default()));
    let tokens = limits.ai_output_tokens_max;
    let _slot = run.slot().await?;
    let (answer, usage) = match schema {
        None => {
            let request = Request {
                system,
                messages: vec![Message::user(vec![Block::text(prompt)])],
                output_tokens_max: Some(tokens),
                ..Request::default()
            };
            let reply = model.ask(&request, &mut |_| {}).await;
            let reply = reply.map_err(|fault| FaultCode::Unavailable.fault(fault.message))?;
            (json!({ "text": reply.text() }), reply.usage)
        }
        Some(schema) => {
            let ask = Ask {
                name: "answer".parse().map_err(|_| FaultCode::BadRequest.fault("no name"))?,
                description: "The answer.".to_owned(),
                instructions: system,
                input: prompt,
                output_tokens: tokens,
                output_tokens_ceiling: tokens,
                list: None,
                limits: EmitLimits::machine(),
            };
            let emitted = emit_value(model.as_ref(), &RefusedRungs::default(), &schema, &ask).await;
            let emitted =
                emitted.map_err(|fault| FaultCode::BadRequest.fault(fault.to_string()))?;
            let usage = emitted.history.usage();
            let value =
                emitted.whole().map_err(|why| FaultCode::Unavailable.fault(why.to_string()))?;
            (json!({ "value": value }), usage)
        }
    };
    tracing::info!(
        tool = run.grant.contract.tool_id.as_str(),
        model = %model.facts(),
        input = usage.input,
        output = usage.output,
        "a tool asked a model"
    );
    Ok(answer)
}
