//! Hooks of tools: conditions, status lines, cleanup, forms.

use std::sync::Arc;
use std::time::Duration;

use policy::{Hook, HookKind};
use registry::{Feature, Tool};
use serde_json::{Value, json};
use services::{HandlerServices, Notice, NoticeFault, PlaceholderNames};

use crate::call::origin::CallOrigin;
use crate::engine::Engine;

/// How long a condition, a status line or a cleanup may take.
const HOOK_TIME_MAX: Duration = Duration::from_secs(2);

impl Engine {
    /// Whether a tool's condition holds now; the reason if not. A condition that fails hides the
    /// tool.
    pub async fn available(&self, origin: &CallOrigin, tool: &Tool) -> Result<(), String> {
        if !tool.has(Feature::Conditional) {
            return Ok(());
        }
        match self.run_hook(origin, tool, HookKind::Condition, Value::Null).await {
            Ok(Value::Bool(true)) => Ok(()),
            Ok(Value::Bool(false)) => Err("its condition is false".to_owned()),
            Ok(_) => Err("its condition returned neither true nor false".to_owned()),
            Err(because) => Err(format!("its condition failed: {because}")),
        }
    }

    /// Runs a hook of a tool.
    pub async fn run_hook(
        &self,
        origin: &CallOrigin,
        tool: &Tool,
        what: HookKind,
        params: Value,
    ) -> Result<Value, String> {
        let wiring = self.wiring();
        let host = wiring.hosts.of(tool.handler.kind).map_err(|missing| missing.to_string())?;
        let time_limit = match what {
            HookKind::Ui(_) => tool.contract.timeout(),
            HookKind::Condition | HookKind::Status | HookKind::Cleanup => HOOK_TIME_MAX,
        };
        let contract = Arc::new(tool.contract.clone());
        let grant = self.grant(contract, origin, Arc::clone(&wiring.surface), false);
        let services = HandlerServices::new(grant);
        let services = Arc::new(services);
        // People see the results of these.
        let is_shown = matches!(what, HookKind::Status | HookKind::Ui(_));
        let answer = host
            .hook(Hook {
                owner: &origin.client,
                tools_dir: &wiring.tools_dir,
                code: &tool.code,
                handler: &tool.handler.path,
                what,
                params,
                context: self.hook_context(origin, tool),
                services: services.clone(),
                time_limit,
            })
            .await;
        let answer = answer
            .map(|value| services.redact_value(value))
            .map_err(|because| services.redact(&because))?;
        Ok(if is_shown { self.filled(origin, answer).await } else { answer })
    }

    /// Fills in placeholders; leaves the value unchanged if the names cannot be read.
    async fn filled(&self, origin: &CallOrigin, value: Value) -> Value {
        if !PlaceholderNames::may_be_in(&value.to_string()) {
            return value;
        }
        match services::names_in(self.store(), &origin.client, &origin.conversation).await {
            Ok(names) => names.fill_value(value),
            Err(_) => value,
        }
    }

    /// Leaves a notice in the conversation, outside of its turns.
    pub async fn notice(
        &self,
        origin: &CallOrigin,
        id: &str,
        text: String,
    ) -> Result<(), NoticeFault> {
        let (conversation, owner) = (origin.conversation.clone(), origin.client.clone());
        let notice = Notice { conversation, owner, id: id.to_owned(), text, at: self.now() };
        self.wiring().notices.leave(notice).await
    }

    fn hook_context(&self, origin: &CallOrigin, tool: &Tool) -> Value {
        json!({
            "clientId": origin.client,
            "conversationId": origin.conversation,
            "tool": { "id": tool.contract.tool_id, "version": tool.contract.version },
            "session": { "isActive": origin.active, "mode": origin.mode },
            "metadata": { "conversationId": origin.conversation, "modelName": origin.model },
        })
    }
}
