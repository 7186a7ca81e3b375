//! One answer, independent of the provider; the server encodes it for the requested wire.
//!
//! Where a wire has no form for an item (a search on Chat, redacted thinking on Gemini), the
//! item is left out, as the provider would.

use contract::{StopReason, Usage};
use serde_json::Value;

use super::delivery::{Cut, Pieces};
use crate::Gate;

/// What the model does in one answer, and how its bytes arrive.
#[derive(Debug, Clone)]
pub struct Turn {
    pub items: Vec<Item>,
    /// `None`: derived from the items.
    pub stop: Option<StopReason>,
    pub usage: Usage,
    /// The prompt was blocked for this reason, and nothing was written.
    pub blocked: Option<Blocked>,
    pub quirks: Vec<Quirk>,
    pub pieces: Pieces,
    pub cut: Option<Cut>,
    /// After this many frames the provider reports an overload.
    pub overloaded_after: Option<usize>,
    /// Each gate is before the frame of its number; 0 is before the head of the answer.
    pub gates: Vec<(usize, Gate)>,
}

/// One thing in an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Text(String),
    /// Text that cites a search result.
    Cited {
        text: String,
        source: Source,
    },
    Thinking {
        text: String,
        /// The provider requires it back unchanged. On Gemini it is on the next part, and the
        /// SDK's types require base64.
        signature: String,
    },
    Redacted {
        data: String,
    },
    Call {
        /// `None`: the server numbers it.
        id: Option<String>,
        tool: String,
        args: Value,
    },
    /// Truncated arguments.
    TornCall {
        tool: String,
        text: String,
    },
    /// The provider's own web search.
    Search {
        query: String,
        found: Vec<Source>,
    },
    /// The provider's own code execution.
    Code {
        code: String,
        output: String,
    },
    /// A refusal.
    Refusal(String),
    /// An item in the wire's own format, sent unchanged: an Anthropic content block, a
    /// Responses output item, a Gemini part; fields of the message on Chat.
    Native(Value),
}

/// A page that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub url: String,
    pub title: String,
    /// The passage that is cited.
    pub quote: String,
}

impl Source {
    pub fn new(url: &str, title: &str, quote: &str) -> Self {
        Self { url: url.into(), title: title.into(), quote: quote.into() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The wire's code, as in `PROHIBITED_CONTENT`.
    pub reason: String,
    pub message: String,
}

/// Deviations of real servers from the wire's documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirk {
    /// Comments (and Anthropic's pings) between the frames.
    KeepAlive,
    /// Lines end in `\r\n`.
    Crlf,
    /// The stream begins with a byte-order mark.
    ByteOrderMark,
    /// Chat: no `[DONE]` at the end.
    NoDone,
    /// Chat: call ids are `null`.
    NullIds,
    /// Chat: call ids are empty.
    EmptyIds,
    /// Chat: `finish_reason: stop` although there are calls.
    StopWithCalls,
    /// Chat: `arguments` is an object.
    ObjectArguments,
    /// Chat: all calls in one delta.
    CallsInOneDelta,
    /// Chat: calls without `index`.
    NoIndex,
    /// Chat: the first chunk has no choices.
    EmptyFirstChunk,
    /// Chat: thinking in `reasoning`, not in `reasoning_content`.
    ReasoningField,
    /// Chat: thinking in `reasoning_details`.
    ReasoningDetails,
    /// Anthropic: a call begins without `input`.
    NoInputAtStart,
}

impl Default for Turn {
    fn default() -> Self {
        Self::new()
    }
}

impl Turn {
    /// An empty answer, whole and without quirks.
    pub fn new() -> Self {
        Self {
            items: Vec::new(),
            stop: None,
            usage: Usage { input: 12, output: 5, ..Usage::default() },
            blocked: None,
            quirks: Vec::new(),
            pieces: Pieces::Frames,
            cut: None,
            overloaded_after: None,
            gates: Vec::new(),
        }
    }

