//! The known words: synonyms in three languages, and stop words.
//!
//! Contracts are mostly in English, messages are not: each line of [`SAME`] is one concept.
//! Must hold: terms of a single tool do not belong here.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::plan::rank::words;
use crate::text::stem::stem;

/// One concept per line: English, then Ukrainian, then Russian.
const SAME: [&str; 53] = [
    "search find look seek query explore | знайди знайти знайдіть шукати шукай пошук пошукай | \
     найди найти найдите искать ищи поиск поищи",
    "get fetch open read show retrieve load display | отримай відкрий прочитай покажи дай \
     завантаж | получи открой прочитай покажи дай загрузи",
    "create add make new insert write book schedule plan arrange | створи створити додай запиши \
     заплануй новий забронюй признач | создай создать добавь запиши запланируй новый забронируй назначь",
    "timer stopwatch countdown | таймер | таймер",
    "alarm wake | будильник розбуди розбудити | будильник разбуди разбудить",
    "light lamp | світло лампа лампу | свет лампа лампу",
    "delete remove erase drop clear | видали прибери очисти | удали убери очисти",
    "update change edit modify set | онови зміни відредагуй встанови постав | обнови измени \
     отредактируй установи поставь",
    "check validate verify valid correct proper | перевір перевірити правильна коректна дійсна | \
     проверь проверить правильный корректный верный",
    "email mail mailbox address | пошта пошту імейл емейл адреса електронну | почта почту имейл \
     емейл адрес электронную",
    "calendar diary agenda | календар | календарь",
    "event meeting appointment | подія подію зустріч нараду нарада | событие встреча совещание",
    "free available availability slot gap vacant | вільний вільне вільна доступний | свободный \
     свободное свободен свободна доступный",
    "time hour moment | час година | время",
    "date day datetime | дата день | дата день",
    "format render print spell | форматуй відформатуй формат | форматируй отформатируй формат",
    "voice talk speak speech audio | голос голосовий голосом говорити поговорити поговоримо | \
     голос голосовой голосом говорить поговорить поговорим",
    "start begin switch launch | почни увімкни запусти перейди перейдемо почати перемкни | \
     начни включи запусти перейди перейдем начать переключи",
    "end stop finish close hang quit terminate | закінчи заверши завершити зупини припини закрий | \
     закончи заверши завершить останови прекрати закрой",
    "session call | сеанс сесія сесію дзвінок | сеанс сессия сессию звонок",
    "block ban ignore mute | заблокуй заблокувати ігноруй забань | заблокируй заблокировать \
     игнорируй забань",
    "user visitor member | користувач | пользователь",
    "knowledge base kb know | знання знань база базі знаєш | знание знаний база базе знаешь",
    "document doc article paper | документ стаття | документ статья",
    "extract pull pick collect | витягни витягти дістань вибери | извлеки вытащи достань выбери",
    "contact phone | контакт телефон | контакт телефон",
    "link url | посилання | ссылка",
    "calculate compute calculator math arithmetic | порахуй обчисли калькулятор скільки | \
     посчитай вычисли калькулятор сколько",
    "weather forecast | погода прогноз | погода прогноз",
    "temperature degree | температура градус | температура градус",
    "send deliver post | надішли відправ | отправь пошли",
    "message note memo | повідомлення нотатка нотатку | сообщение заметка заметку",
    "translate | переклади переклад | переведи перевод",
    "language locale tongue | мова мову мовою | язык языке",
    "list enumerate | список перелік | список перечень перечисли",
    "convert transform turn | перетвори конвертуй | преобразуй конвертируй",
    "remind reminder | нагадай нагадування | напомни напоминание",
    "buy order purchase | купи замов замовлення | купи закажи заказ",
    "price cost | ціна коштує | цена стоит",
    "file | файл | файл",
    "text string | текст | текст",
    "city town place location | місто місті місце | город городе место",
    "name title called | назва імя | название имя",
    "picture image photo drawing | зображення фото малюнок | изображение фото рисунок",
    "play song music | грай музика пісня | играй музыка песня",
    "task todo issue ticket | завдання задача | задача",
    "pay payment transfer money | оплати гроші переказ | оплати деньги перевод",
    "roll dice random | кинь кубик випадковий | брось кубик случайный",
    "greet hello hi welcome | привіт вітаю | привет здравствуй",
    "limit top max most first result | максимум результат перший | максимум результат первый",
    "count number many much | кількість число | количество число",
    "summary summarize summarise shorten | підсумуй скороти | подведи сократи",
    "help assist | допоможи | помоги",
];

/// Stop words: they never choose a tool.
const EMPTY: &str = "a an the this that these those is are was were be am do does did can could would will \
    should may might must please pls i me my we us our you your he she it its they them of in on at by to \
    give \
    from for with about as into onto and or but if then than so not no yes ok okay there here what which \
    who whom whose how why let lets just only also some any all one need want like hey again now \
    up go have has had where when let's what's i'm i'd it's that's who's there's don't \
    будь ласка можеш можете чи я мені мене мій моя мої ми нас нам ти тебе тобі ви вас вам він \
    вона воно вони це \
    цей ця ці той та те ті у в на з із зі до від по за про для як що і й але або не ні так є був \
    буде щоб який \
    яка яке які мною тепер треба хочу де коли \
    пожалуйста можешь можете ли я мне меня мой моя мои мы нас нам ты тебя тебе вы вас вам он она \
    оно они это \
    этот эта эти тот та те с со из от к ко о об обо при без или но а и нет да есть был будет \
    чтобы какой какая \
    какое какие мной теперь надо нужно хочу где когда";

