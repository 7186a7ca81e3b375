//! How many tokens a model will count for a file, about. Every provider counts differently.

/// About four letters of the Latin alphabet make a token, and two of another one.
pub fn text_tokens(text: &str) -> u64 {
    let quarters: u64 = text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
    quarters.div_ceil(4)
}

/// By the number of pixels; providers scale large pictures down.
pub fn picture_tokens(size: Option<(u32, u32)>) -> u64 {
    const PIXELS_PER_TOKEN: u64 = 750;
    const TOKENS_MAX: u64 = 1_600;
    match size {
        Some((width, height)) => {
            (u64::from(width) * u64::from(height)).div_ceil(PIXELS_PER_TOKEN).min(TOKENS_MAX)
        }
        None => TOKENS_MAX,
    }
}
