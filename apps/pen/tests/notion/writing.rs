//! NT-07, NT-08, NT-11, NT-12: complete pages under the right parent, with their properties.

use pen::Lang;
use pen::notion::{Kind, Parent, Text, Write};
use serde_json::{Value, json};
use testkit::notion::Trip;

use crate::open;

/// A database with the usual columns.
pub(crate) fn calendar() -> Value {
    json!({
        "Назва": { "type": "title", "title": {} },
        "Platform": { "type": "select", "select": { "options": [{ "name": "LinkedIn" }] } },
        "Topic": { "type": "rich_text", "rich_text": {} },
        "Status": { "type": "select", "select": { "options": [] } },
        "Created": { "type": "date", "date": {} },
        "Profile": { "type": "rich_text", "rich_text": {} },
    })
}

/// A post for the calendar.
pub(crate) fn post(database: &str, text: &str) -> Write {
    let properties = [
        ("Platform", "linkedin"),
        ("Topic", "вигорання"),
        ("Status", "Draft"),
        ("Created", "2026-11-16"),
        ("Profile", "default"),
    ];
    Write {
        parent: Parent::Database(database.to_owned()),
        title: "Про вигорання".to_owned(),
        text: Text::Post(text.to_owned()),
        properties: properties.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
    }
}

#[tokio::test]
async fn nt_07_nt_12_a_post_is_written_with_the_properties_of_the_calendar() {
    let (notion, client, _) = open().await;
    let (database, sources) = notion.database(&[("Plan", calendar())]);

    let written = client.write_page(&post(&database, "# Hook\n\nТекст #тег")).await.unwrap();

    let made = notion.made();
    assert_eq!(made.len(), 1);
    assert_eq!(written.id.as_str(), made[0].id);
    assert_eq!(written.url, format!("https://app.notion.com/p/{}", made[0].id.replace('-', "")));
    assert!(written.notices.is_empty(), "{:?}", written.notices);
    let returned = written.returned();
    assert_eq!(returned["success"], true);
    assert_eq!(returned["notion_url"], written.url);
    assert_eq!(returned["page_id"], made[0].id);
    assert_eq!(made[0].parent["data_source_id"], sources[0]);
    let properties = &made[0].properties;
    assert_eq!(properties["Назва"]["title"][0]["plain_text"], "Про вигорання");
    assert_eq!(properties["Platform"]["select"]["name"], "LinkedIn", "as the database spells it");
    assert_eq!(properties["Topic"]["rich_text"][0]["plain_text"], "вигорання");
    assert_eq!(properties["Status"]["select"]["name"], "Draft");
    assert_eq!(properties["Created"]["date"]["start"], "2026-11-16");
    assert_eq!(properties["Profile"]["rich_text"][0]["plain_text"], "default");
    assert_eq!(made[0].texts(), ["Hook", "Текст #тег"]);
    assert_eq!(made[0].blocks[0]["type"], "heading_1");
}

#[tokio::test]
async fn nt_07_what_the_database_does_not_have_is_left_out_with_a_notice() {
    let (notion, client, _) = open().await;
    let columns = json!({
        "Name": { "type": "title", "title": {} },
        "platform": { "type": "multi_select", "multi_select": { "options": [] } },
        "Topic": { "type": "people", "people": {} },
        "Created": { "type": "created_time", "created_time": {} },
    });
    let (database, _) = notion.database(&[("Plan", columns)]);

    let written = client.write_page(&post(&database, "Текст")).await.unwrap();

    let said: Vec<_> = written.notices.iter().map(|notice| notice.text(Lang::En)).collect();
    assert_eq!(
        said,
        [
            "the property `Topic` has the type `people`, which is not written; written without it",
            "the database has no property `Status`; written without it",
            "the property `Created` has the type `created_time`, which is not written; \
             written without it",
            "the database has no property `Profile`; written without it",
        ]
    );
    let properties = &notion.made()[0].properties;
    assert_eq!(properties["platform"]["multi_select"][0]["name"], "linkedin");
    assert_eq!(properties.as_object().unwrap().len(), 2);
}

#[tokio::test]
async fn nt_07_a_status_column_takes_the_status_it_has() {
    for (options, expected, notices) in [
        (json!([{ "name": "draft" }, { "name": "Done" }]), json!("draft"), 0),
        (json!([{ "name": "Not started" }]), Value::Null, 1),
    ] {
        let (notion, client, _) = open().await;
        let mut columns = calendar();
        columns["Status"] = json!({ "type": "status", "status": { "options": options } });
        let (database, _) = notion.database(&[("Plan", columns)]);
        let written = client.write_page(&post(&database, "Текст")).await.unwrap();
        assert_eq!(notion.made()[0].properties["Status"]["status"]["name"], expected);
        assert_eq!(written.notices.len(), notices, "{:?}", written.notices);
    }
}

#[tokio::test]
async fn nt_07_a_new_option_has_no_comma() {
    let (notion, client, _) = open().await;
    let (database, _) = notion.database(&[("Plan", calendar())]);
    let mut write = post(&database, "Текст");
    write.properties = vec![("Platform".to_owned(), "x, threads".to_owned())];
    client.write_page(&write).await.unwrap();
    assert_eq!(notion.made()[0].properties["Platform"]["select"]["name"], "x  threads");
}

