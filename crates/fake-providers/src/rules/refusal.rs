//! One refusal, and the report that collects all of them.

/// One reason for which the provider would answer 400 (or drop something, see `ignored`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The tool it is about; empty when it is about the request as a whole.
    pub tool: String,
    /// JSON pointer into the checked value. What is missing is reported at its parent.
    pub pointer: String,
    /// The rule's name, stable across messages: `root-union`, `format`, `name-unique`.
    pub rule: &'static str,
    /// What is wrong, for the author of the schema.
    pub message: String,
}

/// Collects refusals and remembers which tool and place they are about.
#[derive(Debug, Default)]
pub(crate) struct Report {
    tool: String,
    base: String,
    found: Vec<Refusal>,
}

impl Report {
    /// What follows is about this tool; `refuse` takes pointers relative to `base`.
    pub(crate) fn enter(&mut self, tool: &str, base: &str) {
        tool.clone_into(&mut self.tool);
        base.clone_into(&mut self.base);
    }

    /// What follows is about the request as a whole.
    pub(crate) fn leave(&mut self) {
        self.enter("", "");
    }

    pub(crate) fn refuse(&mut self, at: &str, rule: &'static str, message: impl Into<String>) {
        let refusal = Refusal {
            tool: self.tool.clone(),
            pointer: format!("{}{at}", self.base),
            rule,
            message: message.into(),
        };
        if !self.found.contains(&refusal) {
            self.found.push(refusal);
        }
    }

    pub(crate) fn into_found(self) -> Vec<Refusal> {
        self.found
    }
}
