//! Files for cards: any bytes are a text or refused, and what is read has no leftover of a file.

use cards::{DocumentHint, read_document};

use super::{Check, Target, texts};

pub(super) const TARGET: Target =
    Target { name: "card-document", seeds, words: WORDS, check: made };

const WORDS: &[&str] = &[
    "<p>",
    "</p>",
    "<script>",
    "</script>",
    "<article hidden>",
    "&amp;",
    "&#x1F600;",
    "<title>",
    "<br>",
    "00:00:01,000 --> 00:00:02,000\n",
    "WEBVTT\n\n",
    "{\\an8}",
    "<i>",
    "\u{feff}",
    "PK\u{3}\u{4}",
    "charset=windows-1257",
    "encoding=\"utf-16\"",
    "\n\n",
    "mimetypeapplication/epub+zip",
    "ā",
    "漢",
];

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = texts(&[
        "Suns rej. Kaķis skrien.",
        "1\n00:00:01,000 --> 00:00:02,000\nLabrīt!\n\n2\n00:00:03,000 --> 00:00:04,000\n- Jā.\n",
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>Suns rej &amp; kož.\n",
        "<!doctype html><title>T</title><body><nav>x</nav><p>Suns<br>rej</p><pre>a\n b</pre>",
        "<?xml version=\"1.0\" encoding=\"windows-1251\"?><html><body hidden><p>x",
    ]);
    seeds.push("Labrīt. Rīga.".encode_utf16().flat_map(u16::to_le_bytes).collect());
    seeds.push(b"\xc7\xe8\xec\xee\xe9 \xf1\xed\xe5\xe3. \xc4\xe0.".to_vec());
    seeds
}

fn made() -> Check {
    let language = "lv".parse();
    Box::new(move |input| {
        let language = language.as_ref().map_err(ToString::to_string)?;
        for (name, media_type) in [
            ("a.txt", None),
            ("a.srt", None),
            ("a.html", None),
            ("a.epub", None),
            ("a", Some("text/html")),
        ] {
            let hint = DocumentHint { name, media_type, language };
            let Ok(document) = read_document(input, hint) else { continue };
            if document.text.trim().is_empty() {
                return Err(format!("{name}: an empty text was taken"));
            }
            if document.text.contains("-->") && name == "a.srt" && !input.contains(&b'-') {
                return Err(format!("{name}: a time is left"));
            }
        }
        Ok(())
    })
}
