//! Files as people have them: old encodings, subtitles, pages, books.

use encoding_rs::Encoding;

use super::{Document, DocumentHint, DocumentKind, read_document};
use crate::export::pack;

fn read_as(
    bytes: &[u8],
    name: &str,
    media_type: Option<&str>,
    language: &str,
) -> Result<Document, String> {
    let language = language.parse().unwrap();
    let hint = DocumentHint { name, media_type, language: &language };
    read_document(bytes, hint).map_err(|fault| fault.to_string())
}

fn read(bytes: &[u8], name: &str) -> Document {
    read_as(bytes, name, None, "lv").unwrap()
}

const SAMPLES: [(&str, &str); 6] = [
    (
        "lv",
        "Ziemā Rīgā sniegs krīt lēni. Bērni skrien uz skolu, bet vecāki dzer kafiju un runā par ceļu.",
    ),
    (
        "uk",
        "Їжак біжить лісом і шукає гриби. Діти йдуть до школи, а батьки п'ють каву й ґаву ловлять.",
    ),
    (
        "ru",
        "Зимой снег падает медленно. Дети идут в школу, а родители пьют кофе и говорят о дороге.",
    ),
    (
        "de",
        "Im Winter fällt der Schnee langsam. Die Mädchen gehen zur Schule, die Väter trinken heißen Tee.",
    ),
    (
        "ja",
        "冬の朝、雪がゆっくりと降っていた。子どもたちは学校へ行き、親たちはコーヒーを飲んでいる。",
    ),
    (
        "ar",
        "في الشتاء يسقط الثلج ببطء. يذهب الأطفال إلى المدرسة ويشرب الآباء القهوة ويتحدثون عن الطريق.",
    ),
];

#[test]
fn texts_from_before_unicode_are_read_in_the_encoding_of_their_language() {
    for (language, label) in [
        ("lv", "windows-1257"),
        ("lv", "iso-8859-13"),
        ("uk", "windows-1251"),
        ("uk", "koi8-u"),
        ("ru", "windows-1251"),
        ("ru", "koi8-r"),
        ("ru", "iso-8859-5"),
        ("de", "iso-8859-1"),
        ("ja", "shift_jis"),
        ("ja", "euc-jp"),
        ("ar", "windows-1256"),
        ("ar", "iso-8859-6"),
    ] {
        let text = SAMPLES.iter().find(|(code, _)| *code == language).unwrap().1;
        let (bytes, _, unknown) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
        assert!(!unknown, "{label} has no sign for a letter");
        let read = read_as(&bytes, "a.txt", None, language).unwrap();
        assert_eq!(read.text, text, "{label} was read as {}", read.encoding);
    }
}

#[test]
fn unicode_of_any_width_is_read_with_and_without_a_mark() {
    for (language, text) in SAMPLES {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
        for bytes in [
            text.as_bytes().to_vec(),
            marked(b"\xef\xbb\xbf", text.as_bytes()),
            marked(b"\xff\xfe", &little),
            marked(b"\xfe\xff", &big),
        ] {
            assert_eq!(read_as(&bytes, "a.txt", None, language).unwrap().text, text);
        }
        // Without a mark, spaces tell; Japanese has none.
        if language != "ja" {
            for bytes in [little, big] {
                assert_eq!(read_as(&bytes, "a.txt", None, language).unwrap().text, text);
            }
        }
    }
}

#[test]
fn what_is_no_text_is_refused_with_a_reason() {
    let check = |bytes: &[u8], expected: &str| {
        let why = read_as(bytes, "a.txt", None, "lv").unwrap_err();
        assert!(why.contains(expected), "{why}");
    };
    check(b"%PDF-1.7\n...", "this is a PDF");
    check(b"\x89PNG\r\n\x1a\n", "this is a picture");
    check(b"PK\x03\x04\x14\x00\x06\x00word/document.xml", "this archive is not an EPUB");
    check(b"{\\rtf1\\ansi Suns rej.}", "this is RTF");
    let noise: Vec<u8> = (0..4_000u32).map(|n| (n * n % 251) as u8).collect();
    check(&noise, "not a text file");
    check(b" \n\t", "the file has no text");
}

#[test]
fn subtitles_are_what_is_said() {
    let srt = "1\r\n00:00:01,000 --> 00:00:03,500\r\n<i>Labrīt!</i> Kā tu\r\njūties šodien?\r\n\r\n\
               2\r\n00:00:04,000 --> 00:00:06,000\r\n- Labi.\r\n- Es arī.\r\n\r\n\
               3\r\n00:00:07,000 --> 00:00:09,000\r\n{\\an8}Tad mēs ejam uz\r\n\r\n\
               4\r\n00:00:09,100 --> 00:00:11,000\r\njūru, kur ir silts.\r\n\r\n\
               5\r\n00:00:12,000 --> 00:00:13,000\r\n[mūzika]\r\n";
    let Document { text, kind, .. } = read(srt.as_bytes(), "film.srt");
    assert_eq!(kind, DocumentKind::Subtitles);
    assert_eq!(
        text,
        "Labrīt! Kā tu jūties šodien?\n\n- Labi.\n\n- Es arī.\n\n\
         Tad mēs ejam uz jūru, kur ir silts."
    );
    let vtt = "WEBVTT\n\nNOTE a remark\n\n1\n00:01.000 --> 00:02.000 line:0\n<v Anna>Suns rej &amp; kož.\n\n\
               00:02.000 --> 00:03.000\nSuns rej &amp; kož.\nKaķis bēg";
    let Document { text, kind, .. } = read(vtt.as_bytes(), "talk");
    assert_eq!(kind, DocumentKind::Subtitles, "known by what it begins with");
    assert_eq!(text, "Suns rej & kož.\n\nKaķis bēg");
}

