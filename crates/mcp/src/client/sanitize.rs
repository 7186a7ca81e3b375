//! Makes foreign text safe to show: removes invisible characters and limits its length.

/// Removes control characters and those that models read but people do not see, and truncates.
pub fn sanitize(text: &str, chars_max: usize) -> String {
    let visible = text.chars().filter(|c| !is_hidden(*c));
    let mut cleaned: String = visible.take(chars_max).collect();
    if text.chars().filter(|c| !is_hidden(*c)).nth(chars_max).is_some() {
        cleaned.push('…');
    }
    cleaned.trim().to_owned()
}

/// Whether the text has characters that a person would not see.
pub(crate) fn has_hidden_chars(text: &str) -> bool {
    text.chars().any(is_hidden)
}

fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Zero width, joiners, directions, fillers, variation selectors, tags.
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests;
