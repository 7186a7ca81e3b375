//! PDF files: written by hand, damaged, and hostile.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::{LIMITS, check_text};
use crate::{Kind, Unreadable, read};

fn packed(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn stream(fields: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("<< /Length {} {fields} >>\nstream\n", data.len());
    [head.as_bytes(), data, b"\nendstream"].concat()
}

/// A file of these objects, numbered from 1.
fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    for (at, object) in objects.iter().enumerate() {
        bytes.extend(format!("{} 0 obj\n", at + 1).bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    bytes.extend(b"trailer << /Root 1 0 R >>");
    bytes
}

fn pages(contents: &[&[u8]], font: &str) -> Vec<u8> {
    let kids: Vec<String> = (0..contents.len()).map(|at| format!("{} 0 R", 4 + 2 * at)).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Kids [{}] /Resources << /Font << /F1 3 0 R >> >> >>", kids.join(" "))
            .into_bytes(),
        font.as_bytes().to_vec(),
    ];
    for (at, content) in contents.iter().enumerate() {
        objects.push(format!("<< /Type /Page /Contents {} 0 R >>", 5 + 2 * at).into_bytes());
        objects.push(stream("/Filter /FlateDecode", &packed(content)));
    }
    file(&objects)
}

const LATIN: &str = "<< /Type /Font /Subtype /Type1 /Encoding /WinAnsiEncoding >>";

#[test]
fn lines_words_and_pages_are_kept_apart() {
    let first = b"BT /F1 10 Tf 50 700 Td (Hello) Tj ( world) Tj 0 -12 Td [(Sec) 20 (ond) -400 (line)] TJ ET";
    let second = b"BT /F1 10 Tf 1 0 0 1 50 700 Tm (a\\)\\051) ' 1 0 0 1 50 600 Tm <42> Tj ET";
    let bytes = pages(&[first, second], LATIN);
    check_text(&bytes, Kind::Pdf, "Hello world\nSecond line\u{c}a))\n\nB");
}

#[test]
fn glyphs_have_their_own_names_and_tables() {
    let named = "<< /Subtype /Type1 /Encoding << /Differences [1 /afii10017 /fi 65 /uni0404] >> >>";
    let show = b"BT /F1 10 Tf <01024142> Tj ET";
    check_text(&pages(&[show], named), Kind::Pdf, "АfiЄB");
    let map = b"begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfchar <0005> <0456> \
                endbfchar 1 beginbfrange <0010> <0012> <0430> endbfrange";
    let font = "<< /Subtype /Type0 /ToUnicode 6 0 R >>";
    let mut objects = pages(&[b"BT /F1 10 Tf <0005001000110012> Tj ET"], font);
    objects.extend(b"\n6 0 obj\n");
    objects.extend(stream("", map));
    check_text(&objects, Kind::Pdf, "іабв");
}

#[test]
fn objects_inside_of_streams_are_found() {
    let inner = "1 0 2 38 << /Type /Catalog /Pages 2 0 R >>    << /Kids [4 0 R] >>";
    let first = inner.find("<<").unwrap();
    let second = inner.rfind("<<").unwrap() - first;
    let inner = inner.replacen("38", &format!("{second:02}"), 1);
    let packed_objects = stream(
        &format!("/Type /ObjStm /N 2 /First {first} /Filter /FlateDecode"),
        &packed(inner.as_bytes()),
    );
    let page =
        "<< /Type /Page /Contents 5 0 R /Resources << /Font << /F1 << /Subtype /Type1 >> >> >> >>";
    let mut bytes = b"%PDF-1.5\n9 0 obj\n".to_vec();
    bytes.extend(packed_objects);
    bytes.extend(format!("\nendobj\n4 0 obj {page} endobj 5 0 obj ").bytes());
    bytes.extend(stream("", b"BT /F1 9 Tf (deep) Tj ET"));
    check_text(&bytes, Kind::Pdf, "deep");
}

#[test]
fn a_damaged_or_hostile_file_ends_in_time() {
    let check = |bytes: &[u8], expected: Unreadable| {
        assert_eq!(read(bytes, LIMITS).unwrap_err(), expected);
    };
    check(b"%PDF-1.7\nnothing", Unreadable::Damaged("it has no pages"));
    check(b"%PDF-1.7 trailer << /Encrypt 5 0 R >>", Unreadable::Encrypted);
    // A tree of pages that contains itself.
    let loops = file(&[
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Kids [2 0 R 2 0 R] >>".to_vec(),
    ]);
    check(&loops, Unreadable::Damaged("it has no pages"));
    // A stream that unpacks to far more than is allowed.
    let bomb = pages(&[&vec![b' '; 8 << 20]], LATIN);
    assert!(bomb.len() < 100_000);
    check(&bomb, Unreadable::TooLarge(LIMITS.unpacked_bytes_max));
    // A drawing that draws itself.
    let form = stream(
        "/Subtype /Form /Resources << /XObject << /A 4 0 R >> >>",
        b"/A Do /A Do /A Do /A Do /A Do /A Do /A Do /A Do",
    );
    let page =
        b"<< /Type /Page /Contents 4 0 R /Resources << /XObject << /A 4 0 R >> >> >>".to_vec();
    let draws = file(&[
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Kids [3 0 R] >>".to_vec(),
        page,
        form,
    ]);
    check(&draws, Unreadable::TooComplicated);
    let nested = [b"%PDF-1.7 1 0 obj ".to_vec(), vec![b'['; 200_000]].concat();
    check(&nested, Unreadable::Damaged("it has no pages"));
}

/// Whatever is cut off or changed, reading ends with a text or a reason.
#[test]
fn no_change_of_a_file_breaks_the_reader() {
    let whole = pages(&[b"BT /F1 10 Tf 50 700 Td (Hello) Tj ET", b"BT (x) Tj ET"], LATIN);
    for end in 0..whole.len() {
        let _read = read(&whole[..end], LIMITS);
        let mut changed = whole.clone();
        changed[end] = changed[end].wrapping_add(31);
        let _read = read(&changed, LIMITS);
    }
}
