//! Implements `policy::Services` for one run of one handler.

pub(crate) mod arguments;
pub(crate) mod effects;
pub(crate) mod limits;
pub(crate) mod meter;
pub(crate) mod run_state;

use std::sync::Arc;

use policy::{BoxFuture, ServiceFault, Services};
use serde_json::Value;

use self::effects::EffectLevel;
use self::run_state::RunState;
use crate::grant::Grant;

/// All services of one run.
#[derive(Clone)]
pub struct HandlerServices {
    run: Arc<RunState>,
}

impl HandlerServices {
    pub fn new(grant: Grant) -> Self {
        HandlerServices { run: Arc::new(RunState::new(grant)) }
    }

    /// The effects of the run so far; they decide whether it can be retried.
    pub fn effects(&self) -> EffectLevel {
        self.run.effects.touched()
    }

    /// The text without the secrets that this run received.
    pub fn redact(&self, text: &str) -> String {
        self.run.redactor.text(text)
    }

    /// The value without the secrets that this run received, in keys and texts.
    pub fn redact_value(&self, value: Value) -> Value {
        self.run.redactor.value(value)
    }
}

impl Services for HandlerServices {
    fn call(&self, name: &str, args: Value) -> BoxFuture<'static, Result<Value, ServiceFault>> {
        let run = Arc::clone(&self.run);
        let begun =
            run.admit(name, &args).map(|service| (service, Arc::clone(&run).begin(service, args)));
        Box::pin(async move {
            let answer = async {
                let (service, future) = begun?;
                let answer = future.await?;
                run.count_result(service, &answer)?;
                Ok(answer)
            };
            answer.await.map_err(|fault: ServiceFault| ServiceFault {
                message: run.redactor.text(&fault.message),
                ..fault
            })
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
