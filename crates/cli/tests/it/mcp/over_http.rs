//! The same door over HTTP: who may come in, and how replies look.
