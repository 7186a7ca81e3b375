//! Recorded answers of the real Notion.

use pen::notion::markdown::{Block, of_blocks};
use pen::notion::{Kind, Limits};
use testkit::notion::{TOKEN, recordings, replay};

use crate::client;

#[tokio::test]
async fn a_recorded_page_is_read_by_its_blocks_page_by_page() {
    let web = replay().await.unwrap();
    let (client, _) = client(&web.base_url(), TOKEN, Limits::usual());

    let page = client.read_page("393abc1e-edcd-81e2-97ea-fad78f8ecc3a").await.unwrap();

    assert_eq!(page.title, "Test 2026-07-04 11:50:26.663519");
    let expected: Vec<_> = (0..5).map(|number| format!("paragraph {number}")).collect();
    assert_eq!(page.text, expected.join("\n\n"));
    assert!(page.url.ends_with("393abc1eedcd81e297eafad78f8ecc3a"));
    let asked: Vec<_> = web.requests().iter().map(|request| request.path.clone()).collect();
    assert_eq!(asked.len(), 5, "head, no Markdown, three pages of blocks: {asked:?}");
}

#[tokio::test]
async fn a_recorded_page_is_read_by_its_markdown() {
    let web = replay().await.unwrap();
    let (client, _) = client(&web.base_url(), TOKEN, Limits::usual());
    let page = client.read_page("393abc1eedcd8142936bcca8ae692cc4").await.unwrap();
    assert_eq!(page.text, "## New Section\nHello from markdown.");
    let empty = client.read_page("393abc1e-edcd-81d5-bf32-d1339d9031c2").await.unwrap();
    assert_eq!(empty.text, "");
    assert_eq!(web.requests().len(), 4, "an empty page is not read twice");
}

#[tokio::test]
async fn a_recorded_404_is_told_with_notions_words() {
    let web = replay().await.unwrap();
    let (client, clock) = client(&web.base_url(), TOKEN, Limits::usual());
    let fault = client.read_page("00000000-0000-0000-0000-000000000000").await.unwrap_err();
    assert_eq!(fault.kind, Kind::NotFound);
    assert!(fault.what.contains("Could not find page with ID"), "{fault}");
    assert_eq!(clock.waits(), [0; 0]);
}

#[test]
fn every_recorded_block_is_markdown() {
    let blocks =
        recordings().into_iter().filter(|recording| recording.response["object"] == "block");
    let texts: Vec<_> =
        blocks.map(|recording| of_blocks(&[Block::new(&recording.response)])).collect();
    let words = "I'm a paragraph.";
    assert_eq!(texts, [words, words, "$E = mc^2$", words, "2022-12-16", words]);
}
