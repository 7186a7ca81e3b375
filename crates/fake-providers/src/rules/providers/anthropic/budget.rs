//! Anthropic strict: the budget of all strict tools of one request together.

use crate::rules::{
    refusal::Report,
    walk::{Need, Place, Visit},
};

const TOOLS_MAX: usize = 20;
const OPTIONALS_MAX: usize = 24;
const UNIONS_MAX: usize = 16;

/// What the strict schemas of one request use. A definition is counted once, however often it is
/// referred to: the documentation does not say otherwise (unproven).
#[derive(Debug, Default)]
pub(crate) struct Spent {
    tools: usize,
    optionals: usize,
    unions: usize,
}

impl Spent {
    pub(crate) fn add(&mut self, visits: &[Visit<'_>]) {
        self.tools += 1;
        for visit in visits {
            self.optionals += usize::from(is_optional(visit));
            self.unions += usize::from(is_union(visit));
        }
    }

    pub(crate) fn check(&self, report: &mut Report) {
        let budgets = [
            ("budget-tools", "strict tools", self.tools, TOOLS_MAX),
            ("budget-optionals", "optional parameters", self.optionals, OPTIONALS_MAX),
            ("budget-unions", "union parameters", self.unions, UNIONS_MAX),
        ];
        for (rule, what, used, max) in budgets {
            if used > max {
                let message = format!("the request has {used} {what}, the limit is {max}");
                report.refuse("", rule, message);
            }
        }
    }
}

fn is_optional(visit: &Visit<'_>) -> bool {
    matches!(visit.place, Place::Property { need: Need::Optional, .. })
}

/// A list of types counts, and so does each `anyOf`, anywhere.
fn is_union(visit: &Visit<'_>) -> bool {
    visit.has("anyOf") || visit.get("type").is_some_and(|found| found.is_array())
}
