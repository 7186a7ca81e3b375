//! Files of every kind, whole, damaged and hostile.

use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::{
    Document, Kind, ReadLimits, Unreadable, picture_size, picture_tokens, read, text_tokens,
};

mod pdf;

pub(crate) const LIMITS: ReadLimits =
    ReadLimits { text_bytes_max: 10_000, unpacked_bytes_max: 1 << 20, steps_max: 200_000 };

fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[track_caller]
pub(crate) fn check_text(bytes: &[u8], kind: Kind, text: &str) {
    let Document { kind: found, text: read } = read(bytes, LIMITS).unwrap();
    assert_eq!((found, read.unwrap().text.as_str()), (kind, text));
}

#[test]
fn the_content_decides_what_a_file_is() {
    let check = |bytes: &[u8], kind: Result<Kind, Unreadable>| {
        assert_eq!(read(bytes, LIMITS).map(|document| document.kind), kind, "{bytes:?}");
    };
    check(b"", Err(Unreadable::Empty));
    check(b"\x89PNG\r\n\x1a\n....", Ok(Kind::Png));
    check(b"\xff\xd8\xff\xe0", Ok(Kind::Jpeg));
    check(b"GIF89a", Ok(Kind::Gif));
    check(b"RIFF\0\0\0\0WEBPVP8 ", Ok(Kind::Webp));
    check(b"\0\0\0\x1cftypheic", Err(Unreadable::Picture("HEIC")));
    check(b"\0\0\0\x1cftypavif", Err(Unreadable::Picture("AVIF")));
    check(b"\x7fELF\x02\x01\x01\0", Err(Unreadable::Kind));
    check(b"<svg onload=alert(1)>", Ok(Kind::Text));
    check(&package(&[("a.txt", "a")]), Err(Unreadable::Kind));
    check(
        b"PK\x03\x04 and nothing else",
        Err(Unreadable::Damaged("it is not a complete ZIP archive")),
    );
}

#[test]
fn a_text_is_decoded_whatever_its_encoding() {
    check_text("a\r\nб\rв".as_bytes(), Kind::Text, "a\nб\nв");
    let russian = "Съешь ещё этих мягких французских булок, да выпей чаю";
    let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(russian);
    check_text(&bytes, Kind::Text, russian);
    let wide: Vec<u8> = "\u{feff}їжак".encode_utf16().flat_map(u16::to_le_bytes).collect();
    check_text(&wide, Kind::Text, "їжак");
}

#[test]
fn a_long_text_is_cut_at_a_letter() {
    let text = read("я".repeat(6_000).as_bytes(), LIMITS).unwrap().text.unwrap();
    assert_eq!((text.text.len(), text.is_cut), (10_000, true));
}

#[test]
fn a_word_document_has_headings_and_tables() {
    let xml = r#"<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><w:document><w:body>
        <w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Ціна &amp; строк</w:t></w:r></w:p>
        <w:p><w:r><w:t xml:space="preserve">One </w:t><w:t>two&#x21;&a;</w:t></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>A</w:t></w:r></w:p></w:tc>
        <w:tc><w:p><w:r><w:t>B</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>"#;
    let bytes = package(&[("[Content_Types].xml", "<a/>"), ("word/document.xml", xml)]);
    check_text(&bytes, Kind::Word, "# Ціна & строк\nOne two!&a;\nA | B");
}

#[test]
fn a_spreadsheet_has_a_page_for_each_sheet() {
    let bytes = package(&[
        (
            "xl/workbook.xml",
            r#"<workbook><sheets><sheet name="Хліб"/><sheet name="B"/></sheets></workbook>"#,
        ),
        (
            "xl/sharedStrings.xml",
            "<sst><si><t>Name</t></si><si><r><t>Pri</t></r><r><t>ce</t></r></si></sst>",
        ),
        (
            "xl/worksheets/sheet1.xml",
            r#"<sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
               <row><c r="A2" t="inlineStr"><is><t>x</t></is></c><c r="B2"><f>1+1</f><v>2</v></c>
               <c r="C2" t="b"><v>1</v></c></row></sheetData>"#,
        ),
        ("xl/worksheets/sheet2.xml", r#"<row><c r="A1" t="s"><v>99</v></c></row>"#),
    ]);
    check_text(&bytes, Kind::Sheet, "Хліб\nName\t\tPrice\nx\t2\tTRUE\n\u{c}B");
}

#[test]
fn slides_are_in_the_order_of_their_numbers() {
    let slide = |text: &str| format!("<p:sld><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>");
    let bytes = package(&[
        ("ppt/presentation.xml", "<a/>"),
        ("ppt/slides/slide10.xml", &slide("ten")),
        ("ppt/slides/slide2.xml", &slide("two")),
        ("ppt/notesSlides/notesSlide2.xml", &slide("a note")),
    ]);
    check_text(&bytes, Kind::Slides, "two\na note\n\u{c}ten");
}

#[test]
fn an_open_document_is_read_unless_it_is_encrypted() {
    let content = "<office:body><text:h>Один</text:h><text:p>a<text:s/>b</text:p><table:table-row>\
                   <table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell>\
                   <text:p>2</text:p></table:table-cell></table:table-row></office:body>";
    let parts = |manifest| {
        package(&[("mimetype", "x"), ("content.xml", content), ("META-INF/manifest.xml", manifest)])
    };
    check_text(&parts("<m/>"), Kind::OpenDocument, "Один\na b\n1\t2");
    let encrypted = parts("<manifest:encryption-data/>");
    assert_eq!(read(&encrypted, LIMITS), Err(Unreadable::Encrypted));
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked() {
    let zeros = "0".repeat(8 << 20);
    let bytes = package(&[("word/document.xml", &zeros)]);
    assert!(bytes.len() < 100_000);
    assert_eq!(read(&bytes, LIMITS), Err(Unreadable::TooLarge(LIMITS.unpacked_bytes_max)));
    let tags = "<a>".repeat(300_000);
    let bytes = package(&[("word/document.xml", &tags)]);
    assert_eq!(read(&bytes, LIMITS), Err(Unreadable::TooComplicated));
}

#[test]
fn the_size_of_a_picture_is_in_its_header() {
    let check = |kind, bytes: &[u8], size| assert_eq!(picture_size(kind, bytes), size);
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0";
    check(Kind::Png, png, Some((640, 480)));
    check(Kind::Gif, b"GIF89a\x80\x02\xe0\x01", Some((640, 480)));
    let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc2\0\x11\x08\x01\xe0\x02\x80";
    check(Kind::Jpeg, jpeg, Some((640, 480)));
    check(Kind::Webp, b"RIFF....WEBPVP8X\x0a\0\0\0....\x7f\x02\0\xdf\x01\0", Some((640, 480)));
    check(Kind::Png, b"\x89PNG", None);
    check(Kind::Jpeg, b"\xff\xd8\xff\xe0\0\0", None);
    assert_eq!(picture_tokens(Some((750, 100))), 100);
    assert_eq!(picture_tokens(Some((u32::MAX, u32::MAX))), 1_600);
    assert_eq!((text_tokens("four"), text_tokens("слово")), (1, 3));
}
