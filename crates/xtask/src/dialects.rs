//! Writes the page that measures the dialect compiler on a collection of tricky schemas.
//!
//! For each target: the losses of the fifty schemas, and whether an accepted instance was lost
//! or the provider would refuse the wire schema.

use anyhow::{Context, Result};
use dialect::{LossKind, Strictness, Target, ToolSource, compile, same_value, targets};
use fake_providers::rules::refusals;
use testkit::corpus::{Case, cases};

/// The fates of one target's schemas.
#[derive(Default)]
struct Tally {
    exact: usize,
    reencoded: usize,
    noted: usize,
    degraded: usize,
    refused: usize,
    /// Accepted instances that cannot make the journey there and back.
    narrowed: usize,
    /// Schemas of which the provider would refuse what we send.
    still_refused: usize,
}

/// The rows of the table, one per target.
pub(crate) fn table() -> Result<String> {
    let cases = cases();
    let mut table = String::from(
        "| target | facts of | exact | re-encoded | noted | degraded | refused | narrows | still ✗ |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for target in targets() {
        let mut tally = Tally::default();
        for case in &cases {
            tally
                .add(case, target)
                .with_context(|| format!("{} for {}", case.name, target.name))?;
        }
        let Tally { exact, reencoded, noted, degraded, refused, narrowed, still_refused } = tally;
        let counts = [exact, reencoded, noted, degraded, refused, narrowed, still_refused];
        let counts: Vec<_> = counts.iter().map(ToString::to_string).collect();
        table += &format!("| `{}` | {} | {} |\n", target.name, target.as_of, counts.join(" | "));
    }
    Ok(table)
}

impl Tally {
    fn add(&mut self, case: &Case, target: &Target) -> Result<()> {
        let source = ToolSource {
            name: "tool",
            description: "A tool.",
            parameters: &case.schema,
            strict: Strictness::Wanted,
        };
        let set = compile(&[source], target);
        if !set.tools.is_empty() && !refusals(target.name, &set.tools_field()).is_empty() {
            self.still_refused += 1;
        }
        let Some(tool) = set.tools.first() else {
            self.refused += 1;
            return Ok(());
        };
        let count = match tool.losses.iter().map(|loss| loss.fate).max() {
            None => &mut self.exact,
            Some(LossKind::Reencoded) => &mut self.reencoded,
            Some(LossKind::Noted) => &mut self.noted,
            Some(LossKind::Degraded) => &mut self.degraded,
            Some(LossKind::Refused) => &mut self.refused,
        };
        *count += 1;
        for instance in &case.accept {
            let wire = tool.plan.encode(instance);
            let back = wire.ok().and_then(|wire| tool.plan.decode(&wire).ok());
            if !back.is_some_and(|back| same_value(&back, instance)) {
                self.narrowed += 1;
            }
        }
        Ok(())
    }
}
