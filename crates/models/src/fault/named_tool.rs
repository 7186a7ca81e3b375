//! Which tool a provider complains about.

/// The offered tool that a complaint names by its place or by its name.
pub(super) fn named_tool<'a>(words: &str, tools: &'a [Option<String>]) -> Option<&'a str> {
    let offered = || tools.iter().flatten();
    if let Some(index) = index_after(words, &["function_declarations[", "functionDeclarations["]) {
        return offered().nth(index).map(String::as_str);
    }
    if let Some(index) = index_after(words, &["tools[", "tools."]) {
        return tools.get(index)?.as_deref();
    }
    let quoted =
        |name: &&String| ['\'', '"', '`'].iter().any(|q| words.contains(&format!("{q}{name}{q}")));
    offered().find(quoted).map(String::as_str)
}

fn index_after(words: &str, openings: &[&str]) -> Option<usize> {
    openings.iter().find_map(|opening| {
        let rest = words.split_once(opening)?.1;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest.get(..digits)?.parse().ok()
    })
}
