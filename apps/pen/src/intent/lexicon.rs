//! The words and phrases that carry an intent, by language. All folded: lower case, `'`, `е`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What one word or phrase says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Signal {
    Yes,
    /// «онови»: a yes to a change, and nothing about saving.
    Update,
    /// «ок»: a yes to whatever was asked.
    Agree,
    /// «класно»
    Praise,
    No,
    /// «не» before a verb.
    Not,
    Later,
    Stop,
    Save,
    Notion,
    Help,
    Undo,
    Redo,
    StartOver,
    EditByHand,
    Unclear,
    /// Politeness and small words without a meaning of their own.
    Filler,
}

/// The signal of a folded word or phrase.
pub(super) fn lookup(phrase: &str) -> Option<Signal> {
    PHRASES.get(phrase).copied()
}

/// How many words the longest phrase has.
pub(super) fn phrase_words_max() -> usize {
    *WORDS_MAX
}

static PHRASES: LazyLock<HashMap<&'static str, Signal>> = LazyLock::new(|| phrases().collect());

/// Every phrase with its signal.
pub(super) fn phrases() -> impl Iterator<Item = (&'static str, Signal)> {
    let lines = TABLE.iter().flat_map(|(signal, groups)| {
        groups.iter().flat_map(|group| group.split(", ")).map(|phrase| (phrase.trim(), *signal))
    });
    lines.filter(|(phrase, _)| !phrase.is_empty())
}

static WORDS_MAX: LazyLock<usize> =
    LazyLock::new(|| PHRASES.keys().map(|phrase| phrase.split(' ').count()).max().unwrap_or(1));

