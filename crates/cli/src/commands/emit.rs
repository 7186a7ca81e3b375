//! `ghosthand emit`: structured output: a model answer that fits a schema.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use contract::{Pointer, ToolId};
use emit::{
    AnswerFault, Ask, EmitLimits, EmitOutput, History, RefusedRungs, StructuredAnswer, emit_value,
};
use serde_json::Value;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, count, dim};
use crate::wiring::json_input::read_json;
use crate::wiring::open_model::{REHEARSAL, open_model};
use crate::wiring::read_input::{Input, read_input, refuse_one_stdin_for_both};
use crate::wiring::runtime::on_runtime;

/// Ask a model for JSON that fits a schema
///
/// The answer goes to standard output, validated and with defaults filled in; attempts and
/// token usage go to standard error. Exits with 1 if the answer is incomplete; with `--each` the
/// complete records are printed even then.
#[derive(Args)]
pub(crate) struct EmitArgs {
    /// The JSON Schema file of the answer, of any draft
    #[arg(long, value_name = "SCHEMA")]
    schema: PathBuf,
    /// The model, as in `anthropic:claude-haiku-5-5`
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Instructions for the model, or `@FILE` to read them from a file
    #[arg(long, default_value = "", value_name = "TEXT|@FILE")]
    instructions: String,
    /// Print one line per record of the list at this JSON pointer, as in `/flashcards`
    #[arg(long, value_name = "PATH")]
    each: Option<Pointer>,
    /// The name of the answer, as the model sees it
    #[arg(long, default_value = "answer", value_name = "NAME")]
    name: ToolId,
    /// Maximum output tokens
    #[arg(long, default_value_t = 8_192, value_name = "TOKENS")]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    output_tokens: u32,
    /// Maximum output tokens for the retry after a cut-off answer
    #[arg(long, default_value_t = 32_768, value_name = "TOKENS")]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    output_tokens_max: u32,
    /// The input; `-` reads standard input
    #[arg(default_value = "-", value_name = "FILE")]
    input: PathBuf,
}

impl EmitArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        refuse_one_stdin_for_both(&self.schema, &self.input)?;
        let schema = read_json(&self.schema)?;
        let mut config = Config::load()?;
        config.flag("model", "--model", self.model.clone());
        let model = open_model(&config)?;
        let limits = EmitLimits::machine();
        let ask = Ask {
            description: description(&schema),
            instructions: instructions(&self.instructions, limits.input_bytes_max)?,
            input: read_text(&self.input, limits.input_bytes_max)?,
            name: self.name,
            output_tokens: self.output_tokens,
            output_tokens_ceiling: self.output_tokens_max.max(self.output_tokens),
            list: self.each.clone(),
            limits,
        };
        let emitted = on_runtime(async {
            let fix = "correct what it names";
            emit_value(model.as_ref(), &RefusedRungs::default(), &schema, &ask)
                .await
                .map_err(|fault| Failure::user(fault, fix))
        })?;
        say(&emitted.history, printer)?;
        if model.facts().provider == REHEARSAL {
            printer.message(
                "rehearsal, the stand-in, made this answer of your words; `ghosthand models` says \
                 how to use a model",
            )?;
        }
        let (lines, ending) = lines(emitted, self.each.as_ref());
        for line in lines {
            printer.data(line)?;
        }
        ending
    }
}

/// The schema's description, if it has one.
fn description(schema: &Value) -> String {
    let description = schema.get("description").and_then(Value::as_str);
    description.unwrap_or("Takes the answer.").to_owned()
}

fn instructions(given: &str, bytes_max: usize) -> Result<String, Failure> {
    match given.strip_prefix('@') {
        Some(path) => read_text(Path::new(path), bytes_max),
        None => Ok(given.to_owned()),
    }
}

/// Reads a text file, or standard input for `-`.
pub(super) fn read_text(path: &Path, bytes_max: usize) -> Result<String, Failure> {
    let too_large_fix = "split it into parts";
    read_input(path, &Input { expected: "a text file", bytes_max, too_large_fix })
}

/// One line per request, then the total.
fn say(history: &History, printer: &mut Printer) -> Result<(), Failure> {
    for attempt in &history.attempts {
        let saved = match attempt.complete {
            0 => String::new(),
            complete => format!(", {} complete", count(complete, "record")),
        };
        let how = format!("({}, {} allowed)", attempt.rung, count(attempt.output_tokens, "token"));
        printer.message(format!("{}{saved} {}", attempt.status, dim(how)))?;
    }
    let usage = history.usage();
    let requests = count(history.attempts.len(), "request");
    printer.message(dim(format!(
        "{requests}: {} in, {} from the cache, {} out",
        count(usage.input + usage.cache_write, "token"),
        usage.cache_read,
        usage.output
    )))?;
    Ok(())
}

/// The lines for standard output, and the result of the command.
fn lines(emitted: EmitOutput<Value>, each: Option<&Pointer>) -> (Vec<String>, CommandResult) {
    let records = |list: &[Value]| list.iter().map(ToString::to_string).collect();
    match (emitted.answer, each) {
        (StructuredAnswer::Whole(value), None) => {
            (vec![value.to_string()], Ok(ExitStatus::Success))
        }
        (StructuredAnswer::Whole(value), Some(each)) => {
            let list = each.find(&value).and_then(Value::as_array);
            (records(list.map_or(&[], Vec::as_slice)), Ok(ExitStatus::Success))
        }
        (StructuredAnswer::Partial { why, .. }, None) => (Vec::new(), Err(failure(why))),
        (StructuredAnswer::Partial { complete, why }, Some(_)) => {
            (records(&complete), Err(failure(why)))
        }
    }
}

fn failure(why: AnswerFault) -> Failure {
    match why {
        AnswerFault::Model(fault) => Failure::message(fault.message, fault.fix),
        AnswerFault::OutputLimit { tokens } => Failure::message(
            format!("the answer was cut off after {}", count(tokens, "token")),
            "raise --output-tokens-max, or send less input at a time",
        ),
        AnswerFault::ContextExceeded => Failure::message(
            "the input does not fit into the model's context",
            "send less input at a time",
        ),
        why @ (AnswerFault::Refused { .. }
        | AnswerFault::Paused { .. }
        | AnswerFault::Unfit { .. }
        | AnswerFault::Missing
        | AnswerFault::Requests { .. }) => {
            Failure::user(why, "change the instructions, the schema or the model")
        }
    }
}

#[cfg(test)]
mod tests;
