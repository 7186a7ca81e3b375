//! What a browser and its device have to do with the page: load it, install it, show a long
//! conversation, touch it.

mod installed;
mod long_conversations;
mod page_weight;
mod touch;
