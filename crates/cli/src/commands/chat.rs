//! `ghosthand chat`: a conversation with a model that uses the tools, in the terminal.

mod approval_prompt;
mod call_line;
mod line_editor;
mod question_prompt;
mod screen;
mod slash_commands;

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use contract::{AskKind, Mode, Model, Sampling};
use conversation::{
    ConversationFault, Conversations, EndReason, Opened, PromptForm, TurnOptions, TurnResult,
};
use engine::{Cancel, Engine, EngineLimits};
use policy::ConversationId;
use store::StoreFault;

use self::approval_prompt::Next;
use self::line_editor::{Input, Prompt};
use self::screen::Screen;
use super::emit::read_text;
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, count, dim};
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::open_model::{check_key, open_model};
use crate::wiring::runtime::on_runtime;
use crate::wiring::watch_tools::ToolWatcher;

/// Chat with a model that uses your tools
///
/// Without an API key the built-in `rehearsal` answers. Tool calls are shown as they run, and
/// approvals are asked for here. Ctrl-C stops an answer, Ctrl-D exits.
#[derive(Args)]
pub(crate) struct ChatArgs {
    /// Send one message and exit; `-` reads it from standard input
    #[arg(value_name = "MESSAGE")]
    message: Option<String>,
    /// The model, as provider:name
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Interaction mode: text or voice
    #[arg(long, default_value = "text")]
    mode: Mode,
    /// Continue this conversation, or start one with this id
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    #[command(flatten)]
    engine: EngineArgs,
}

impl ChatArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let mut config = Config::load()?;
        config.flag("model", "--model", self.model.clone());
        let message = match self.message.as_deref() {
            Some("-") => {
                let bytes_max = EngineLimits::machine().message_bytes_max;
                Some(read_text(Path::new("-"), bytes_max)?.trim().to_owned())
            }
            Some(text) => Some(text.to_owned()),
            None => None,
        };
        if message.as_deref().is_some_and(|message| message.trim().is_empty()) {
            let fix = "type a message, or omit it to chat in the terminal";
            return Err(Failure::usage("the message is empty", fix));
        }
        on_runtime(async {
            let (engine, _store, drift) = self.engine.open_with_drift(&config)?;
            drift.print(None, printer)?;
            let model = open_model(&config)?;
            let id = self.conversation.clone().unwrap_or_else(|| fresh_id(&engine));
            let tools = ToolWatcher::new(self.engine.tools_dir(&config), &config);
            let screen = Arc::new(Screen::new(printer.is_styled()));
            let id = ConversationId(id);
            let conversations = Conversations::new(engine.clone());
            let events = conversations.events(&id).await.map_err(conversation_failure)?;
            let mut chat = Chat {
                id,
                is_begun: !events.is_empty(),
                mode: self.mode,
                conversations,
                engine,
                model,
                screen,
                config,
                tools,
                by_hand: false,
                prompt: Prompt::new(printer.is_styled())?,
                is_left: false,
            };
            let ending = match message {
                Some(message) => chat.once(&message, printer).await,
                None => chat.run(printer).await,
            };
            chat.conversations.flush().await;
            ending
        })
    }
}

/// The id of a new conversation: its start time.
fn fresh_id(engine: &Engine) -> String {
    format!("chat-{}", engine.now().0)
}

/// A conversation at the terminal.
struct Chat {
    id: ConversationId,
    /// Is the conversation in the store? A new one is from its first message on.
    is_begun: bool,
    mode: Mode,
    engine: Engine,
    conversations: Conversations,
    model: Arc<dyn Model>,
    screen: Arc<Screen>,
    tools: ToolWatcher,
    config: Config,
    /// Is the last message a tool call typed by the person?
    by_hand: bool,
    prompt: Prompt,
    /// Has the person exited at an approval prompt?
    is_left: bool,
}

impl Chat {
    /// Creates the conversation for its first message. Nothing is stored for a message that
    /// cannot be sent.
    async fn begin(&mut self, message: &str) -> Result<(), Failure> {
        if self.is_begun {
            return Ok(());
        }
        self.conversations.check_message(message, &[]).map_err(conversation_failure)?;
        if !self.by_hand {
            check_key(&self.config)?;
        }
        let opened = Opened {
            client: "terminal".to_owned(),
            mode: self.mode,
            model: self.model.facts().to_string(),
            system: self.config.get("chat.system").unwrap_or_default().to_owned(),
            rounds_max: self.config.number("chat.rounds").unwrap_or(8),
            prompt: PromptForm::InResult,
        };
        self.conversations.open(&self.id, opened).await.map_err(conversation_failure)?;
        self.is_begun = true;
        Ok(())
    }

    /// One message, one answer.
    async fn once(&mut self, message: &str, printer: &mut Printer) -> CommandResult {
        self.by_hand = self.calls_tool(message);
        match self.take(message, printer).await? {
            TurnResult::Ended(EndReason::Answered | EndReason::CutOff) => Ok(ExitStatus::Success),
            TurnResult::Ended(_) | TurnResult::Waiting | TurnResult::Left | TurnResult::Nothing => {
                Ok(ExitStatus::Faults)
            }
        }
    }

