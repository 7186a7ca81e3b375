//! A model at a provider, over the network.
//!
//! In: a [`Provider`], a model's name, a [`HttpClient`]. Out: a [`Client`], which is a
//! [`contract::Model`]. Must hold: decisions are made in pure modules; this one feeds bytes to a
//! decoder, and retries only while nothing of the answer was shown.

use contract::{
    BoxFuture, Delta, Deltas, FaultKind, Model, ModelFacts, ModelFault, RejectedTool, Reply,
    ReplyFuture, Request, RungMemory, Sight,
};

use crate::fault;
use crate::http::{Content, HttpClient, Limits, ProviderRequest, ProviderResponse};
use crate::prepare::{PreparedRequest, Preparer};
use crate::provider::{Family, Provider};
use crate::wire::{self, Decoder, Frame, FrameReader, ResponseMode};

/// One model at one provider.
pub struct Client {
    pub(crate) preparer: Preparer,
    pub(crate) line: HttpClient,
    rung_memory: Option<Box<dyn RungMemory>>,
}

impl Client {
    /// A client with its own HTTP connections and the usual limits.
    pub fn new(provider: Provider, model: &str) -> Result<Self, ModelFault> {
        Self::over(HttpClient::new(Limits::usual())?, provider, model)
    }

    /// A client that shares an HTTP client with others.
    pub fn over(line: HttpClient, provider: Provider, model: &str) -> Result<Self, ModelFault> {
        Ok(Self { preparer: Preparer::new(provider, model)?, line, rung_memory: None })
    }

    /// Remembers which rungs its server refuses. Only unknown servers are probed, and the
    /// operator's settings override the result.
    pub fn with_rung_memory(self, memory: impl RungMemory + 'static) -> Self {
        let Provider { family, rungs, .. } = self.provider();
        let is_asked = matches!(family, Family::Other | Family::Ollama) && rungs.is_none();
        let rung_memory = is_asked.then(|| Box::new(memory) as Box<dyn RungMemory>);
        Self { rung_memory, ..self }
    }

    /// Leaves retries to the caller.
    #[must_use]
    pub fn without_retries(mut self) -> Self {
        self.line.limits.retries_max = 0;
        self
    }

    /// The body that would be sent, and the options that are left out.
    pub fn prepare(&self, request: &Request) -> Result<PreparedRequest, ModelFault> {
        self.preparer.prepare(request, ResponseMode::Stream)
    }

    pub fn provider(&self) -> &Provider {
        &self.preparer.provider
    }

    async fn answer(
        &self,
        request: &Request,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, ModelFault> {
        let prepared = self.prepare(request)?;
        for note in &prepared.notes {
            tracing::debug!(model = %self.facts(), "{note}");
        }
        let wire = self.provider().wire;
        let path = wire::path(wire, &self.facts().model, ResponseMode::Stream);
        let tools = prepared.sent_tools();
        let ask = ProviderRequest {
            model: &self.facts().model,
            tools: &tools,
            ..ProviderRequest::post(&path, Content::Json(prepared.body.to_string().into()))
        };
        let mut tries = 0;
        loop {
            let mut reading = Reading::new(&prepared, wire, self.line.limits, deltas);
            let failed = match self.line.send(self.provider(), &ask).await {
                Ok(answer) => match reading.read(answer).await {
                    Ok(reply) => return Ok(prepared.read(reply, self.facts())),
                    Err(fault) if reading.handed_on => return Err(self.named(fault)),
                    Err(fault) => self.named(fault).into(),
                },
                Err(failed) => failed,
            };
            self.line.pause(self.provider(), &mut tries, failed).await?;
        }
    }

    /// Adds the provider's name to a protocol fault and removes secrets.
    fn named(&self, fault: ModelFault) -> ModelFault {
        let message = self.provider().redact(&fault.message);
        ModelFault { message: format!("{}: {message}", self.provider().name), ..fault }
    }
}

impl Model for Client {
    fn facts(&self) -> &ModelFacts {
        &self.preparer.facts
    }

    fn ask<'a>(&'a self, request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a> {
        let total = self.line.limits.total_time_max;
        Box::pin(async move {
            let answered = tokio::time::timeout(total, self.answer(request, deltas)).await;
            answered.unwrap_or_else(|_| {
                Err(fault::timed_out(self.provider(), "did not finish its answer", total))
            })
        })
    }

    fn rung_memory(&self) -> Option<&dyn RungMemory> {
        self.rung_memory.as_deref()
    }

    fn sight(&self) -> Sight {
        self.preparer.sight()
    }

    fn tools_max(&self) -> Option<usize> {
        self.preparer.compiler.tools_max()
    }

    fn blamed<'a>(
        &'a self,
        request: &'a Request,
        fault: &'a ModelFault,
    ) -> BoxFuture<'a, Vec<RejectedTool>> {
        Box::pin(self.blame(request, fault))
    }
}

/// An answer that is being received.
struct Reading<'a> {
    prepared: &'a PreparedRequest,
    wire: contract::Wire,
    limits: Limits,
    deltas: &'a mut (dyn FnMut(Delta) + Send),
    /// Whether an event has arrived. From then on the request cannot be retried.
    handed_on: bool,
}

impl<'a> Reading<'a> {
    fn new(
        prepared: &'a PreparedRequest,
        wire: contract::Wire,
        limits: Limits,
        deltas: &'a mut (dyn FnMut(Delta) + Send),
    ) -> Self {
        Self { prepared, wire, limits, deltas, handed_on: false }
    }

    async fn read(&mut self, answer: ProviderResponse) -> Result<Reply, ModelFault> {
        if answer.is_page() {
            return Err(fault::garbled("it answers with a web page"));
        }
        let mut decoder = wire::decoder(self.wire, self.prepared.ids.clone());
        if answer.is_whole() {
            let reply = answer.body().json(self.limits.reply_bytes_max).await?;
            self.take(decoder.as_mut(), wire::frames_of(self.wire, reply))?;
            return decoder.finish();
        }
        match (self.stream(decoder.as_mut(), answer).await, decoder.finish()) {
            (Ok(()), reply) => reply,
            // A connection that breaks after the protocol's last event does not matter.
            (Err(fault), Ok(reply)) if fault.kind == FaultKind::Truncated => Ok(reply),
            (Err(fault), _) => Err(fault),
        }
    }

    async fn stream(
        &mut self,
        decoder: &mut dyn Decoder,
        answer: ProviderResponse,
    ) -> Result<(), ModelFault> {
        let mut reader = FrameReader::new(self.limits.frame_bytes_max);
        let mut body = answer.body();
        while let Some(bytes) = body.next(self.limits.reply_bytes_max).await? {
            self.take(decoder, reader.push(&bytes)?)?;
            if decoder.is_over() {
                return Ok(());
            }
        }
        let last = reader.finish()?;
        self.take(decoder, last.into_iter().collect())
    }

    fn take(&mut self, decoder: &mut dyn Decoder, frames: Vec<Frame>) -> Result<(), ModelFault> {
        for frame in frames {
            let deltas = decoder.push(frame)?;
            self.handed_on = true;
            deltas.into_iter().for_each(|delta| (self.deltas)(self.prepared.delta(delta)));
        }
        Ok(())
    }
}
