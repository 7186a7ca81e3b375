//! `ghosthand lower`: compiles a schema for one target, with its losses.

use std::path::PathBuf;

use clap::Args;
use dialect::{Enforcement, Loss, Plan, Strictness, ToolSource, compile, compile_output};
use serde::Serialize;
use serde_json::Value;

use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::Printer;
use crate::wiring::json_input::read_json;
use crate::wiring::schema_args::{Form, TargetFlag};

/// Compile a schema for one provider
///
/// Prints `{schema, plan, notes, faults}`: the wire schema, how values are encoded and decoded,
/// what is expressed or checked differently, and why the schema cannot be sent. Exits with 1 if
/// it cannot.
#[derive(Args)]
pub(crate) struct LowerArgs {
    #[command(flatten)]
    target: TargetFlag,
    /// What the schema describes
    #[arg(long = "as", value_enum, default_value = "tool")]
    form: Form,
    /// The JSON Schema file, of any draft; `-` reads standard input
    #[arg(default_value = "-", value_name = "SCHEMA")]
    schema: PathBuf,
}

/// What the command prints.
#[derive(Serialize, Default)]
struct Lowered {
    target: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    enforcement: Option<Enforcement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wire: Option<Value>,
    schema: Option<Value>,
    plan: Option<Plan>,
    notes: Vec<Loss>,
    faults: Vec<Loss>,
}

impl LowerArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let target = self.target.get()?;
        let schema = read_json(&self.schema)?;
        let lowered = match self.form {
            Form::Tool => {
                let source = ToolSource {
                    name: "tool",
                    description: "",
                    parameters: &schema,
                    strict: Strictness::Wanted,
                };
                let mut set = compile(&[source], target);
                match set.tools.pop() {
                    Some(tool) => Lowered {
                        target: target.name,
                        enforcement: Some(tool.enforcement),
                        schema: tool.schema().cloned(),
                        wire: Some(tool.wire),
                        plan: Some(tool.plan),
                        notes: tool.losses,
                        faults: Vec::new(),
                    },
                    None => {
                        refused(target.name, set.refused.into_iter().flat_map(|one| one.faults))
                    }
                }
            }
            Form::Output => match compile_output(&schema, "answer", target) {
                Ok(output) => Lowered {
                    target: target.name,
                    enforcement: Some(output.enforcement),
                    wire: Some(output.wire),
                    schema: Some(output.schema),
                    plan: Some(output.plan),
                    notes: output.losses,
                    faults: Vec::new(),
                },
                Err(faults) => refused(target.name, faults),
            },
        };
        printer.json(&lowered)?;
        Ok(if lowered.faults.is_empty() { ExitStatus::Success } else { ExitStatus::Faults })
    }
}

fn refused(target: &'static str, faults: impl IntoIterator<Item = Loss>) -> Lowered {
    Lowered { target, faults: faults.into_iter().collect(), ..Lowered::default() }
}
