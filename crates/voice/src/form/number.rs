//! Reads a spoken number: digits as a recogniser writes them, or words.

use crate::words::answer::normalize;
use crate::words::language::Language;

/// A number with as many digits as were said; `-2.50` stays `-2.50`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpokenNumber {
    text: String,
}

impl SpokenNumber {
    pub(crate) fn as_integer(&self) -> Option<i64> {
        self.text.parse().ok()
    }

    /// Whole numbers stay whole, as a page's form sends them.
    pub(crate) fn as_json(&self) -> Option<serde_json::Value> {
        if let Some(whole) = self.as_integer() {
            return Some(whole.into());
        }
        let number = self.text.parse::<f64>().ok().filter(|number| number.is_finite())?;
        Some(number.into())
    }
}

/// The number that the whole text says, in any of the languages.
pub(crate) fn spoken_number(text: &str, languages: &[Language]) -> Option<SpokenNumber> {
    let text = normalize(text);
    if let Some(digits) = digits(&text.replace(' ', ""), languages) {
        return Some(SpokenNumber { text: digits });
    }
    languages.iter().find_map(|language| in_words(&text, *language))
}

/// `1200`, `-3.5`, `3,5`; in English `1,200` is twelve hundred.
fn digits(text: &str, languages: &[Language]) -> Option<String> {
    let (sign, bare) = match text.strip_prefix('-') {
        Some(bare) => ("-", bare),
        None => ("", text),
    };
    let all_digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    let groups: Vec<&str> = bare.split(',').collect();
    let is_grouped = groups.len() > 1
        && groups[1..].iter().all(|group| group.len() == 3 && all_digits(group))
        && languages.first() == Some(&Language::En);
    let plain = if is_grouped { bare.replace(',', "") } else { bare.replacen(',', ".", 1) };
    let fits = match plain.split_once('.') {
        Some((whole, part)) => all_digits(whole) && all_digits(part),
        None => all_digits(&plain),
    };
    fits.then(|| format!("{sign}{plain}"))
}

fn in_words(text: &str, language: Language) -> Option<SpokenNumber> {
    let words = &language.words().numbers;
    let mut tokens = text.split(' ').filter(|token| !words.joiners.iter().any(|one| one == token));
    let mut tokens: Vec<&str> = tokens.by_ref().collect();
    let is = |list: &[String], token: &str| list.iter().any(|one| one == token);
    let sign = match tokens.first() {
        Some(first) if is(&words.minus, first) => {
            tokens.remove(0);
            "-"
        }
        _ => "",
    };
    let point = tokens.iter().position(|token| is(&words.point, token));
    let (whole, part) = match point {
        Some(at) => (&tokens[..at], Some(&tokens[at + 1..])),
        None => (&tokens[..], None),
    };
    let whole = whole_number(whole, language)?;
    let text = match part {
        None => format!("{sign}{whole}"),
        Some(part) => format!("{sign}{whole}.{}", fraction(part, language)?),
    };
    Some(SpokenNumber { text })
}

/// "two thousand and five": values add up from large to small, scales multiply.
fn whole_number(tokens: &[&str], language: Language) -> Option<u64> {
    let words = &language.words().numbers;
    let (mut total, mut current, mut scale_before) = (0_u64, None::<u64>, u64::MAX);
    for token in tokens {
        if let Some(scale) = words.scales.get(*token).copied().map(u64::from) {
            let times = current.unwrap_or(1).checked_mul(scale)?;
            match scale {
                100 => current = Some(times),
                _ if scale < scale_before => {
                    total = total.checked_add(times)?;
                    (current, scale_before) = (None, scale);
                }
                _ => return None,
            }
            continue;
        }
        let value = value_of(token, language)?;
        current = Some(match current {
            None => value,
            Some(before) => {
                let room = [10, 100, 1_000].into_iter().find(|room| value < *room)?;
                let fits = value > 0 && before > 0 && before % room == 0;
                fits.then(|| before.checked_add(value)).flatten()?
            }
        });
    }
    match (current, scale_before) {
        (Some(last), u64::MAX) => Some(last),
        (Some(last), scale) if last < scale => total.checked_add(last),
        (None, scale) if scale != u64::MAX => Some(total),
        (Some(_) | None, _) => None,
    }
}

fn value_of(token: &str, language: Language) -> Option<u64> {
    let listed = language.words().numbers.words.get(token).copied().map(u64::from);
    listed.or_else(|| token.parse().ok())
}

/// "one four" after the point: digit by digit, or one number.
fn fraction(tokens: &[&str], language: Language) -> Option<String> {
    let digits: Option<String> = tokens
        .iter()
        .map(|token| value_of(token, language).map(|value| value.to_string()))
        .collect();
    digits.filter(|digits| !digits.is_empty() && tokens.len() <= 9)
}

#[cfg(test)]
mod tests;