/// Ukrainian, Russian, English, signs: phrases separated by commas.
const TABLE: [(Signal, &[&str]); 17] = [
    (
        Signal::Yes,
        &[
            "так, т, ага, угу, еге, авжеж, звісно, звичайно, безумовно, згоден, згодна, погоджуюсь, \
             погоджуюся, підтверджую, приймаю",
            "да, д, конечно, согласен, согласна, подтверждаю, принимаю, ладно",
            "yes, y, yep, yeah, yup, sure, of course, absolutely, definitely, agreed, confirm, \
             accept, affirmative, why not",
            "+",
        ],
    ),
    (
        Signal::Update,
        &[
            "давай, давайте, роби, зроби так, хай буде, нехай буде, оновлюй, онови, оновити, \
             оновлюйте, міняй, зміни, змінюй, записуй, запиши",
            "обновляй, обнови, меняй, измени, записывай, делай",
            "do it, go ahead, go for it, apply, apply it, update, update it, change it, please do",
        ],
    ),
    (
        Signal::Agree,
        &[
            "ок, окей, окі, гаразд, добре, все добре, все ок, усе ок, все гаразд, усе гаразд, \
             мене влаштовує, підходить, годиться, ок так, го, погнали",
            "ладно ок, все хорошо, подходит, годится, хорошо, пойдет",
            "ok, okay, okey, k, kk, fine, alright, all right, all good, works for me, it works, \
             sounds good, that works, good to go",
            "👍, ✅, 👌, ✔, 🆗",
        ],
    ),
    (
        Signal::Praise,
        &[
            "супер, класно, клас, чудово, прекрасно, ідеально, круто, бомба, вогонь, топ, гарно, \
             подобається, мені подобається, дуже добре, те що треба, те що потрібно, саме те, \
             люблю, молодець, браво, шикарно, відмінно",
            "класс, отлично, прекрасно получилось, круть, идеально, нравится, мне нравится, то что \
             надо, то что нужно, здорово, замечательно, огонь",
            "great, good, nice, perfect, awesome, excellent, amazing, lovely, cool, love it, \
             i love it, i like it, looks good, looks great, looks good to me, lgtm, well done, \
             that's it, spot on",
            "🔥, ❤, 💯, 😍, 🙌, 👏, 🎉",
        ],
    ),
    (
        Signal::No,
        &[
            "ні, н, нє, нєа, неа, ніт, аж ніяк, в жодному разі, ні в якому разі, не треба, \
             не потрібно, не варто, не хочу, не буду, не погоджуюсь, не погоджуюся, не згоден, \
             не згодна, обійдуся, обійдемось, лиши, лиши як є, лиши як було, залиш, залиш як є, \
             залиш як було, хай лишається, хай лишається як є, хай буде як було, нехай буде як \
             було, без змін, нічого не міняй, нічого не змінюй, відхиляю, пропусти, пропускаю",
            "нет, неа нет, не надо, не нужно, не стоит, не согласен, не согласна, ни в коем случае, \
             оставь, оставь как есть, оставь как было, ничего не меняй, без изменений, пропусти это, \
             отклоняю",
            "no, n, nope, nah, no way, never, no need, not needed, not really, leave it, leave it \
             as it is, leave it as is, keep it, keep it as it is, keep it as is, keep the old one, \
             skip, skip it, skip this, decline, reject, nothing, none, no change, no changes",
            "-, 👎, ❌, 🙅, ✖",
        ],
    ),
    (Signal::Not, &["не, don't, dont, do not, not"]),
    (
        Signal::Later,
        &[
            "потім, пізніше, згодом, не зараз, не тепер, не сьогодні, іншим разом, наступного разу, \
             завтра, колись потім, може потім, трохи згодом, ще подумаю, подумаю, треба подумати, \
             дай подумати, відклади, відкладемо, ще не час",
            "позже, не сейчас, не сегодня, в другой раз, в следующий раз, еще подумаю, \
             надо подумать, дай подумать, отложи, потом",
            "later, not now, not yet, not today, another time, next time, maybe later, tomorrow, \
             let me think, i'll think about it, i will think about it, postpone, remind me later",
        ],
    ),
    (
        Signal::Stop,
        &[
            "вихід, вийти, вийди, виходь, виходжу, вихожу, стоп, закінчуй, закінчуємо, закінчити, \
             досить, годі, кінець, все кінець, завершуй, завершити, до побачення, бувай, па, \
             припини, зупинись, перервись, відміна всього",
            "выход, выйти, выйди, хватит, закончим, заканчивай, конец, пока, до свидания, прекрати, \
             остановись",
            "exit, quit, q, stop, end, bye, goodbye, leave, abort, cancel, close, that's all, \
             enough, i'm done here",
            ":q, :q!, :quit, /exit, /quit, /q, /stop",
        ],
    ),
    (
        Signal::Save,
        &[
            "зберігай, збережи, зберегти, зберігаємо, зберігай це, збережи це, збережи пост, \
             зберігай пост, збережи файл, зберігайте, збережіть, зберіг, збережи будь ласка, \
             готово, публікуй, можна зберігати, записуй у файл, збережи у файл, залишаємо, беру, \
             лишаємо, лишаємо так, лишаємо як є, залишаємо так, залишаємо як є, так і лишаємо, так і \
             залишаємо",
            "сохраняй, сохрани, сохранить, сохраняем, сохраняйте, сохраните, сохрани это, сохрани \
             пост, готово сохраняй, беру сохраняй, можно сохранять, оставляем, оставляем так, \
             оставляем как есть, так и оставляем",
            "save, save it, save this, save the post, save that, please save, ship it, done, ready, \
             publish, publish it, keep this one, i'll take it, store it",
            "💾, :w, :wq, :x, /save, /ok",
        ],
    ),
    (
        Signal::Notion,
        &[
            "notion, ноушн, ноушен, нотіон, ноушин, нотион",
            "в notion, у notion, до notion, to notion, into notion, in notion, also to notion",
        ],
    ),
    (
        Signal::Help,
        &[
            "?, ??, допомога, допоможи, поміч, підкажи, підказка, що можна, що робити, команди, \
             що я можу, як це працює, що далі, не розумію",
            "помощь, помоги, подскажи, что делать, что можно, команды, что дальше, не понимаю",
            "help, help me, h, commands, options, what can i do, what now, how does this work",
            "/help, /h, /?, :help, :h",
        ],
    ),
    (
        Signal::Undo,
        &[
            "скасуй, скасувати, скасуй це, скасуй правку, скасуй зміну, скасуй останнє, відміни, \
             відмінити, відміни правку, назад, поверни, поверни назад, поверни як було, поверни \
             попередню, поверни попередній, поверни попередню версію, поверни старий варіант, \
             поверни минулий варіант, верни, верни назад, верни як було, крок назад, відкоти, \
             як було",
            "отмени, отменить, отмени это, отмени правку, вернись назад, верни назад это, верни как \
             было, верни предыдущую версию, верни предыдущий вариант, шаг назад, откати, как было",
            "undo, undo it, undo that, revert, revert it, revert that, go back, back, roll back, \
             rollback, previous version, restore the previous version, take it back",
            "/undo, :undo, :u",
        ],
    ),
    (
        Signal::Redo,
        &[
            "поверни правку, поверни зміну, поверни скасоване, повтори правку, крок вперед, \
             накоти, поверни нову версію, верни правку",
            "верни изменение, повтори правку снова, шаг вперед, верни отмененное",
            "redo, redo it, redo that, step forward, reapply",
            "/redo, :redo",
        ],
    ),
    (
        Signal::StartOver,
        &[
            "не те, зовсім не те, не то, спочатку, давай спочатку, заново, почни заново, почни \
             спочатку, перепиши все, все не те, інший варіант, давай інший варіант, інша ідея, \
             спробуй інакше, напиши інакше",
            "сначала, давай сначала, давай заново, начни заново, начни сначала, совсем не то, другой \
             вариант, давай другой вариант, попробуй иначе",
            "start over, start again, not it, try again, from scratch, another version, another \
             one, something else, different idea, begin again",
        ],
    ),
    (
        Signal::EditByHand,
        &[
            "редагувати, редагуй, я сам, я сама, сам, сама, руками, вручну, відредагую сам, \
             відредагую сама, сам відредагую, сама відредагую, поправлю сам, поправлю сама, \
             відкрий редактор",
            "редактировать, вручную, сам исправлю, сама исправлю, исправлю сам, открой редактор",
            "edit, edit it, edit by hand, let me edit, i'll edit, open editor, open the editor, \
             manually",
            "/edit, :e",
        ],
    ),
    (
        Signal::Unclear,
        &[
            "хм, гм, ем, мм, може, може бути, можливо, мабуть, напевно, хтозна, не знаю, хз, \
             не впевнений, не впевнена, складно сказати, і так і ні, важко сказати, так собі, \
             нормально, норм, та ну, побачимо, як хочеш, все одно, байдуже",
            "наверное, не уверен, не уверена, сложно сказать, может быть, может, посмотрим, как \
             хочешь, все равно, не знаю даже",
            "hm, hmm, umm, um, uh, maybe, perhaps, not sure, i'm not sure, i don't know, dunno, idk, \
             whatever, up to you, possibly, we'll see, it depends, so so, meh",
            "🤔, 🤷, 😐",
        ],
    ),
    (
        Signal::Filler,
        &[
            "будь ласка, будь-ласка, ласка, прошу, дякую, дякую тобі, дуже дякую, щиро дякую, дяка, \
             ну, та, ой, а, і, й, то, це, цей, його, її, все, усе, всьо, мені, нам, тоді, вже, \
             уже, просто, якраз, профіль, пост, зміну, правку, текст, файл, його так, теж, також, \
             ще й, ще, краще, друже, в, у, до, на, давай вже, поки що, з цим, привіт, вам, тобі, \
             все таки, все ж, думаю, мабуть що",
            "пожалуйста, спасибо, спасибо большое, большое спасибо, спс, пжл, и, это, его, ее, все \
             же, мне, тогда, профиль, изменения, файл это, тоже, уж, думаю что, лучше, тебе, вам это",
            "please, pls, plz, thanks, thank you, thank you very much, thanks a lot, thx, ty, and, \
             then, it, this, that, the, a, i, me, you, so, well, oh, now, just, my, profile, post, \
             text, file, also, too, to, in, i think, actually, much, very, dear",
            "🙏, 🙂, 😊, 😀, 😄, 😉, ☺, 🥰, 😅",
        ],
    ),
];