/// Words between a command and its object: "search *for* …".
const MARKERS: [&str; 20] = [
    "for", "about", "on", "of", "named", "called", "titled", "saying", "with", "in", "from", "про",
    "за", "з", "із", "о", "об", "из", "с", "под",
];

const GREETINGS: [&str; 22] = [
    "hi",
    "hello",
    "hey",
    "hiya",
    "greetings",
    "howdy",
    "morning",
    "afternoon",
    "evening",
    "привіт",
    "вітаю",
    "вітання",
    "добридень",
    "добрий",
    "доброго",
    "привет",
    "здравствуй",
    "здравствуйте",
    "приветствую",
    "добрый",
    "доброе",
    "хай",
];
const GREETED: [&str; 13] = [
    "good",
    "there",
    "day",
    "ranku",
    "ранку",
    "день",
    "дня",
    "вечір",
    "вечора",
    "утро",
    "вечер",
    "всім",
    "всем",
];

const REFUSALS: [&str; 16] = [
    "cancel",
    "never mind",
    "nevermind",
    "forget it",
    "stop",
    "скасуй",
    "скасувати",
    "не треба",
    "забудь",
    "відміна",
    "отмена",
    "отмени",
    "не надо",
    "не нужно",
    "годі",
    "хватит",
];

const YES: [&str; 11] =
    ["true", "yes", "on", "y", "так", "да", "ага", "sure", "yep", "увімкнено", "включено"];
const NO: [&str; 8] = ["false", "no", "off", "n", "ні", "нет", "вимкнено", "выключено"];

static GROUPS: LazyLock<HashMap<String, Vec<usize>>> = LazyLock::new(|| {
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, line) in SAME.iter().enumerate() {
        for word in line.split_whitespace().filter(|word| *word != "|") {
            let known = groups.entry(stem(word)).or_default();
            if !known.contains(&index) {
                known.push(index);
            }
        }
    }
    groups
});

static MEMBERS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let stems = |line: &&str| {
        let mut stems: Vec<_> =
            line.split_whitespace().filter(|word| *word != "|").map(stem).collect();
        stems.sort();
        stems.dedup();
        stems
    };
    SAME.iter().map(stems).collect()
});

static EMPTY_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| EMPTY.split_whitespace().collect());

/// The stems of the words that mean the same as this stem.
pub(crate) fn relatives(stem: &str) -> impl Iterator<Item = &'static str> {
    let groups = GROUPS.get(stem).map_or(&[][..], Vec::as_slice);
    groups.iter().filter_map(|group| MEMBERS.get(*group)).flatten().map(String::as_str)
}

/// Whether two stems mean the same.
pub(crate) fn related(one: &str, other: &str) -> bool {
    one == other || relatives(one).any(|relative| relative == other)
}

pub(crate) fn is_empty_word(lower: &str) -> bool {
    EMPTY_WORDS.contains(lower)
}

pub(crate) fn is_marker(lower: &str) -> bool {
    MARKERS.contains(&lower)
}

/// Whether the whole message is a greeting.
pub(crate) fn is_greeting(text: &str) -> bool {
    if text.len() > GREETING_BYTES_MAX {
        return false;
    }
    let (mut greets, mut other) = (false, false);
    words(&text.to_lowercase(), |word| {
        greets |= GREETINGS.contains(&word);
        other |= !GREETINGS.contains(&word) && !GREETED.contains(&word);
    });
    greets && !other
}

const GREETING_BYTES_MAX: usize = 80;

/// Whether the person cancels the request.
pub(crate) fn is_refusal(lower: &str) -> bool {
    REFUSALS.contains(&lower.trim().trim_end_matches(['.', '!']))
}

pub(crate) fn truth(lower: &str) -> Option<bool> {
    match (YES.contains(&lower), NO.contains(&lower)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        (false, false) => None,
    }
}

/// The ISO 639-1 code of a language by its name.
pub(crate) fn language_code(lower: &str) -> Option<&'static str> {
    const CODES: [(&str, &str); 12] = [
        ("en", "english англійською англійська английском английский"),
        ("uk", "ukrainian українською українська украинском украинский"),
        ("ru", "russian російською російська русском русский"),
        ("de", "german німецькою німецька немецком немецкий"),
        ("lv", "latvian латиською латиська латышском латышский"),
        ("fr", "french французькою французька французском французский"),
        ("es", "spanish іспанською іспанська испанском испанский"),
        ("pl", "polish польською польська польском польский"),
        ("it", "italian італійською італійська итальянском итальянский"),
        ("pt", "portuguese португальською португальська португальском португальский"),
        ("ja", "japanese японською японська японском японский"),
        ("zh", "chinese китайською китайська китайском китайский"),
    ];
    let named = |(_, names): &&(&str, &str)| names.split(' ').any(|name| name == lower);
    CODES.iter().find(named).map(|(code, _)| *code)
}
