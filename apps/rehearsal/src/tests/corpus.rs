//! Messages in three languages with the call or the question they lead to.
//!
//! The time is Wednesday, 2 December 2026, 9:00, at UTC+2.

use contract::{Request, ToolChoice};

use super::samples::{repository, synthetic};
use super::{outline, rehearsal, request, user};

/// The outcome of a message with the repository's sample tools.
#[track_caller]
fn check(text: &str, expected: &str) {
    let reply = rehearsal().answer(&request(repository(), vec![user(text)]));
    assert_eq!(outline(&reply), expected, "{text}\n{}", reply.text());
}

/// The same with the synthetic tools.
#[track_caller]
fn other(text: &str, expected: &str) {
    let reply = rehearsal().answer(&request(synthetic(), vec![user(text)]));
    assert_eq!(outline(&reply), expected, "{text}\n{}", reply.text());
}

#[test]
fn a_search_takes_its_object() {
    check("search for tide clock", r#"kb_search {"query":"tide clock"}"#);
    check("find the tide clock", r#"kb_search {"query":"tide clock"}"#);
    check("Search the knowledge base for solar ovens.", r#"kb_search {"query":"solar ovens"}"#);
    check("please find documents about lab safety", r#"kb_search {"query":"lab safety"}"#);
    check("can you look up Marie Curie?", r#"kb_search {"query":"Marie Curie"}"#);
    check("what do you know about tides?", r#"kb_search {"query":"tides"}"#);
    check("search in the knowledge base for the moon lamp", r#"kb_search {"query":"moon lamp"}"#);
    check("search for «moon lamp»", r#"kb_search {"query":"moon lamp"}"#);
    check("знайди морський годинник", r#"kb_search {"query":"морський годинник"}"#);
    check(
        "знайди в базі знань документи про морський годинник",
        r#"kb_search {"query":"морський годинник"}"#,
    );
    check("пошукай у базі знань сонячну піч", r#"kb_search {"query":"сонячну піч"}"#);
    check("найди документы о приливных часах", r#"kb_search {"query":"приливных часах"}"#);
    check("поищи, пожалуйста, лунную лампу", r#"kb_search {"query":"лунную лампу"}"#);
}

#[test]
fn optional_arguments_are_filled_only_if_the_message_has_them() {
    check(r#"look up "moon lamp" top 3"#, r#"kb_search {"query":"moon lamp","top_k":3}"#);
    check("search for ovens, top_k=3", r#"kb_search {"query":"ovens","top_k":3}"#);
    check("search for ovens limit 2", r#"kb_search {"query":"ovens","top_k":2}"#);
    check("search for 3 body problem", r#"kb_search {"query":"3 body problem"}"#);
    check(
        "search for solar ovens, only photos",
        r#"kb_search {"query":"solar ovens","filters":{"type":"photo"}}"#,
    );
    check(
        "search for ovens filters.type=diagram",
        r#"kb_search {"query":"ovens","filters":{"type":"diagram"}}"#,
    );
    check("search for photo paper", r#"kb_search {"query":"photo paper"}"#);
    check(
        "find documents about lab safety without snippets",
        r#"kb_search {"query":"lab safety","include_snippets":false}"#,
    );
    check(
        "search for ovens include_snippets=no",
        r#"kb_search {"query":"ovens","include_snippets":false}"#,
    );
    check("kb_search query: tide clock, top_k: 3", r#"kb_search {"query":"tide clock","top_k":3}"#);
    check("search for ovens top_k=50", "ask kb_search top_k");
    check("знайди печі, тільки фото", r#"kb_search {"query":"печі","filters":{"type":"photo"}}"#);
}

#[test]
fn ids_are_recognised_by_their_pattern() {
    check("get document project:tide-clock", r#"kb_get {"id":"project:tide-clock"}"#);
    check("read the document lab:optics", r#"kb_get {"id":"lab:optics"}"#);
    check(
        "open project:tide-clock with the image",
        r#"kb_get {"id":"project:tide-clock","include_image_data":true}"#,
    );
    check("покажи документ project:tide-clock", r#"kb_get {"id":"project:tide-clock"}"#);
    check("открой документ person:ann", r#"kb_get {"id":"person:ann"}"#);
    check("kb_get", "ask kb_get id");
}

#[test]
fn addresses_go_to_the_tool_that_takes_one() {
    check("validate ann@example.org", r#"validate_email {"email":"ann@example.org"}"#);
    check("is ann@@example.org a valid email?", r#"validate_email {"email":"ann@@example.org"}"#);
    check("check the email bob@gmial.com", r#"validate_email {"email":"bob@gmial.com"}"#);
    check("Is this address correct: ann@example", r#"validate_email {"email":"ann@example"}"#);
    check("перевір адресу ann@example.org", r#"validate_email {"email":"ann@example.org"}"#);
    check("чи правильна пошта ann@example.org?", r#"validate_email {"email":"ann@example.org"}"#);
    check("проверь почту ann@example.org", r#"validate_email {"email":"ann@example.org"}"#);
    check("validate email", "ask validate_email email");
    check("перевір пошту", "ask validate_email email");
}

#[test]
fn a_text_is_passed_on_unchanged() {
    check(
        "extract contacts from: call Ann at +371 2000 1234 or ann@example.org",
        r#"extract_contacts {"text":"call Ann at +371 2000 1234 or ann@example.org"}"#,
    );
    check(
        "find phone numbers and links in this text: see example.org, top 3",
        r#"extract_contacts {"text":"see example.org, top 3"}"#,
    );
    check(
        r#"extract the contacts in "Ann, 555-1234""#,
        r#"extract_contacts {"text":"Ann, 555-1234"}"#,
    );
    check(
        "витягни контакти з тексту: Анна, ann@example.org",
        r#"extract_contacts {"text":"Анна, ann@example.org"}"#,
    );
    check(
        "извлеки контакты из текста: Анна, ann@example.org",
        r#"extract_contacts {"text":"Анна, ann@example.org"}"#,
    );
    check(
        "give me the phone numbers in: call 555-1234567",
        r#"extract_contacts {"text":"call 555-1234567"}"#,
    );
    check("extract contacts", "ask extract_contacts text");
}

#[test]
fn dates_and_choices_fill_the_format_tool() {
    check(
        "format 2026-12-09T07:00:00Z as long in Ukrainian",
        r#"format_datetime {"datetime":"2026-12-09T07:00:00Z","format":"long","locale":"uk"}"#,
    );
    check(
        "what weekday is 2026-12-09T07:00:00Z",
        r#"format_datetime {"datetime":"2026-12-09T07:00:00Z","format":"weekday"}"#,
    );
    check(
        "format tomorrow at 5pm in German",
        r#"format_datetime {"datetime":"2026-12-03T17:00:00+02:00","locale":"de"}"#,
    );
    check(
        "format 2026-12-09 17:30 as iso_date",
        r#"format_datetime {"datetime":"2026-12-09T17:30:00+02:00","format":"iso_date"}"#,
    );
    check(
        "format 2026-12-09T07:00:00+05:30 with pattern=DD.MM.YYYY",
        r#"format_datetime {"datetime":"2026-12-09T07:00:00+05:30","pattern":"DD.MM.YYYY"}"#,
    );
    check(
        "відформатуй завтра о 17:00 українською",
        r#"format_datetime {"datetime":"2026-12-03T17:00:00+02:00","locale":"uk"}"#,
    );
    check(
        "отформатируй 2026-12-09T07:00:00Z на русском",
        r#"format_datetime {"datetime":"2026-12-09T07:00:00Z","locale":"ru"}"#,
    );
    check("format the date", "ask format_datetime datetime");
}

#[test]
fn durations_are_converted_and_checked_against_bounds() {
    check(
        r#"block the user for 5 minutes saying "Please calm down, we talk later.""#,
        r#"ignore_user {"duration_seconds":300,"farewell_message":"Please calm down, we talk later."}"#,
    );
    check(
        r#"block the rude user for 10 seconds saying "Please calm down.""#,
        "ask ignore_user duration_seconds",
    );
    check(
        r#"ignore_user duration_seconds=60 farewell_message="Let us talk tomorrow.""#,
        r#"ignore_user {"duration_seconds":60,"farewell_message":"Let us talk tomorrow."}"#,
    );
    check(
        "заблокуй користувача на 2 хвилини «Будь ласка, заспокойтеся.»",
        r#"ignore_user {"duration_seconds":120,"farewell_message":"Будь ласка, заспокойтеся."}"#,
    );
    check(
        "заблокируй пользователя на полчаса «Поговорим позже, успокойтесь.»",
        r#"ignore_user {"duration_seconds":1800,"farewell_message":"Поговорим позже, успокойтесь."}"#,
    );
    check("block the rude user for 5 minutes", "ask ignore_user farewell_message");
    check("block the user", "ask ignore_user duration_seconds farewell_message");
}

#[test]
fn a_search_between_two_moments_takes_days_and_hours() {
    let tomorrow = r#"calendar_get_availability {"from":"2026-12-03T00:00:00+02:00","to":"2026-12-04T00:00:00+02:00"}"#;
    check("find free time tomorrow", tomorrow);
    check("am I free tomorrow?", tomorrow);
    check("коли я вільний завтра?", tomorrow);
    check("когда я свободен завтра?", tomorrow);
    check(
        "when am I free next Monday from 9 to 17?",
        r#"calendar_get_availability {"from":"2026-12-07T09:00:00+02:00","to":"2026-12-07T17:00:00+02:00"}"#,
    );
    check(
        "am I available tomorrow between 9:00 and 12:00 for 45 minutes",
        r#"calendar_get_availability {"from":"2026-12-03T09:00:00+02:00","to":"2026-12-03T12:00:00+02:00","duration_minutes":45}"#,
    );
    check(
        "find free time next week working hours 9:00 to 17:00",
        r#"calendar_get_availability {"from":"2026-12-07T00:00:00+02:00","to":"2026-12-14T00:00:00+02:00","working_hours":{"start":"09:00","end":"17:00"}}"#,
    );
    check(
        "find a free slot from 2026-12-07T08:00:00+02:00 to 2026-12-09T18:00:00+02:00",
        r#"calendar_get_availability {"from":"2026-12-07T08:00:00+02:00","to":"2026-12-09T18:00:00+02:00"}"#,
    );
    check(
        "find free time from Monday to Wednesday",
        r#"calendar_get_availability {"from":"2026-12-07T00:00:00+02:00","to":"2026-12-10T00:00:00+02:00"}"#,
    );
    check(
        "найди свободное время в пятницу с 10 до 12",
        r#"calendar_get_availability {"from":"2026-12-04T10:00:00+02:00","to":"2026-12-04T12:00:00+02:00"}"#,
    );
    check("find free time after 5pm tomorrow", "ask calendar_get_availability to");
    check("find free time", "ask calendar_get_availability from to");
}

#[test]
fn an_event_is_assembled_from_its_parts() {
    check(
        r#"create an event "Standup" tomorrow from 10 to 10:30 with ann@example.org"#,
        r#"calendar_create_event {"title":"Standup","start_time":"2026-12-03T10:00:00+02:00","end_time":"2026-12-03T10:30:00+02:00","attendees":["ann@example.org"]}"#,
    );
    check(
        "schedule Standup tomorrow at 10:00 for 15 minutes with ann@example.org and bob@example.org",
        r#"calendar_create_event {"title":"Standup","start_time":"2026-12-03T10:00:00+02:00","end_time":"2026-12-03T10:15:00+02:00","attendees":["ann@example.org","bob@example.org"]}"#,
    );
    check(
        "create a calendar event called Design review on Friday from 2 to 3pm with ann@example.org, location: Room 4",
        r#"calendar_create_event {"title":"Design review","start_time":"2026-12-04T14:00:00+02:00","end_time":"2026-12-04T15:00:00+02:00","attendees":["ann@example.org"],"location":"Room 4"}"#,
    );
    check(
        "створи подію «Нарада» завтра з 10 до 11 з ann@example.org",
        r#"calendar_create_event {"title":"Нарада","start_time":"2026-12-03T10:00:00+02:00","end_time":"2026-12-03T11:00:00+02:00","attendees":["ann@example.org"]}"#,
    );
    check(
        "создай событие «Планёрка» 8 декабря в 10 часов на полчаса с ann@example.org",
        r#"calendar_create_event {"title":"Планёрка","start_time":"2026-12-08T10:00:00+02:00","end_time":"2026-12-08T10:30:00+02:00","attendees":["ann@example.org"]}"#,
    );
    check(
        "create an event title: Party; start_time: 2026-12-08T22:00:00+02:00; end_time: 2026-12-09T02:00:00+02:00; attendees: ann@example.org, bob@example.org",
        r#"calendar_create_event {"title":"Party","start_time":"2026-12-08T22:00:00+02:00","end_time":"2026-12-09T02:00:00+02:00","attendees":["ann@example.org","bob@example.org"]}"#,
    );
    check(
        r#"create an event "Watch" tomorrow from 22 to 2 with ann@example.org"#,
        r#"calendar_create_event {"title":"Watch","start_time":"2026-12-03T22:00:00+02:00","end_time":"2026-12-04T02:00:00+02:00","attendees":["ann@example.org"]}"#,
    );
    check(
        "create an event tomorrow",
        "ask calendar_create_event title start_time end_time attendees",
    );
    check(
        r#"create an event "Standup" tomorrow at 10"#,
        "ask calendar_create_event end_time attendees",
    );
}

#[test]
fn voice_sessions_start_and_end() {
    check("switch to voice", "start_voice_session {}");
    check("let's talk", "start_voice_session {}");
    check("перейдемо на голос", "start_voice_session {}");
    check("давай поговорим голосом", "start_voice_session {}");
    check("end the voice session", "ask end_voice_session reason");
    check(
        "end the voice session, task complete",
        r#"end_voice_session {"reason":"task_complete"}"#,
    );
    check("заверши голосовий сеанс", "ask end_voice_session reason");
}

#[test]
fn without_a_clear_tool_it_lists_the_tools() {
    for text in [
        "hello",
        "привіт",
        "добрый день",
        "what is the meaning of life?",
        "tell me a joke",
        "2+2?",
        "",
        "?!",
        "asdf qwer",
        "я тебе люблю",
        "delete all my events",
        "спой мне песню",
    ] {
        check(text, "say");
    }
}

#[test]
fn several_requests_become_several_calls_if_each_is_clear() {
    check(
        "search for ovens and then validate ann@example.org",
        r#"kb_search {"query":"ovens"} & validate_email {"email":"ann@example.org"}"#,
    );
    check(
        "Search for ovens; validate ann@example.org; let's talk",
        r#"kb_search {"query":"ovens"} & validate_email {"email":"ann@example.org"} & start_voice_session {}"#,
    );
    check(
        "знайди печі, а потім перевір ann@example.org",
        r#"kb_search {"query":"печі"} & validate_email {"email":"ann@example.org"}"#,
    );
    check("search for salt and then pepper", r#"kb_search {"query":"salt and then pepper"}"#);
    check("search for ovens and pans", r#"kb_search {"query":"ovens and pans"}"#);
}

#[test]
fn the_slash_form_is_exact() {
    check("/kb_search tide clock", r#"kb_search {"query":"tide clock"}"#);
    check(r#"/kb_search "tide clock" top_k=3"#, r#"kb_search {"query":"tide clock","top_k":3}"#);
    check(r#"/kb_search {"query": "tide clock"}"#, r#"kb_search {"query":"tide clock"}"#);
    check(
        r#"/kb_search query="a = b" filters.type=lab"#,
        r#"kb_search {"query":"a = b","filters":{"type":"lab"}}"#,
    );
    check("/kb-search ovens", r#"kb_search {"query":"ovens"}"#);
    check("/validate_email ann@example.org", r#"validate_email {"email":"ann@example.org"}"#);
    check("/validate_email", "ask validate_email email");
    check("/kb_search tide top_k=50", "ask kb_search top_k");
    check(r#"/kb_search {"query": "tide", "top_k": 50}"#, "ask kb_search top_k");
    check(r#"/kb_search {"query": "tide", "colour": 1}"#, "say");
    check(r#"/kb_search {"query": "#, "say");
    check("/end_voice_session task_complete goodbye", "say");
    check("/kb_serach x", "say");
    other("/calculator add 2 3", r#"core.calculator.calculator {"operation":"add","a":2,"b":3}"#);
    other(
        "/core.calculator.calculator b=3 a=2 divide",
        r#"core.calculator.calculator {"operation":"divide","a":2,"b":3}"#,
    );
    other("/set 5", "say");
    other("/timer.set 5", r#"timer.set {"minutes":5}"#);
    other("/timer.set soon", "ask timer.set minutes");
    other("/jokes.tell", "jokes.tell {}");
    other("/numbers.average 1,2,3", r#"numbers.average {"numbers":[1,2,3]}"#);
}

#[test]
fn arithmetic_goes_to_a_tool_that_calculates() {
    let sum = |operation: &str, a: &str, b: &str| {
        format!(r#"core.calculator.calculator {{"operation":"{operation}","a":{a},"b":{b}}}"#)
    };
    other("2+2?", &sum("add", "2", "2"));
    other("what is 12 * 7", &sum("multiply", "12", "7"));
    other("How much is 10 divided by 4?", &sum("divide", "10", "4"));
    other("subtract 2 from 8", &sum("subtract", "8", "2"));
    other("скільки буде 3 плюс 4?", &sum("add", "3", "4"));
    other("помнож 6 на 7", &sum("multiply", "6", "7"));
    other("сколько будет 9 разделить на 3", &sum("divide", "9", "3"));
    other("2.5 - 1", &sum("subtract", "2.5", "1"));
    other("calculate", "ask core.calculator.calculator operation a b");
}

#[test]
fn other_kinds_of_fields() {
    other("weather in Riga", r#"weather.forecast {"city":"Riga"}"#);
    other("what's the weather in Riga for 5 days", r#"weather.forecast {"city":"Riga","days":5}"#);
    other("яка погода в Києві?", r#"weather.forecast {"city":"Києві"}"#);
    other("какая погода в Москве?", r#"weather.forecast {"city":"Москве"}"#);
    other(
        "weather forecast for New York, units imperial",
        r#"weather.forecast {"city":"New York","units":"imperial"}"#,
    );
    other("weather forecast for Riga, days=99", "ask weather.forecast days");
    other("set a timer for 10 minutes", r#"timer.set {"minutes":10}"#);
    other("set a timer for 2 hours", r#"timer.set {"minutes":120}"#);
    other("set a timer for 5 hours", "ask timer.set minutes");
    other("постав таймер на 5 хвилин", r#"timer.set {"minutes":5}"#);
    other("поставь таймер на четыре минуты", r#"timer.set {"minutes":4}"#);
    other("timer 7", r#"timer.set {"minutes":7}"#);
    other("wake me up at 7am", r#"alarm.set {"time":"07:00:00+02:00"}"#);
    other("alarm at 6:30", r#"alarm.set {"time":"06:30:00+02:00"}"#);
    other(
        "set an alarm at 6:30, snooze 10 minutes",
        r#"alarm.set {"time":"06:30:00+02:00","snooze":"PT10M"}"#,
    );
    other("розбуди мене о 7", r#"alarm.set {"time":"07:00:00+02:00"}"#);
    other("fetch https://example.org/a?b=1", r#"pages.fetch {"url":"https://example.org/a?b=1"}"#);
    other("open the page https://example.org.", r#"pages.fetch {"url":"https://example.org"}"#);
    other("status of order AB-1234", r#"orders.status {"order_id":"AB-1234"}"#);
    other("where is my order?", "ask orders.status order_id");
    other(
        "cancel job 123e4567-e89b-12d3-a456-426614174000",
        r#"jobs.cancel {"job":"123e4567-e89b-12d3-a456-426614174000"}"#,
    );
    other("turn the kitchen lights on", r#"lights.switch {"room":"kitchen","on":true}"#);
    other(
        "switch off the lights in the living room",
        r#"lights.switch {"room":"living_room","on":false}"#,
    );
    other(
        "kitchen lights on, brightness 50",
        r#"lights.switch {"room":"kitchen","on":true,"brightness":50}"#,
    );
    other("average of 1, 2, 3 and 4", r#"numbers.average {"numbers":[1,2,3,4]}"#);
    other("average 1,5,9", r#"numbers.average {"numbers":[1,5,9]}"#);
    other(
        "quote a parcel parcel.weight=2.5 width=10 height=20",
        r#"parcels.quote {"parcel":{"weight":2.5,"size":{"width":10,"height":20}}}"#,
    );
    other("quote a parcel, weight 2.5", "ask parcels.quote parcel.size.width parcel.size.height");
    other("tell me a joke", "jokes.tell {}");
    other(
        r#"translate "good morning" into Ukrainian"#,
        r#"text.translate {"text":"good morning","language":"uk"}"#,
    );
    other(
        "translate good morning to French",
        r#"text.translate {"text":"good morning","language":"fr"}"#,
    );
    other(
        "переклади «добрий ранок» англійською",
        r#"text.translate {"text":"добрий ранок","language":"en"}"#,
    );
    other("add task Buy milk", r#"tasks.add {"title":"Buy milk"}"#);
    other(
        r#"add a task "Buy milk" due tomorrow"#,
        r#"tasks.add {"title":"Buy milk","due":"2026-12-03"}"#,
    );
    other(
        "add a task to call Bob on Friday with priority high",
        r#"tasks.add {"title":"call Bob","due":"2026-12-04","priority":"high"}"#,
    );
    other(
        r#"add a task "Paint" tags: home, garden and fun"#,
        r#"tasks.add {"title":"Paint","tags":["home","garden","fun"]}"#,
    );
    other("додай завдання купити молоко", r#"tasks.add {"title":"купити молоко"}"#);
    other(
        "добавь задачу купить хлеб завтра",
        r#"tasks.add {"title":"купить хлеб","due":"2026-12-03"}"#,
    );
    other(
        "send an email to ann@example.org, subject: Hello, body: How are you?",
        r#"mail.send {"to":["ann@example.org"],"subject":"Hello","body":"How are you?"}"#,
    );
    other("send mail to ann@example.org", "ask mail.send subject body");
}

#[test]
fn the_tool_choice_of_the_request_is_respected() {
    let ask = |choice: ToolChoice, text: &str| {
        let request = Request { choice, ..request(repository(), vec![user(text)]) };
        outline(&rehearsal().answer(&request))
    };
    assert_eq!(ask(ToolChoice::None, "search for ovens"), "say");
    assert_eq!(
        ask(ToolChoice::Tool("kb_search".parse().unwrap()), "ovens"),
        r#"kb_search {"query":"ovens"}"#
    );
    assert_eq!(ask(ToolChoice::Any, "tell me about voice"), "start_voice_session {}");
}

#[test]
fn without_a_clock_relative_days_are_asked_for() {
    let reply =
        crate::Rehearsal::new().answer(&request(repository(), vec![user("am I free tomorrow?")]));
    assert_eq!(outline(&reply), "ask calendar_get_availability from to");
    let exact = "find free time from 2026-12-07T08:00:00Z to 2026-12-08T08:00:00Z";
    let reply = crate::Rehearsal::new().answer(&request(repository(), vec![user(exact)]));
    assert!(reply.calls().count() == 1);
}

/// A word that only one field can mean goes to it, whether the field is required or not.
#[test]
fn a_word_that_fits_a_selective_pattern_is_taken() {
    let dice = r"^([1-9][0-9]?)?d([2-9]|[1-9][0-9]{1,2}|1000)([+-][0-9]{1,3})?$";
    let offer = |pattern: &str| contract::ToolOffer {
        id: "roll_dice".parse().unwrap(),
        description: "Roll dice and add them up, such as 2d6, d20 or 3d8+2.".to_owned(),
        parameters: serde_json::json!({ "type": "object", "properties": {
            "dice": { "type": "string", "pattern": pattern, "default": "2d6" } } }),
    };
    let check = |pattern: &str, text: &str, expected: &str| {
        let reply = rehearsal().answer(&request(vec![offer(pattern)], vec![user(text)]));
        assert_eq!(outline(&reply), expected, "{text}\n{}", reply.text());
    };
    check(dice, "roll 3d8", r#"roll_dice {"dice":"3d8"}"#);
    check(dice, "roll d20+2, please", r#"roll_dice {"dice":"d20+2"}"#);
    check(dice, "roll the dice", "roll_dice {}");
    check(dice, "roll the dice 7 times", "roll_dice {}");
    check(r"^\S+$", "roll 3d8", "roll_dice {}");
}