    pub fn says(text: &str) -> Self {
        Self::new().text(text)
    }

    pub fn calls(tool: &str, args: Value) -> Self {
        Self::new().call(tool, args)
    }

    pub fn refuses(text: &str) -> Self {
        Self::new().item(Item::Refusal(text.into()))
    }

    pub fn blocked(reason: &str, message: &str) -> Self {
        let blocked = Blocked { reason: reason.into(), message: message.into() };
        Self { blocked: Some(blocked), ..Self::new() }
    }

    #[must_use]
    pub fn item(mut self, item: Item) -> Self {
        self.items.push(item);
        self
    }

    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.item(Item::Text(text.into()))
    }

    #[must_use]
    pub fn cited(self, text: &str, source: Source) -> Self {
        self.item(Item::Cited { text: text.into(), source })
    }

    #[must_use]
    pub fn thinking(self, text: &str, signature: &str) -> Self {
        self.item(Item::Thinking { text: text.into(), signature: signature.into() })
    }

    #[must_use]
    pub fn redacted(self, data: &str) -> Self {
        self.item(Item::Redacted { data: data.into() })
    }

    #[must_use]
    pub fn call(self, tool: &str, args: Value) -> Self {
        self.item(Item::Call { id: None, tool: tool.into(), args })
    }

    #[must_use]
    pub fn call_as(self, id: &str, tool: &str, args: Value) -> Self {
        self.item(Item::Call { id: Some(id.into()), tool: tool.into(), args })
    }

    /// A call that `max_tokens` cuts off; the answer ends here.
    #[must_use]
    pub fn torn_call(self, tool: &str, text: &str) -> Self {
        self.item(Item::TornCall { tool: tool.into(), text: text.into() })
            .stop(StopReason::MaxTokens)
    }

    #[must_use]
    pub fn search(self, query: &str, found: Vec<Source>) -> Self {
        self.item(Item::Search { query: query.into(), found })
    }

    #[must_use]
    pub fn code(self, code: &str, output: &str) -> Self {
        self.item(Item::Code { code: code.into(), output: output.into() })
    }

    #[must_use]
    pub fn stop(mut self, stop: StopReason) -> Self {
        self.stop = Some(stop);
        self
    }

    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    #[must_use]
    pub fn quirk(mut self, quirk: Quirk) -> Self {
        self.quirks.push(quirk);
        self
    }

    #[must_use]
    pub fn pieces(mut self, pieces: Pieces) -> Self {
        self.pieces = pieces;
        self
    }

    #[must_use]
    pub fn cut(mut self, cut: Cut) -> Self {
        self.cut = Some(cut);
        self
    }

    #[must_use]
    pub fn overloaded_after(mut self, frames: usize) -> Self {
        self.overloaded_after = Some(frames);
        self
    }

    /// The answer waits at this gate before its head is sent.
    #[must_use]
    pub fn gate(self, gate: &Gate) -> Self {
        self.gate_at(0, gate)
    }

    /// The answer waits at this gate before its frame of that number (the first is 1).
    #[must_use]
    pub fn gate_at(mut self, frame: usize, gate: &Gate) -> Self {
        self.gates.push((frame, gate.clone()));
        self
    }

    pub(crate) fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }

    /// Why it ends: the given reason, otherwise derived from the items.
    pub(crate) fn end(&self) -> StopReason {
        let calls = |item: &Item| matches!(item, Item::Call { .. });
        let refusal = self.items.iter().find_map(|item| {
            let Item::Refusal(text) = item else { return None };
            Some(StopReason::Refusal { text: text.clone() })
        });
        match (&self.stop, &self.blocked, refusal) {
            (Some(stop), _, _) => stop.clone(),
            (None, Some(blocked), _) => StopReason::Refusal { text: blocked.message.clone() },
            (None, None, Some(refusal)) => refusal,
            (None, None, None) if self.items.iter().any(calls) => StopReason::ToolUse,
            (None, None, None) => StopReason::EndTurn,
        }
    }
}
