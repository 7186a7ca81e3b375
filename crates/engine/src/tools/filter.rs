//! Which tools a caller may see and call.

/// A set of tools, by their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolFilter {
    All,
    /// Ids; one that ends in `*` matches every id with that prefix.
    Only(Vec<String>),
}

impl ToolFilter {
    pub fn allows(&self, id: &str) -> bool {
        let fits = |pattern: &String| match pattern.strip_suffix('*') {
            Some(start) => id.starts_with(start),
            None => id == pattern,
        };
        match self {
            ToolFilter::All => true,
            ToolFilter::Only(patterns) => patterns.iter().any(fits),
        }
    }
}

#[cfg(test)]
mod tests;
