//! Which tools somebody may see and call.

/// A set of tools, by their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    All,
    /// Ids; one that ends in `*` stands for all that begin so.
    Only(Vec<String>),
}

impl Allowed {
    pub fn allows(&self, id: &str) -> bool {
        let fits = |pattern: &String| match pattern.strip_suffix('*') {
            Some(start) => id.starts_with(start),
            None => id == pattern,
        };
        match self {
            Allowed::All => true,
            Allowed::Only(patterns) => patterns.iter().any(fits),
        }
    }
}

#[cfg(test)]
mod tests;
