//! Compiles a set of tools for one target.
//!
//! In: tools and a [`Target`]. Out: a [`CompiledSet`]: the entries for the request, one
//! plan per tool, the losses, and the refused tools. Must hold: one bad tool does not affect
//! the others; the same tools give the same bytes; limits per request are met by sending single
//! tools without strict mode, which is reported.
//!
//! Start at [`compile`].

mod budget;
mod entry;
mod names;
mod single;

use serde::Serialize;
use serde_json::Value;

use self::budget::degrade_over_budget;
use self::names::WireNames;
use crate::loss::{Loss, LossKind};
use crate::lower::RootRule;
use crate::plan::Plan;
use crate::target::{EntryForm, Target, target};

pub(crate) use self::budget::within_limits;
use self::budget::{Weight, weigh};
pub(crate) use self::entry::identified;
pub(crate) use self::single::{Compiled, compile_output_schema};
use self::single::{Prepared, Refusal};

/// One tool of a contract.
#[derive(Debug, Clone, Copy)]
pub struct ToolSource<'a> {
    pub name: &'a str,
    pub description: &'a str,
    /// A JSON Schema of any draft; null for a tool without arguments.
    pub parameters: &'a Value,
    pub strict: Strictness,
}

/// Whether the provider should enforce the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Strictness {
    Wanted,
    Off,
}

/// Whether the provider enforces the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Enforcement {
    Strict,
    Loose,
}

/// Everything one request needs to know about its tools.
#[derive(Debug, Clone)]
pub struct CompiledSet {
    /// In the order of the source, without the refused ones.
    pub tools: Vec<CompiledTool>,
    pub refused: Vec<RefusedTool>,
    /// Notes about the request as a whole, for people.
    pub notes: Vec<String>,
    entry: EntryForm,
}

/// One compiled tool.
#[derive(Debug, Clone)]
pub struct CompiledTool {
    /// The contract's name.
    pub name: String,
    /// The name the model sees.
    pub wire_name: String,
    /// The whole entry for `tools`.
    pub wire: Value,
    pub plan: Plan,
    pub losses: Vec<Loss>,
    pub enforcement: Enforcement,
    entry: EntryForm,
}

/// A tool that cannot be compiled for this target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedTool {
    pub name: String,
    pub target: &'static str,
    pub faults: Vec<Loss>,
}

impl CompiledTool {
    /// The schema inside the entry; some targets have none for a tool without arguments.
    pub fn schema(&self) -> Option<&Value> {
        self.wire.pointer(entry::schema_pointer(self.entry))
    }
}

impl CompiledSet {
    /// The tool that a model's call names.
    pub fn by_wire_name(&self, wire_name: &str) -> Option<&CompiledTool> {
        self.tools.iter().find(|tool| tool.wire_name == wire_name)
    }

    /// The request's `tools` field.
    pub fn tools_field(&self) -> Value {
        entry::tools_field(self.entry, self.tools.iter().map(|tool| tool.wire.clone()).collect())
    }
}