#[tokio::test]
async fn nt_08_a_long_paragraph_and_many_are_written_whole_and_in_order() {
    let (notion, client, _) = open().await;
    let (database, _) = notion.database(&[("Plan", calendar())]);
    let long = "Довге речення про те, як усе почалося. ".repeat(120);
    let mut texts: Vec<_> = (0..249).map(|number| format!("Абзац {number}")).collect();
    texts.insert(120, long.trim_end().to_owned());
    assert!(texts[120].chars().count() > 4_500);

    client.write_page(&post(&database, &texts.join("\n\n"))).await.unwrap();

    assert_eq!(notion.made()[0].texts(), texts);
    let appended = notion.asked().iter().filter(|asked| asked.starts_with("PATCH")).count();
    assert_eq!(appended, 2, "100 blocks with the page, then 100, then 50");
}

#[tokio::test]
async fn nt_08_when_the_rest_fails_the_fault_has_the_page() {
    let (notion, client, _) = open().await;
    let (database, _) = notion.database(&[("Plan", calendar())]);
    let denied = Trip::Says { status: 403, code: "restricted_resource", retry_after: None };
    notion.trip("PATCH /v1/blocks", denied);
    let text = vec!["абзац"; 150].join("\n\n");

    let fault = client.write_page(&post(&database, &text)).await.unwrap_err();

    assert_eq!(fault.kind, Kind::Forbidden);
    assert!(fault.what.starts_with("100 of 150 blocks are written"), "{fault}");
    let returned = fault.returned(fault.kind.in_ukrainian());
    assert_eq!(returned["success"], false);
    assert_eq!(returned["error"], "notion_forbidden");
    assert_eq!(returned["page_id"], notion.made()[0].id);
    let partial = fault.written.unwrap();
    assert_eq!((partial.blocks, partial.blocks_of), (100, 150));
    assert_eq!(partial.page.id.as_str(), notion.made()[0].id);
}

#[tokio::test]
async fn nt_11_an_old_database_id_a_source_and_an_address_all_lead_to_the_source() {
    let (notion, client, _) = open().await;
    let (database, sources) = notion.database(&[("Plan", calendar())]);
    let bare = database.replace('-', "");
    let address = format!("https://www.notion.so/team/{bare}?v=00000000000000000000000000000000");
    for given in [&database, &bare, &address, &sources[0]] {
        let written = client.write_page(&post(given, "Текст")).await.unwrap();
        assert!(written.notices.is_empty(), "{:?}", written.notices);
        let made = notion.made();
        assert_eq!(made.last().unwrap().parent["data_source_id"], sources[0], "{given}");
    }
}

#[tokio::test]
async fn nt_11_of_several_sources_the_first_is_taken_with_a_notice() {
    let (notion, client, _) = open().await;
    let (database, sources) = notion.database(&[("Plan", calendar()), ("Old", calendar())]);
    let written = client.write_page(&post(&database, "Текст")).await.unwrap();
    assert_eq!(notion.made()[0].parent["data_source_id"], sources[0]);
    let [notice] = written.notices.as_slice() else { panic!("{:?}", written.notices) };
    let notice = notice.text(Lang::En);
    assert!(notice.contains("`Plan` was taken"), "{notice}");
    assert!(notice.contains(&sources[1]), "{notice}");
}

#[tokio::test]
async fn a_page_can_stand_below_a_page() {
    let (notion, client, _) = open().await;
    let above = notion.page("Нотатки", &json!([]));
    let write = Write { parent: Parent::Page(above.clone()), ..post("", "Текст") };
    client.write_page(&write).await.unwrap();
    let made = notion.made();
    assert_eq!(made[0].parent["page_id"], above);
    assert_eq!(made[0].properties["title"]["title"][0]["plain_text"], "Про вигорання");
}

#[tokio::test]
async fn markdown_is_notions_to_read_and_ours_where_it_does_not() {
    let text = Text::Markdown("## Two\n\n- item".to_owned());
    let (notion, client, _) = open().await;
    let (database, _) = notion.database(&[("Plan", calendar())]);
    let write = Write { text, ..post(&database, "") };
    client.write_page(&write).await.unwrap();
    let sent = notion.requests().last().unwrap().body.clone();
    assert_eq!(sent["markdown"], "## Two\n\n- item");
    assert_eq!(sent.get("children"), None);

    notion.without_markdown();
    client.write_page(&write).await.unwrap();
    let made = notion.made();
    assert_eq!(made.len(), 2);
    let kinds: Vec<_> = made[1].blocks.iter().map(|block| block["type"].clone()).collect();
    assert_eq!(kinds, ["heading_2", "bulleted_list_item"]);
}

#[tokio::test]
async fn without_a_title_or_a_place_nothing_is_asked() {
    let (notion, client, _) = open().await;
    let untitled = Write { title: " \n".to_owned(), ..post("x", "Текст") };
    assert_eq!(client.write_page(&untitled).await.unwrap_err().kind, Kind::Refused);
    assert_eq!(client.write_page(&post("no id", "Текст")).await.unwrap_err().kind, Kind::NoId);
    assert_eq!(notion.requests().len(), 0);
}
