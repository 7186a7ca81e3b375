//! The characters that the names of glyphs stand for.

/// The character of a glyph's name; none if the name means nothing outside of its font.
pub(super) fn character(name: &str) -> Option<char> {
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return Some(letter).filter(char::is_ascii_alphabetic);
    }
    for prefix in ["uni", "u"] {
        if let Some(hex) = name.strip_prefix(prefix)
            && (4..=6).contains(&hex.len())
            && let Ok(code) = u32::from_str_radix(hex, 16)
        {
            return char::from_u32(code);
        }
    }
    if let Some(number) = name.strip_prefix("afii").and_then(|number| number.parse().ok()) {
        return cyrillic(number);
    }
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, c)| *c)
}

/// The Cyrillic letters of the Adobe glyph list.
fn cyrillic(number: u32) -> Option<char> {
    let at = |first: u32, from: u32| char::from_u32(first + (number - from));
    match number {
        10023 => Some('Ё'),
        10071 => Some('ё'),
        10017..=10022 => at(0x410, 10017),
        10024..=10049 => at(0x416, 10024),
        10065..=10070 => at(0x430, 10065),
        10072..=10097 => at(0x436, 10072),
        10050 => Some('Ґ'),
        10098 => Some('ґ'),
        10053 => Some('Є'),
        10101 => Some('є'),
        10055 => Some('І'),
        10103 => Some('і'),
        10056 => Some('Ї'),
        10104 => Some('ї'),
        61352 => Some('№'),
        _ => None,
    }
}

const NAMES: [(&str, char); 98] = [
    ("space", ' '),
    ("nbspace", ' '),
    ("exclam", '!'),
    ("quotedbl", '"'),
    ("numbersign", '#'),
    ("dollar", '$'),
    ("percent", '%'),
    ("ampersand", '&'),
    ("quotesingle", '\''),
    ("parenleft", '('),
    ("parenright", ')'),
    ("asterisk", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("hyphen", '-'),
    ("minus", '−'),
    ("period", '.'),
    ("slash", '/'),
    ("zero", '0'),
    ("one", '1'),
    ("two", '2'),
    ("three", '3'),
    ("four", '4'),
    ("five", '5'),
    ("six", '6'),
    ("seven", '7'),
    ("eight", '8'),
    ("nine", '9'),
    ("colon", ':'),
    ("semicolon", ';'),
    ("less", '<'),
    ("equal", '='),
    ("greater", '>'),
    ("question", '?'),
    ("at", '@'),
    ("bracketleft", '['),
    ("backslash", '\\'),
    ("bracketright", ']'),
    ("asciicircum", '^'),
    ("underscore", '_'),
    ("grave", '`'),
    ("braceleft", '{'),
    ("bar", '|'),
    ("braceright", '}'),
    ("asciitilde", '~'),
    ("quoteleft", '‘'),
    ("quoteright", '’'),
    ("quotedblleft", '“'),
    ("quotedblright", '”'),
    ("quotesinglbase", '‚'),
    ("quotedblbase", '„'),
    ("guillemotleft", '«'),
    ("guillemotright", '»'),
    ("endash", '–'),
    ("emdash", '—'),
    ("bullet", '•'),
    ("ellipsis", '…'),
    ("section", '§'),
    ("paragraph", '¶'),
    ("degree", '°'),
    ("copyright", '©'),
    ("registered", '®'),
    ("trademark", '™'),
    ("Euro", '€'),
    ("sterling", '£'),
    ("yen", '¥'),
    ("fi", 'ﬁ'),
    ("fl", 'ﬂ'),
    ("ff", 'ﬀ'),
    ("ffi", 'ﬃ'),
    ("ffl", 'ﬄ'),
    ("germandbls", 'ß'),
    ("adieresis", 'ä'),
    ("odieresis", 'ö'),
    ("udieresis", 'ü'),
    ("Adieresis", 'Ä'),
    ("Odieresis", 'Ö'),
    ("Udieresis", 'Ü'),
    ("aacute", 'á'),
    ("eacute", 'é'),
    ("iacute", 'í'),
    ("oacute", 'ó'),
    ("uacute", 'ú'),
    ("agrave", 'à'),
    ("egrave", 'è'),
    ("acircumflex", 'â'),
    ("ecircumflex", 'ê'),
    ("icircumflex", 'î'),
    ("ocircumflex", 'ô'),
    ("ccedilla", 'ç'),
    ("ntilde", 'ñ'),
    ("atilde", 'ã'),
    ("otilde", 'õ'),
    ("aring", 'å'),
    ("oslash", 'ø'),
    ("ae", 'æ'),
    ("multiply", '×'),
    ("divide", '÷'),
];