/// Compiles a set of tools for one target.
pub fn compile(tools: &[ToolSource<'_>], target: &Target) -> CompiledSet {
    ToolSet::read(tools).compile(target)
}

/// A set of tools, read once and compiled for any number of targets.
pub struct ToolSet<'a> {
    tools: Vec<(ToolSource<'a>, Result<Prepared, Vec<Loss>>)>,
}

impl<'a> ToolSet<'a> {
    pub fn read(tools: &[ToolSource<'a>]) -> Self {
        let read = |tool: &ToolSource<'a>| {
            (*tool, Prepared::arguments(tool.parameters).map_err(Refusal::faults))
        };
        Self { tools: tools.iter().map(read).collect() }
    }

    /// Compiles the set for one target.
    pub fn compile(&self, target: &Target) -> CompiledSet {
        let sources: Vec<_> = self.tools.iter().map(|(tool, _)| *tool).collect();
        let names = WireNames::assign(&sources, target);
        let mut drafts = Vec::with_capacity(self.tools.len());
        let mut refused = Vec::new();
        for ((tool, prepared), wire_name) in self.tools.iter().zip(names.list) {
            let Some(wire_name) = wire_name else {
                refused.push(refusal(tool, target, vec![names::twice(tool.name)]));
                continue;
            };
            let draft = prepared
                .as_ref()
                .map_err(Clone::clone)
                .and_then(|prepared| Draft::new(*tool, prepared, wire_name, target));
            match draft {
                Ok(draft) => drafts.push(draft),
                Err(faults) => refused.push(refusal(tool, target, faults)),
            }
        }
        degrade_over_budget(&mut drafts, target);
        let mut compiled = Vec::with_capacity(drafts.len());
        for draft in drafts {
            match draft.finished(target) {
                Ok(tool) => compiled.push(tool),
                Err((tool, faults)) => refused.push(refusal(&tool, target, faults)),
            }
        }
        let mut notes = Vec::new();
        if compiled.len() > target.limits.tools_max {
            let (count, most) = (compiled.len(), target.limits.tools_max);
            notes.push(format!(
                "{count} tools are more than the {most} that {} accepts",
                target.name
            ));
        }
        CompiledSet { tools: compiled, refused, notes, entry: target.entry }
    }
}

fn refusal(tool: &ToolSource<'_>, target: &Target, faults: Vec<Loss>) -> RefusedTool {
    RefusedTool { name: tool.name.to_owned(), target: target.name, faults }
}

/// A tool during compilation, in strict mode until it has to leave it.
pub(crate) struct Draft<'a> {
    source: ToolSource<'a>,
    wire_name: String,
    prepared: &'a Prepared,
    compiled: Compiled,
    enforcement: Enforcement,
    weight: Weight,
    /// Why it is not in strict mode.
    degraded: Option<String>,
    /// Whether it was compiled with the strict rules.
    spelled_strict: bool,
}

impl<'a> Draft<'a> {
    fn new(
        source: ToolSource<'a>,
        prepared: &'a Prepared,
        wire_name: String,
        target: &Target,
    ) -> Result<Self, Vec<Loss>> {
        let strict = target.is_strict() && source.strict == Strictness::Wanted;
        let mut degraded = None;
        if strict {
            match prepared.compile_for(target, RootRule::Object) {
                Ok(compiled) => match within_limits(&compiled.schema, &target.limits) {
                    Ok(()) => {
                        let weight = weigh(&compiled.schema);
                        let enforcement = Enforcement::Strict;
                        return Ok(Self {
                            source,
                            wire_name,
                            prepared,
                            compiled,
                            enforcement,
                            weight,
                            degraded,
                            spelled_strict: true,
                        });
                    }
                    Err(why) => degraded = Some(why),
                },
                Err(refusal) => degraded = Some(refusal.what()),
            }
        }
        let compiled = prepared
            .compile_for(loose(target).unwrap_or(target), RootRule::Object)
            .map_err(Refusal::faults)?;
        let (enforcement, weight) = (Enforcement::Loose, Weight::default());
        let spelled_strict = false;
        Ok(Self {
            source,
            prepared,
            wire_name,
            compiled,
            enforcement,
            weight,
            degraded,
            spelled_strict,
        })
    }

    fn degrade(&mut self, why: String) {
        self.enforcement = Enforcement::Loose;
        self.degraded = Some(why);
    }

    fn finished(mut self, target: &Target) -> Result<CompiledTool, (ToolSource<'a>, Vec<Loss>)> {
        if self.spelled_strict && self.degraded.is_some() {
            match self.prepared.compile_for(loose(target).unwrap_or(target), RootRule::Object) {
                Ok(compiled) => self.compiled = compiled,
                Err(refusal) => return Err((self.source, refusal.faults())),
            }
        }
        let Compiled { schema, mut losses, plan } = self.compiled;
        if let Some(why) = self.degraded {
            let what = format!("the tool is sent without strict mode: {why}");
            losses.insert(0, Loss::new(LossKind::Degraded, "", "", what));
        }
        if self.wire_name != self.source.name {
            let what = format!("the tool is sent as `{}`", self.wire_name);
            losses.insert(0, Loss::new(LossKind::Reencoded, "", "name", what));
        }
        let wire = entry::entry(
            target,
            &self.wire_name,
            self.source.description,
            Value::Object(schema),
            self.enforcement,
        );
        Ok(CompiledTool {
            name: self.source.name.to_owned(),
            wire_name: self.wire_name,
            wire,
            plan,
            losses,
            enforcement: self.enforcement,
            entry: target.entry,
        })
    }
}

/// The target with the same wire but without strict mode.
fn loose(of: &Target) -> Option<&'static Target> {
    of.fallback.and_then(target)
}

#[cfg(test)]
mod tests;