const PAGE: &str = "<!DOCTYPE html><html><head><title>Mana  diena</title><style>p{}</style>\
    <script>if (a < b) document.write('<p>nē</p>')</script></head><body>\
    <nav><a href=\"/\">Sākums</a></nav><h1>Rīts</h1>\n<p>Es pamostos\nplkst. 7 &amp; dzeru <b>ka</b>fiju.</p>\
    <ul><li>maize<li>piens</ul><p hidden>slēpts</p>Viens<br>Divi\
    <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby><pre>a\n b</pre><footer>© 2026</footer></body></html>";

#[test]
fn a_page_is_what_its_reader_reads() {
    let Document { text, title, kind, .. } = read(PAGE.as_bytes(), "page.html");
    assert_eq!((kind, title.as_deref()), (DocumentKind::Html, Some("Mana diena")));
    assert_eq!(
        text,
        "Rīts\n\nEs pamostos plkst. 7 & dzeru kafiju.\n\nmaize\n\npiens\n\nViens\nDivi漢\n\na\nb"
    );
    // What the server says counts more than the name; the head may declare the encoding.
    let old = "<html><head><meta charset=windows-1257><body><p>Rīts ļoti agri. Šī diena jau sākas.";
    let (bytes, _, _) = encoding_rs::WINDOWS_1257.encode(old);
    let old = read_as(&bytes, "page", Some("text/html"), "en").unwrap();
    assert_eq!(
        (old.text.as_str(), old.encoding),
        ("Rīts ļoti agri. Šī diena jau sākas.", "windows-1257")
    );
    let served = read_as("<p>Rīts".as_bytes(), "page.txt", Some("text/html; charset=utf-8"), "lv");
    assert_eq!(served.unwrap().text, "Rīts");
    // The tags of head and body may be left out.
    for open in ["", "<head>", "<html><head><meta charset=utf-8>"] {
        let page = format!("{open}<title>Stāsts</title><p>Suns rej.");
        let Document { text, title, .. } = read(page.as_bytes(), "page.html");
        assert_eq!((text.as_str(), title.as_deref()), ("Suns rej.", Some("Stāsts")), "{open}");
    }
}

#[test]
fn of_a_page_with_an_article_only_that_is_read() {
    let long = "Jūra šodien bija mierīga un silta. ".repeat(10);
    let page = format!(
        "<html><body><div>Reklāma</div><article><h1>Jūra</h1><p>{long}</p></article>\
         <div>Citi raksti</div></body></html>"
    );
    let text = read(page.as_bytes(), "a.html").text;
    assert!(text.starts_with("Jūra\n\nJūra šodien") && !text.contains("Reklāma"), "{text}");
    let short = "<html><body><div>Ziņas</div><article>Īss.</article></body></html>";
    assert_eq!(read(short.as_bytes(), "a.html").text, "Ziņas\n\nĪss.");
}

fn book(files: &[(&str, &str)]) -> Vec<u8> {
    let container = "<?xml version=\"1.0\"?><container><rootfiles>\
        <rootfile full-path=\"OEBPS/content.opf\"/></rootfiles></container>";
    let mut all: Vec<(&str, &[u8])> = vec![
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.as_bytes()),
    ];
    all.extend(files.iter().map(|(name, text)| (*name, text.as_bytes())));
    pack(&all).unwrap()
}

const PACKAGE: &str = "<package><metadata><dc:title>Jūras stāsti</dc:title></metadata><manifest>\
    <item id=\"two\" href=\"text/two%20b.xhtml\" media-type=\"application/xhtml+xml\"/>\
    <item id=\"one\" href=\"text/one.xhtml\" media-type=\"application/xhtml+xml\"/>\
    <item id=\"css\" href=\"style.css\" media-type=\"text/css\"/></manifest>\
    <spine><itemref idref=\"one\"/><itemref idref=\"two\"/><itemref idref=\"css\"/></spine></package>";

#[test]
fn a_book_is_read_in_the_order_of_its_spine() {
    let bytes = book(&[
        ("OEBPS/content.opf", PACKAGE),
        ("OEBPS/text/two b.xhtml", "<html><body><p>Otrā nodaļa.</p></body></html>"),
        ("OEBPS/text/one.xhtml", "<html><body><h1>Pirmā</h1><p>Suns rej.</p></body></html>"),
    ]);
    let Document { text, title, kind, .. } = read(&bytes, "book.epub");
    assert_eq!((kind, title.as_deref()), (DocumentKind::Epub, Some("Jūras stāsti")));
    assert_eq!(text, "Pirmā\n\nSuns rej.\n\nOtrā nodaļa.");
}

#[test]
fn a_book_that_is_locked_or_damaged_says_so() {
    let check = |files: &[(&str, &str)], expected: &str| {
        let why = read_as(&book(files), "book.epub", None, "lv").unwrap_err();
        assert!(why.contains(expected), "{why}");
    };
    check(&[("META-INF/rights.xml", "<rights/>")], "locked by its shop");
    check(&[], "damaged: `OEBPS/content.opf`");
    check(&[("OEBPS/content.opf", "<package/>")], "has no pages with text");
    check(&[("OEBPS/content.opf", PACKAGE)], "damaged: `OEBPS/text/one.xhtml`");
    let mut cut = book(&[("OEBPS/content.opf", PACKAGE)]);
    cut.truncate(90);
    assert!(read_as(&cut, "book.epub", None, "lv").unwrap_err().contains("damaged"));
}
