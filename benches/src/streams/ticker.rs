//! Our server, with a model that calls the time tool and then ends.

use std::io::Write;
use std::sync::Arc;

use anyhow::Result;
use contract::{
    Block, Call, CallId, Deltas, Model, ModelFacts, Part, Reply, ReplyFuture, Request, StopReason,
    Usage,
};
use providers::Providers;
use serde_json::json;
use server::{EverySecond, RenderPool, Server, ServerLimits, Tokens};
use tokio::net::TcpListener;

use super::{READERS_OF_EACH, TALKS, TICK_EVERY_MS, TICKS};
use crate::call::engine::{BenchEngine, target_folder};
use crate::call::tools::TICK_NATIVE;

pub(crate) async fn serve() -> Result<()> {
    let bench = BenchEngine::open(&target_folder()?).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?.port())?;
    let crowd = TALKS * READERS_OF_EACH;
    let limits = ServerLimits {
        reads_burst: u32::try_from(crowd * 4)?,
        writes_burst: u32::try_from(crowd * 4)?,
        connections_max: crowd * 4,
        connections_per_peer_max: crowd * 4,
        streams_per_owner_max: crowd,
        ..ServerLimits::machine()
    };
    let server = Server {
        engine: bench.engine.clone(),
        providers: Providers::only(Arc::new(Ticker::new()))
            .map_err(|fault| anyhow::anyhow!(fault.message))?,
        tokens: Tokens::new(&[])?,
        names: Vec::new(),
        system_prompt: String::new(),
        rounds_max: 4,
        output_tokens_max: None,
        telemetry: None,
        condition_clock: Arc::new(EverySecond),
        limits,
        render_pool: RenderPool::new(2),
        extensions: Vec::new(),
    };
    Ok(server.run(listener, std::future::pending()).await?)
}

/// Calls the time tool; ends after its result.
struct Ticker(ModelFacts);

impl Ticker {
    fn new() -> Self {
        Self(ModelFacts::named("ticker", "ticker"))
    }

    fn reply(request: &Request) -> Reply {
        let has_result = request.messages.last().is_some_and(|message| {
            message.blocks.iter().any(|block| matches!(block.part, Part::Result(_)))
        });
        let (block, stop) = if has_result {
            (Block::text("Done."), StopReason::EndTurn)
        } else {
            let id = CallId("call-of-the-time".to_owned());
            let args = json!({"a": TICKS, "b": TICK_EVERY_MS});
            (
                Part::Call(Call { id, tool: TICK_NATIVE.to_owned(), args }).into(),
                StopReason::ToolUse,
            )
        };
        let usage = Usage { input: 12, output: 5, ..Usage::default() };
        Reply { blocks: vec![block], stop, usage, model: "ticker".to_owned(), shaped: None }
    }
}

impl Model for Ticker {
    fn facts(&self) -> &ModelFacts {
        &self.0
    }

    fn ask<'a>(&'a self, request: &'a Request, _deltas: Deltas<'a>) -> ReplyFuture<'a> {
        Box::pin(async move { Ok(Self::reply(request)) })
    }
}
