//! Quotations of East Asian texts: a sentence does not end inside 「」, nor behind them if the
//! words that follow report what was said.

const PAIRS: [(char, char); 7] = [
    ('「', '」'),
    ('『', '』'),
    ('（', '）'),
    ('【', '】'),
    ('〈', '〉'),
    ('《', '》'),
    ('〔', '〕'),
];

/// Is a bracket open on the left that closes on the right?
pub(super) fn is_inside(left: &str, right: &str) -> bool {
    PAIRS.iter().any(|(open, close)| {
        let opened = left.chars().filter(|c| c == open).count();
        let closed = left.chars().filter(|c| c == close).count();
        opened > closed && right.contains(*close)
    })
}

/// Does the right side go on after a quotation, as in 「はい。」と言った。?
pub(super) fn goes_on_after(left: &str, right: &str) -> bool {
    let quoted = left.trim_end().ends_with(['」', '』', '）']);
    quoted && (reports(right) || is_particle(right))
}

/// `と` and `って` report; some words only begin like them.
fn reports(right: &str) -> bool {
    const OTHER_WORDS: [&str; 9] = [
        "とても",
        "とにかく",
        "ところ",
        "とうとう",
        "ときどき",
        "ときに",
        "となり",
        "とたん",
        "とっさ",
    ];
    let said = ["と", "って", "なんて", "など"].iter().any(|word| right.starts_with(word));
    said && !OTHER_WORDS.iter().any(|word| right.starts_with(word))
}

/// A particle of one sign, before a word that is not in hiragana.
fn is_particle(right: &str) -> bool {
    let mut chars = right.chars();
    let (first, second) = (chars.next(), chars.next());
    match first {
        Some('、' | '，' | '。' | '．') => true,
        Some('の' | 'を' | 'は' | 'が' | 'も' | 'に' | 'で' | 'へ' | 'や') => {
            second.is_some_and(|c| !is_hiragana(c))
        }
        Some(_) | None => false,
    }
}

fn is_hiragana(c: char) -> bool {
    ('\u{3040}'..='\u{309f}').contains(&c)
}
