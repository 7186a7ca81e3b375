//! File names from topics: Ukrainian letters by the Cabinet's resolution № 55.
//!
//! Must hold: a slug is `[a-z0-9-]`, 1 to 50 bytes, without `-` at its ends.

/// The longest slug of a topic.
const SLUG_BYTES_MAX: usize = 50;
/// The slug of a topic without any usable letter.
const NAMELESS: &str = "post";

/// A topic as a part of a file name.
pub fn slug(topic: &str) -> String {
    let latin = transliterate(topic).to_lowercase();
    let mut slug = String::new();
    for c in latin.chars() {
        match c {
            'a'..='z' | '0'..='9' => slug.push(c),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
    }
    if slug.len() > SLUG_BYTES_MAX {
        let cut = slug.get(..SLUG_BYTES_MAX).unwrap_or_default();
        // Whole words, where the first one leaves a choice.
        let whole = cut.rsplit_once('-').map_or(cut, |(before, _)| before);
        let next = slug.as_bytes().get(SLUG_BYTES_MAX);
        slug = if next == Some(&b'-') { cut.to_owned() } else { whole.to_owned() };
    }
    match slug.trim_matches('-') {
        "" => NAMELESS.to_owned(),
        slug => slug.to_owned(),
    }
}

/// A text in Latin letters, with its case: `Згурський` is `Zghurskyi`.
pub fn transliterate(text: &str) -> String {
    let mut latin = String::with_capacity(text.len());
    let mut before: Option<char> = None;
    for c in text.chars() {
        if matches!(c, '\'' | '’' | 'ʼ' | 'ь' | 'Ь' | 'ъ' | 'Ъ') {
            // Not written, and not the start of a word either.
            continue;
        }
        let starts = before.is_none_or(|before| !before.is_alphanumeric());
        let lower = c.to_lowercase().next().unwrap_or(c);
        let follows_z = lower == 'г' && matches!(before, Some('з' | 'З'));
        let spelled = if follows_z { Some("gh") } else { spelled(lower, starts) };
        match spelled {
            Some(spelled) if c.is_uppercase() => {
                let mut letters = spelled.chars();
                latin.extend(letters.next().map(|first| first.to_ascii_uppercase()));
                latin.extend(letters);
            }
            Some(spelled) => latin.push_str(spelled),
            None => latin.push(folded(c)),
        }
        before = Some(c);
    }
    latin
}

fn spelled(letter: char, starts_word: bool) -> Option<&'static str> {
    Some(match (letter, starts_word) {
        ('а', _) => "a",
        ('б', _) => "b",
        ('в', _) => "v",
        ('г', _) => "h",
        ('ґ', _) => "g",
        ('д', _) => "d",
        ('е' | 'ё' | 'э', _) => "e",
        ('є', true) => "ye",
        ('є', false) => "ie",
        ('ж', _) => "zh",
        ('з', _) => "z",
        ('и' | 'ы', _) => "y",
        ('і', _) => "i",
        ('ї', true) => "yi",
        ('ї', false) => "i",
        ('й', true) => "y",
        ('й', false) => "i",
        ('к', _) => "k",
        ('л', _) => "l",
        ('м', _) => "m",
        ('н', _) => "n",
        ('о', _) => "o",
        ('п', _) => "p",
        ('р', _) => "r",
        ('с', _) => "s",
        ('т', _) => "t",
        ('у', _) => "u",
        ('ф', _) => "f",
        ('х', _) => "kh",
        ('ц', _) => "ts",
        ('ч', _) => "ch",
        ('ш', _) => "sh",
        ('щ', _) => "shch",
        ('ю', true) => "yu",
        ('ю', false) => "iu",
        ('я', true) => "ya",
        ('я', false) => "ia",
        _ => return None,
    })
}

/// Latvian, Polish and other letters without their diacritics.
fn folded(letter: char) -> char {
    match letter {
        'ł' => 'l',
        'Ł' => 'L',
        'ø' => 'o',
        'Ø' => 'O',
        'đ' => 'd',
        'Đ' => 'D',
        'ı' => 'i',
        plain if plain.is_ascii() => plain,
        marked => {
            let decomposed = icu_normalizer::DecomposingNormalizerBorrowed::new_nfd();
            let mut buffer = [0; 4];
            let apart = decomposed.normalize(marked.encode_utf8(&mut buffer));
            apart.chars().next().filter(char::is_ascii).unwrap_or(marked)
        }
    }
}

#[cfg(test)]
mod tests;
