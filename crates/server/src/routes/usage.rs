//! Usage: the audit, token counts, and Prometheus metrics.

pub(crate) mod periods;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use axum::extract::{Query, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::Usage;
use conversation::Conversation;
use policy::{AuditLine, ConversationId, Metrics, ToolMetrics};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::caller;
use crate::auth::middleware::{Owner, authenticate_person};
use crate::fault::HandlerResult;
use crate::routes::tools::no_conversation;
use crate::state::AppState;

const AUDIT_LINES_MAX: usize = 1_000;
const METRICS_LINES_MAX: usize = 10_000;
const USAGE_TALKS_MAX: usize = 200;

pub(crate) async fn audit(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Vec<AuditLine>>> {
    Ok(Json(own_audit(&app, &owner).await?))
}

/// The newest calls in an owner's conversations and outside of them, oldest first.
pub(crate) async fn own_audit(app: &AppState, owner: &str) -> HandlerResult<Vec<AuditLine>> {
    app.engine.flush().await;
    let lines = app.index.list(owner).await?;
    let mut own: BTreeSet<_> = lines.into_iter().map(|line| line.id).collect();
    own.insert(no_conversation(owner).0);
    let mut audit = app.engine.audit(AUDIT_LINES_MAX).await?;
    let is_own = |id: &str| own.contains(id) || caller::is_own(id, owner);
    audit.retain(|line| is_own(&line.conversation));
    Ok(audit)
}

#[derive(Deserialize)]
pub(crate) struct UsageQuery {
    conversation: Option<String>,
}

/// What the model was used for.
#[derive(Serialize, JsonSchema)]
pub(crate) struct UsageReport {
    conversations: usize,
    turns: usize,
    /// Tokens, as the provider counts them.
    #[schemars(with = "BTreeMap<String, u64>")]
    usage: Usage,
}

/// For one conversation, or for the owner's newest ones together.
pub(crate) async fn usage(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(UsageQuery { conversation }): Query<UsageQuery>,
) -> HandlerResult<Json<UsageReport>> {
    let ids: Vec<_> = match conversation.filter(|id| !id.is_empty()) {
        Some(id) => vec![app.index.id(&owner, &id).await?],
        None => {
            let lines = app.index.list(&owner).await?.into_iter().take(USAGE_TALKS_MAX);
            lines.map(|line| ConversationId(line.id)).collect()
        }
    };
    let (mut turns, mut usage) = (0, Usage::default());
    for id in &ids {
        let records = app.conversations.events(id).await?;
        let conversation = Conversation::read(records.iter().map(|record| &record.event));
        turns += conversation.messages().len();
        usage += conversation.usage;
    }
    Ok(Json(UsageReport { conversations: ids.len(), turns, usage }))
}

/// Metrics over all owners, without content. Requires a login.
pub(crate) async fn metrics(
    State(app): State<AppState>,
    request: Request,
) -> HandlerResult<Response> {
    authenticate_person(&app, &request.into_parts().0).await?;
    app.engine.flush().await;
    let metrics = app.engine.metrics(METRICS_LINES_MAX).await?;
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, in_prometheus(&metrics)).into_response())
}

/// The samples of one metric for one tool: further labels, and the value.
type Lines<'a> = &'a dyn Fn(&ToolMetrics) -> Vec<(String, f64)>;

fn in_prometheus(metrics: &Metrics) -> String {
    let mut text = String::new();
    let mut family = |name: &str, lines: Lines<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "# TYPE ghosthand_tool_{name} gauge");
        for (tool, figures) in &metrics.tools {
            for (labels, value) in lines(figures) {
                let _ = writeln!(text, "ghosthand_tool_{name}{{tool=\"{tool}\"{labels}}} {value}");
            }
        }
    };
    let one = |value: usize| vec![(String::new(), value as f64)];
    family("executions", &|figures| one(figures.execution_count));
    family("refusals", &|figures| one(figures.refused_count));
    family("reuses", &|figures| one(figures.reused_count));
    family("budget_violations", &|figures| one(figures.budget_violations));
    family("errors", &|figures| {
        let errors = figures.error_breakdown.iter();
        errors.map(|(kind, count)| (format!(",type=\"{kind}\""), *count as f64)).collect()
    });
    family("latency_ms", &|figures| {
        let latency = &figures.latency_ms;
        let quantiles = [("0.5", latency.p50), ("0.95", latency.p95), ("0.99", latency.p99)];
        let line = |(at, ms): (&str, u64)| (format!(",quantile=\"{at}\""), ms as f64);
        quantiles.map(line).into()
    });
    text
}
