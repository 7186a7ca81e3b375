//! What `lower`, `encode` and `decode` share: the target, the schema, the JSON they read.

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

/// Which provider's spelling is meant.
#[derive(Args)]
pub(crate) struct TargetFlag {
    /// The provider's API, as in `anthropic` or `openai-chat-strict`
    #[arg(long = "for", value_name = "TARGET")]
    name: String,
}

impl TargetFlag {
    pub(crate) fn get(&self) -> Result<&'static Target, Failure> {
        find(&self.name)
    }
}

/// The target of that name, or the ones there are.
pub(crate) fn find(name: &str) -> Result<&'static Target, Failure> {
    target(name).ok_or_else(|| {
        let known: Vec<_> = targets().iter().map(|target| target.name).collect();
        // Whoever writes `openai` means one that begins so, and not `openapi`.
        let begun = format!("{name}-");
        let near = known.iter().copied().find(|known| known.starts_with(&begun));
        let near = near.or_else(|| nearest(name, known.iter().copied()));
        let fix = match near {
            Some(near) => format!("did you mean `{near}`? The targets are {}", known.join(", ")),
            None => format!("the targets are {}", known.join(", ")),
        };
        Failure::message(format!("there is no target `{name}`"), fix)
    })
}

/// What a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// The arguments of a tool
    Tool,
    /// The answer of a model
    Output,
}

/// A contract's schema as one target has it.
pub(crate) struct Lowered {
    pub(crate) schema: Option<Value>,
    pub(crate) plan: Plan,
}

/// The schema, and the way between its values and one target's wire.
#[derive(Args)]
pub(crate) struct SchemaArgs {
    #[command(flatten)]
    target: TargetFlag,
    /// The file with the JSON Schema of the contract
    #[arg(long, value_name = "FILE")]
    schema: PathBuf,
    /// A tool's parameters, or the form of a structured answer
    #[arg(long = "as", value_enum, default_value = "tool")]
    form: Form,
    /// The JSON itself, or `-` for standard input
    #[arg(default_value = "-", value_name = "JSON", allow_hyphen_values = true)]
    json: String,
}

impl SchemaArgs {
    /// The contract's schema.
    pub(crate) fn schema(&self) -> Result<Value, Failure> {
        read_json(&self.schema)
    }

    /// The value to turn.
    pub(crate) fn value(&self) -> Result<Value, Failure> {
        match self.json.as_str() {
            "-" => read_json(Path::new("-")),
            text => parse(text, "the argument"),
        }
    }

    /// What has to say whether a wire value may be sent; nothing where the wire is not
    /// described in JSON Schema.
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
                format!("`ghosthand lower --for {}` tells more", target.name),
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

/// What has the last word: the contract's own schema, whatever its draft.
pub(crate) fn checker(schema: &Value) -> Result<Arguments, Failure> {
    let fix = "correct the schema";
    let schema = normalise(schema).map_err(|faults| {
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        Failure::message(faults.join("; "), fix)
    })?;
    Arguments::compile(&schema.schema).map_err(|fault| Failure::user(fault, fix))
}
