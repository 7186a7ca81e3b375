//! Files of messages: any bytes are read within the limits or refused with a reason.

use documents::{ReadLimits, read};

use super::{Check, Target, texts};

pub(super) const TARGET: Target = Target { name: "attachment", seeds, words: WORDS, check: made };

const LIMITS: ReadLimits =
    ReadLimits { text_bytes_max: 4_000, unpacked_bytes_max: 200_000, steps_max: 50_000 };

const WORDS: &[&str] = &[
    "%PDF-1.7\n",
    "1 0 obj ",
    " endobj\n",
    "<< /Type /Page /Contents 2 0 R >>",
    "<< /Kids [3 0 R] >>",
    "<< /Length 10 /Filter /FlateDecode >>\nstream\n",
    "\nendstream",
    "/Type /ObjStm /N 2 /First 8",
    "trailer << /Root 1 0 R >>",
    "BT /F1 9 Tf (text) Tj ET",
    "[(a) -300 (b)] TJ",
    "beginbfrange <00> <FF> <0041> endbfrange",
    "BI ID EI",
    "(((",
    "[[[",
    "<<",
    "PK\u{3}\u{4}",
    "word/document.xml",
    "<w:p><w:t>",
    "\u{0}",
    "я",
];

const PDF: &str = "%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Kids \
                   [3 0 R] /Resources << /Font << /F1 5 0 R >> >> >> endobj\n3 0 obj << /Type \
                   /Page /Contents 4 0 R >> endobj\n4 0 obj << /Length 40 >>\nstream\nBT /F1 9 \
                   Tf 10 10 Td (Hello) Tj ET          \nendstream endobj\n5 0 obj << /Subtype \
                   /Type1 /Encoding << /Differences [65 /fi /afii10017] >> >> endobj\ntrailer << \
                   /Root 1 0 R >>";

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = texts(&[PDF, "a,b\n1,2\n", "\u{feff}Привіт"]);
    seeds.push(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".to_vec());
    seeds.push(b"\xff\xd8\xff\xe0\0\x04ab\xff\xc2\0\x11\x08\0\x01\0\x01".to_vec());
    seeds.push(b"PK\x03\x04\x14\0\0\0\0\0".to_vec());
    seeds
}

fn made() -> Check {
    Box::new(|input| {
        let Ok(document) = read(input, LIMITS) else { return Ok(()) };
        documents::picture_size(document.kind, input);
        match document.text {
            Some(text) if text.text.len() > LIMITS.text_bytes_max => {
                Err(format!("{} bytes of text", text.text.len()))
            }
            None if !document.kind.is_picture() => Err(format!("{:?} has no text", document.kind)),
            Some(_) | None => Ok(()),
        }
    })
}
