//! Files and pages that people have, as `cards make` takes them.

use fake_providers::RecordedRequest;
use testkit::web::{Web, WebAnswer, WebResponse};

use super::good;
use crate::support::model_project::FarSide;

fn project() -> FarSide {
    let far = FarSide::new();
    far.fake.answering(good);
    far
}

/// The sentences of the newest run, without their numbers.
fn sentences(far: &FarSide) -> Vec<String> {
    let shown = far.run(&["cards", "show", "--sentences"]).out;
    let numbered = |line: &str| line.trim_start().split_once("  ").map(|(_, text)| text.to_owned());
    shown
        .lines()
        .filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()))
        .filter_map(numbered)
        .collect()
}

#[test]
fn subtitles_pages_and_old_encodings_become_sentences() {
    let srt = "1\n00:00:01,000 --> 00:00:02,000\n<i>Suns rej</i>\n\n2\n00:00:02,500 --> 00:00:04,000\n\
               Kaķis skrien pa\nlielo pļavu\n";
    let html = "<html><head><script>var a;</script></head><body><nav>Izvēlne</nav>\
                <p>Suns rej.</p><p>Kaķis skrien pa lielo pļavu.</p></body></html>";
    let cp1257: &[u8] = b"Suns rej. Ka\xedis skrien pa lielo p\xefavu.";
    let utf16: Vec<u8> = "\u{feff}Suns rej. Kaķis skrien pa lielo pļavu."
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (name, bytes, note) in [
        ("film.srt", srt.as_bytes(), "note: read as subtitles"),
        ("page.html", html.as_bytes(), "note: read as a web page"),
        ("old.txt", cp1257, "note: read as windows-1257"),
        ("wide.txt", &utf16, "note: read as UTF-16LE"),
    ] {
        let far = project();
        std::fs::write(far.path().join(name), bytes).unwrap();
        let made = far.run(&["cards", "make", name]);
        assert_eq!(made.code, 0, "{made:?}");
        assert!(made.err.contains(note), "{}", made.err);
        let found: Vec<_> =
            sentences(&far).iter().map(|one| one.trim_end_matches('.').to_owned()).collect();
        assert_eq!(found, ["Suns rej", "Kaķis skrien pa lielo pļavu"], "{name}");
    }
}

#[test]
fn a_pdf_is_refused_with_what_to_do() {
    let far = project();
    std::fs::write(far.path().join("a.pdf"), b"%PDF-1.7 ...").unwrap();
    let made = far.run(&["cards", "make", "a.pdf"]);
    assert_eq!(made.code, 1);
    assert!(made.err.contains("this is a PDF; save it as text or HTML first"), "{}", made.err);
}

fn reply(status: u16, media_type: &str, body: &str) -> WebAnswer {
    let headers = vec![("content-type", media_type.to_owned())];
    WebAnswer::Reply(WebResponse { status, headers, body: body.as_bytes().to_vec() })
}

/// Adds what tools may reach to the settings.
fn allow(far: &FarSide, url: &str) {
    let file = far.path().join("ghosthand.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    let authority = url.trim_start_matches("http://");
    std::fs::write(&file, format!("{before}\n[net]\nallow = [\"{authority}\"]\n")).unwrap();
}

#[test]
fn a_page_on_the_web_is_read_if_its_address_is_allowed() {
    let far = project();
    let other = far.wait(Web::start(|_| reply(200, "text/html", "<p>Noslēpums."))).unwrap();
    let hidden = other.base_url();
    let answer = move |request: &RecordedRequest| match request.path.as_str() {
        "/story" => reply(
            200,
            "text/html; charset=utf-8",
            "<title>Stāsts</title><p>Suns rej. Kaķis skrien.",
        ),
        "/away" => reply(302, "text/html", "").with("location", &hidden),
        _ => reply(404, "text/html", "nav"),
    };
    let web = far.wait(Web::start(answer)).unwrap();
    let url = |path: &str| format!("{}{path}", web.base_url());
    let refused = far.run(&["cards", "make", &url("/story")]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("is private or local, which is not read"), "{}", refused.err);
    assert!(web.requests().is_empty(), "nothing was sent");
    allow(&far, &web.base_url());
    let made = far.run(&["cards", "make", &url("/story")]);
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(sentences(&far), ["Suns rej.", "Kaķis skrien."]);
    assert!(far.run(&["cards", "status"]).out.contains("Stāsts"));
    let missing = far.run(&["cards", "make", &url("/404")]);
    assert!(missing.err.contains("answers 404"), "{}", missing.err);
    // A page that is allowed leads to one that is not.
    let away = far.run(&["cards", "make", &url("/away")]);
    assert!(away.err.contains("is private or local, which is not read"), "{}", away.err);
    assert!(other.requests().is_empty());
}
