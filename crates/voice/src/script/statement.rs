//! The statements of a script.

use contract::{CallId, Contract, Intent, IntentFault};
use serde_json::Value;

use crate::config::Config;
use crate::transcript::{Line, Speaker};

/// A parsed script.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// A model of the table, or a road.
    pub model: String,
    pub(super) tools: Vec<ScriptTool>,
    pub(super) history: Vec<(Speaker, String)>,
    pub(super) pending: Vec<String>,
    pub(super) languages: Vec<crate::words::language::Language>,
    /// Changes to the settings, in the order of the script.
    pub(super) settings: Vec<Setting>,
    /// Of the start of a session, in milliseconds.
    pub(super) blocked_ms: Option<u64>,
    /// When the run stops; a minute after the last action if a script says nothing.
    pub(super) until_ms: Option<u64>,
    pub(super) actions: Vec<Timed>,
    pub(super) expectations: Vec<Expectation>,
}

impl Script {
    /// Our own language, then others in which answers are understood.
    pub fn languages(&self) -> &[crate::words::language::Language] {
        &self.languages
    }
}

/// A tool of the script. Its handler does what `tool ID returns` says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScriptTool {
    pub(super) contract: Contract,
    /// How the handler ends without a statement, and after how many milliseconds.
    pub(super) returns: Option<(u64, ToolEnd)>,
    /// How long the handler of a project takes.
    pub(super) takes_ms: Option<u64>,
    /// The first word that is part of the contract.
    pub(super) contract_word: Option<String>,
    pub(super) line: usize,
}

/// A setting that a script changes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    pub(super) path: String,
    pub(super) value: Value,
}

impl Setting {
    /// Changes one value of the settings, by its path.
    pub(super) fn apply(&self, config: &Config) -> Result<Config, String> {
        let mut json = serde_json::to_value(config).map_err(|fault| fault.to_string())?;
        let pointer = format!("/{}", self.path.replace('.', "/"));
        let Some(slot) = json.pointer_mut(&pointer) else {
            return Err(format!("there is no setting `{}`", self.path));
        };
        *slot = self.value.clone();
        serde_json::from_value(json).map_err(|fault| format!("`{}`: {fault}", self.path))
    }
}

/// Something that happens at a time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Timed {
    pub(super) at_ms: u64,
    pub(super) line: usize,
    pub(super) action: Action,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Action {
    /// Speech of a length, with its final transcript; none is never written down.
    UserSpeech {
        ms: u64,
        text: Option<String>,
    },
    SpeechStarts,
    SpeechStops {
        text: Option<String>,
    },
    Partial {
        text: String,
    },
    Provider(ProviderAction),
    ToolEnds {
        call: CallId,
        end: ToolEnd,
    },
    ToolMessages {
        call: CallId,
        message: Value,
    },
    Page(PageAction),
    ConnectionLost,
    /// A new connection opens.
    ConnectionBack,
    /// The process ends, and another goes on from the log.
    Restart,
    /// A person wants the form of a tool; without JSON, that of the project.
    Form {
        tool: String,
        feature: Option<Value>,
    },
    HangUp,
}

/// What the far side does. Each played provider has its own messages for it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ProviderAction {
    /// A whole answer, and the calls of the same generation.
    Says {
        text: String,
        ms: u64,
        calls: Vec<ScriptCall>,
    },
    /// The beginning of an answer.
    Begins {
        text: String,
        ms: u64,
    },
    /// The end of what was begun.
    Ends,
    Calls {
        calls: Vec<ScriptCall>,
    },
    /// A call whose answer is not complete.
    WritesCall {
        call: ScriptCall,
    },
    /// The answer breaks off.
    BreaksOff,
    Withdraws {
        call: CallId,
    },
    GoesAway {
        ms_left: u64,
    },
    /// A message as it is, or the text of one.
    Sends {
        text: String,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScriptCall {
    pub(super) id: CallId,
    pub(super) tool: String,
    /// As the model wrote it; not necessarily JSON.
    pub(super) arguments: String,
}

/// How a played handler ends.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolEnd {
    Returns {
        data: Value,
        intents: Vec<Value>,
    },
    Fails {
        message: String,
    },
    /// It was stopped in the middle of a write.
    Stops,
    Asks {
        name: String,
        message: String,
        schema: Value,
    },
}

impl ToolEnd {
    /// The intents as the contract reads them.
    pub(super) fn intents(entries: &[Value]) -> Vec<Result<Intent, IntentFault>> {
        entries.iter().enumerate().map(|(at, entry)| Intent::from_entry(at, entry)).collect()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum PageAction {
    StopsReporting,
    Reports,
    Approves,
    Declines,
    Interrupts,
    /// Writes into the open form.
    Fills {
        answers: Value,
    },
    /// Presses a button of the open form.
    Sends {
        target: String,
        params: Value,
    },
    /// Answers a handler's question.
    Answers {
        content: Value,
    },
    ClosesForm,
}

/// What the output must or must not have.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expectation {
    pub(super) line: usize,
    pub(super) kind: ExpectationKind,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpectationKind {
    /// A line after the last expected one has this text.
    Line,
    /// And this time.
    LineAt { ms: u64 },
    /// No line has this text.
    Never,
    /// So many lines have it.
    Times(usize),
}

/// The lines of the history, as the session has them.
pub(super) fn history_lines(history: &[(Speaker, String)]) -> Vec<Line> {
    let line = |(speaker, text): &(Speaker, String)| Line {
        at: policy::Timestamp(0),
        turn: crate::ids::TurnNumber(0),
        speaker: *speaker,
        text: text.clone(),
        shown: crate::transcript::Shown::Yes,
    };
    history.iter().map(line).collect()
}
