//! What a browser and its device have to do with the page: its language, loading, installing, a long
//! conversation, touch.

mod installed;
mod languages;
mod long_conversations;
mod page_weight;
mod touch;
