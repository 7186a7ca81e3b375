//! Arguments of `lower`, `encode` and `decode`: the target, the schema, the JSON value.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use contract::nearest;
use dialect::{
    Arguments, Plan, Strictness, Target, ToolSource, compile, compile_output, normalise, target,
    targets,
};
use serde_json::Value;

use crate::exit::Failure;
use crate::wiring::json_input::{parse, read_json};
use crate::wiring::read_input::refuse_one_stdin_for_both;

/// The provider target.
#[derive(Args)]
pub(crate) struct TargetFlag {
    /// The provider target, as in `anthropic` or `openai-chat-strict`
    #[arg(long = "for", value_name = "TARGET")]
    name: String,
}

impl TargetFlag {
    pub(crate) fn get(&self) -> Result<&'static Target, Failure> {
        find(&self.name)
    }
}

/// Finds a target, or fails with the known ones.
pub(crate) fn find(name: &str) -> Result<&'static Target, Failure> {
    target(name).ok_or_else(|| {
        let known: Vec<_> = targets().iter().map(|target| target.name).collect();
        // `openai` means a target with that prefix, not `openapi`.
        let begun = format!("{name}-");
        let near = known.iter().copied().find(|known| known.starts_with(&begun));
        let near = near.or_else(|| nearest(name, known.iter().copied()));
        let fix = match near {
            Some(near) => format!("did you mean `{near}`? Known targets: {}", known.join(", ")),
            None => format!("known targets: {}", known.join(", ")),
        };
        Failure::usage(format!("there is no target `{name}`"), fix)
    })
}

/// What a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// The arguments of a tool
    Tool,
    /// A structured answer
    Output,
}

/// A contract's schema, compiled for a target.
pub(crate) struct Lowered {
    pub(crate) schema: Option<Value>,
    pub(crate) plan: Plan,
}

/// A schema, a target and a value.
#[derive(Args)]
pub(crate) struct SchemaArgs {
    #[command(flatten)]
    target: TargetFlag,
    /// The JSON Schema file of the contract
    #[arg(long, value_name = "FILE")]
    schema: PathBuf,
    /// What the schema describes
    #[arg(long = "as", value_enum, default_value = "tool")]
    form: Form,
    /// The JSON value, or `-` for standard input
    #[arg(default_value = "-", value_name = "JSON", allow_hyphen_values = true)]
    json: String,
}

impl SchemaArgs {
    /// The contract's schema, if the target exists.
    pub(crate) fn schema(&self) -> Result<Value, Failure> {
        self.target.get()?;
        refuse_one_stdin_for_both(&self.schema, Path::new(&self.json))?;
        read_json(&self.schema)
    }

    /// The value to encode or decode.
    pub(crate) fn value(&self) -> Result<Value, Failure> {
        match self.json.as_str() {
            "-" => read_json(Path::new("-")),
            text => parse(text, "the argument"),
        }
    }

    /// The validator of the wire schema; `None` if the wire is not described in JSON Schema.
    pub(crate) fn wire_checker(&self, lowered: &Lowered) -> Option<Arguments> {
        let target = self.target.get().ok()?;
        let schema = lowered.schema.as_ref().filter(|_| target.is_json_schema())?;
        Arguments::compile(schema).ok()
    }

    /// The name of the target.
    pub(crate) fn target_name(&self) -> &str {
        &self.target.name
    }

    /// The plan of this schema for the target, and the schema that is sent.
    pub(crate) fn lowered(&self, schema: &Value) -> Result<Lowered, Failure> {
        let target = self.target.get()?;
        let refused = |what: String| {
            Failure::message(
                format!("{} cannot be sent to {}: {what}", self.schema.display(), target.name),
                format!("`ghosthand lower --for {}` shows the details", target.name),
            )
        };
        match self.form {
            Form::Tool => {
                let strict = Strictness::Wanted;
                let source =
                    ToolSource { name: "tool", description: "", parameters: schema, strict };
                let mut set = compile(&[source], target);
                let lowered = set
                    .tools
                    .pop()
                    .map(|tool| Lowered { schema: tool.schema().cloned(), plan: tool.plan });
                lowered.ok_or_else(|| {
                    let faults = set.refused.iter().flat_map(|tool| &tool.faults);
                    refused(faults.map(ToString::to_string).collect::<Vec<_>>().join("; "))
                })
            }
            Form::Output => compile_output(schema, "answer", target)
                .map(|output| Lowered { schema: Some(output.schema), plan: output.plan })
                .map_err(|faults| {
                    refused(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
                }),
        }
    }
}

/// The validator of the contract's schema, of any draft.
pub(crate) fn checker(schema: &Value) -> Result<Arguments, Failure> {
    let fix = "correct the schema";
    let schema = normalise(schema).map_err(|faults| {
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        Failure::message(faults.join("; "), fix)
    })?;
    Arguments::compile(&schema.schema).map_err(|fault| Failure::user(fault, fix))
}