    /// Sends a message and shows the answer. A turn that is still open is finished first. If it
    /// waits for an approval, a plain yes or no answers it; any other message withdraws it.
    async fn take(&mut self, message: &str, printer: &mut Printer) -> Result<TurnResult, Failure> {
        self.begin(message).await?;
        let left_open = self.answer_once().await?;
        self.screen.close();
        if let TurnResult::Ended(how) = &left_open {
            self.say_end(how, printer)?;
        }
        if let Some(end) = self.answer_plainly(message, printer).await? {
            return Ok(end);
        }
        self.conversations.say(&self.id, message).await.map_err(conversation_failure)?;
        self.answer(printer).await
    }

    /// Reads messages until the person exits.
    async fn run(&mut self, printer: &mut Printer) -> CommandResult {
        self.greet(printer)?;
        // A turn that another process left open is finished first.
        if self.is_begun {
            self.answer(printer).await?;
        }
        while !self.is_left {
            // The prompt blocks; nothing else runs meanwhile.
            match tokio::task::block_in_place(|| self.prompt.read())? {
                Input::Line(text) if text.trim().is_empty() => {}
                Input::Line(text) => match self.slash(&text, printer).await? {
                    slash_commands::Done::Handled => {}
                    slash_commands::Done::Leave => return Ok(ExitStatus::Success),
                    slash_commands::Done::NotOurs => {
                        self.by_hand = self.calls_tool(&text);
                        drop(self.take(&text, printer).await?);
                    }
                },
                Input::Interrupted => {
                    printer.message(dim("Ctrl-D or /quit ends the conversation"))?
                }
                Input::End => return Ok(ExitStatus::Success),
            }
        }
        Ok(ExitStatus::Success)
    }

    fn greet(&self, printer: &mut Printer) -> Result<(), Failure> {
        let tools = count(self.engine.registry().lease().len(), "tool");
        let model = self.model.facts().to_string();
        let line = format!("{model}, {tools}, conversation {}", self.id.0);
        printer.message(format!("{}  {}", bold("ghosthand chat"), dim(line)))?;
        printer.message(dim("Ctrl-C stops an answer, Ctrl-D exits, /help lists the commands"))?;
        Ok(())
    }

    /// Answers the open turn, with approval prompts where needed.
    async fn answer(&mut self, printer: &mut Printer) -> Result<TurnResult, Failure> {
        loop {
            self.tools.refresh(&self.engine, printer)?;
            let end = self.answer_once().await?;
            self.screen.close();
            match &end {
                TurnResult::Waiting => match self.ask_what_waits(printer).await? {
                    Next::GoOn => {}
                    Next::Stop => return Ok(TurnResult::Ended(EndReason::Cancelled)),
                    Next::Wait => return Ok(end),
                    Next::Leave => {
                        self.is_left = true;
                        return Ok(end);
                    }
                },
                TurnResult::Ended(how) => {
                    self.say_end(how, printer)?;
                    return Ok(end);
                }
                TurnResult::Left | TurnResult::Nothing => return Ok(end),
            }
        }
    }

    async fn answer_once(&self) -> Result<TurnResult, Failure> {
        let cancel = Cancel::default();
        let by = TurnOptions {
            model: match self.by_hand {
                true => crate::wiring::open_model::by_hand(),
                false => Arc::clone(&self.model),
            },
            observer: self.screen.clone(),
            cancel: cancel.clone(),
            output_tokens_max: self.config.number("chat.output_tokens"),
            sampling: Sampling::default(),
            can_ask: self.prompt.can_ask().then_some(AskKind::Person).into_iter().collect(),
        };
        let turn = self.conversations.run_turn(&self.id, &by);
        tokio::pin!(turn);
        loop {
            tokio::select! {
                end = &mut turn => return end.map_err(conversation_failure),
                _ = tokio::signal::ctrl_c() => cancel.cancel(),
            }
        }
    }

    fn say_end(&self, how: &EndReason, printer: &mut Printer) -> Result<(), Failure> {
        match how {
            EndReason::Answered | EndReason::MovedOn => {}
            EndReason::CutOff => printer.message(dim("(cut off: the answer reached its limit)"))?,
            EndReason::Refused { text } => printer.message(format!("the model refused: {text}"))?,
            EndReason::TooManyRounds => {
                printer.message(dim(
                    "(stopped: too many rounds of tool calls; chat.rounds sets the limit)",
                ))?;
            }
            EndReason::NoAnswer => printer.message("The model gave no answer.")?,
            EndReason::Cancelled => printer.message(dim("(stopped)"))?,
            EndReason::Failed { fault } => {
                let what = anyhow::Error::msg(fault.message.clone());
                printer.failure(&what, Some(&fault.fix))?;
            }
        }
        Ok(())
    }
}

/// A conversation fault as a failure with a fix.
pub(super) fn conversation_failure(fault: ConversationFault) -> Failure {
    let fix = match &fault {
        ConversationFault::NotFound(_) => "`ghosthand replay` lists the conversations",
        ConversationFault::Exists(_) => "give it another name",
        ConversationFault::Held => {
            "wait for the other program, or give --conversation another name"
        }
        ConversationFault::Unreadable { .. } => {
            "it was written by a newer version; use that version"
        }
        ConversationFault::TooLong { .. }
        | ConversationFault::Store(StoreFault::TooLarge { .. }) => {
            "put the text in a file and let a tool read it"
        }
        ConversationFault::Empty => "type a message",
        ConversationFault::NoTurn(_) | ConversationFault::BadEntry { .. } => {
            "look at it with `ghosthand replay`"
        }
        ConversationFault::Waits => "answer it with `ghosthand approvals`",
        ConversationFault::Store(_) => "check the file with `ghosthand store check`",
    };
    Failure::user(fault, fix)
}
