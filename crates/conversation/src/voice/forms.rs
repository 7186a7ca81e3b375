//! Forms in a voice session: which there are, and where one goes that a person sends. The same
//! checks as for a form that is sent on the page.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::Call;
use engine::{Cancel, PaidBy};
use policy::HookKind;
use registry::Tool;
use serde_json::{Value, json};
use voice::{CallOutcome, CallResult, TurnNumber, form_targets};

use super::calls::VoiceCallEnd;
use super::form_target::{FormTarget, filled_form, form_arguments, form_reply};
use super::log::VoiceLog;
use crate::turn::TurnObserver;

/// A form that a person sent.
pub(super) struct FormCall<'a> {
    pub tool: &'a str,
    /// The handler that gets it; without one, the call is one of a tool.
    pub handler: Option<&'a str>,
    pub turn: TurnNumber,
}

impl VoiceLog {
    /// The form of a tool, and the tools that its buttons call, by the target of the button.
    pub async fn form(&self, tool: &str) -> Result<(Value, BTreeMap<String, String>), String> {
        let tool = self.form_tool(tool).await?;
        let name = tool.contract.tool_id.as_str();
        let feature = tool.ui.as_ref().ok_or_else(|| format!("`{name}` has no form"))?;
        let feature = filled_form(feature, &self.id.0);
        let calls = self.form_calls(&tool, &feature);
        Ok((feature, calls))
    }

    /// The tools that the buttons of a form call.
    pub async fn calls_of(
        &self,
        tool: &str,
        feature: &Value,
    ) -> Result<BTreeMap<String, String>, String> {
        Ok(self.form_calls(&*self.form_tool(tool).await?, feature))
    }

    fn form_calls(&self, tool: &Tool, feature: &Value) -> BTreeMap<String, String> {
        let engine = self.conversations.engine();
        let lease = engine.registry().lease();
        let called = |target: String| {
            let tools = engine.tools(&lease).map(|tool| &**tool);
            match FormTarget::find(tool, &target, tools)? {
                FormTarget::Call(tool) => Some((target, tool)),
                FormTarget::Handler => None,
            }
        };
        form_targets(feature).into_iter().filter_map(called).collect()
    }

    /// The tool of a form, if it is on and available here.
    async fn form_tool(&self, name: &str) -> Result<Arc<Tool>, String> {
        let engine = self.conversations.engine();
        let tool = {
            let lease = engine.registry().lease();
            engine.tool(&lease, name).cloned()
        };
        let tool = tool.ok_or_else(|| format!("there is no tool `{name}`"))?;
        let off = engine.switched_off().await.map_err(|fault| fault.to_string())?;
        if off.iter().any(|one| one.tool == name) || self.settings.is_off(name) {
            return Err(format!("`{name}` is switched off"));
        }
        engine.available(&self.form_origin(TurnNumber(1)), &tool).await?;
        Ok(tool)
    }

    /// Gives a form to its handler, or calls the tool that it is for.
    pub(super) async fn settle_form(
        &self,
        form: FormCall<'_>,
        call: &Call,
        observer: Arc<dyn TurnObserver>,
        cancel: Cancel,
    ) -> VoiceCallEnd {
        let origin = self.form_origin(form.turn);
        // It may have become unavailable since the form was begun.
        let tool = match self.form_tool(form.tool).await {
            Ok(tool) => tool,
            Err(why) => return failed(json!({ "success": false, "error": why })),
        };
        // As the page does.
        let mut params = call.args.clone();
        if let Some(fields) = params.as_object_mut() {
            fields.insert("conversation_id".to_owned(), json!(self.id.0));
        }
        let engine = self.conversations.engine();
        match form.handler {
            None => {
                let called = {
                    let lease = engine.registry().lease();
                    engine.tool(&lease, &call.tool).cloned()
                };
                let args = form_arguments(called.as_deref(), params);
                let call = Call { args, ..call.clone() };
                self.settle_as(&origin, PaidBy::Person, &call, observer, cancel).await
            }
            Some(handler) if tool.ui_handlers.iter().any(|one| one == handler) => {
                let kind = HookKind::Ui(handler.to_owned());
                let reply = form_reply(engine.run_hook(&origin, &tool, kind, params).await);
                let is_bad = reply.get("success") == Some(&Value::Bool(false))
                    || reply.get("error").is_some_and(|error| !error.is_null());
                match is_bad {
                    true => failed(reply),
                    false => ended(reply, CallOutcome::Done),
                }
            }
            Some(handler) => {
                let error = format!("`{}` has no handler `{handler}`", form.tool);
                failed(json!({ "success": false, "error": error }))
            }
        }
    }
}

fn failed(content: Value) -> VoiceCallEnd {
    ended(content, CallOutcome::Failed)
}

fn ended(content: Value, outcome: CallOutcome) -> VoiceCallEnd {
    let ran = outcome == CallOutcome::Done;
    let result = CallResult::new(content, outcome);
    VoiceCallEnd::Settled { result, ran, notes: Vec::new() }
}
