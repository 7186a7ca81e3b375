//! Finds the tool that a provider's error is about.

/// A tool under both of its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentTool {
    pub(crate) name: String,
    /// The name that the provider received.
    pub(crate) wire_name: String,
}

/// The offered tool that an error refers to by its position or name.
pub(crate) fn named_tool<'a>(words: &str, tools: &'a [Option<SentTool>]) -> Option<&'a str> {
    let offered = || tools.iter().flatten();
    if let Some(index) = index_after(words, &["function_declarations[", "functionDeclarations["]) {
        return offered().nth(index).map(|tool| tool.name.as_str());
    }
    if let Some(index) = index_after(words, &["tools[", "tools."]) {
        return tools.get(index)?.as_ref().map(|tool| tool.name.as_str());
    }
    let quoted =
        |name: &str| ['\'', '"', '`'].iter().any(|q| words.contains(&format!("{q}{name}{q}")));
    let is_named = |tool: &&SentTool| quoted(&tool.wire_name) || quoted(&tool.name);
    offered().find(is_named).map(|tool| tool.name.as_str())
}

fn index_after(words: &str, openings: &[&str]) -> Option<usize> {
    openings.iter().find_map(|opening| {
        let rest = words.split_once(opening)?.1;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest.get(..digits)?.parse().ok()
    })
}
