//! Text of others, made fit to be read: what cannot be seen is taken out, and it has an end.

/// Takes out control characters and all that people do not see but models read, and cuts.
pub(super) fn clean(text: &str, chars_max: usize) -> String {
    let visible = text.chars().filter(|c| !is_hidden(*c));
    let mut cleaned: String = visible.take(chars_max).collect();
    if text.chars().filter(|c| !is_hidden(*c)).nth(chars_max).is_some() {
        cleaned.push('…');
    }
    cleaned.trim().to_owned()
}

/// Is something in the text that a person would not see?
pub(super) fn hides(text: &str) -> bool {
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
