//! The Python host from outside: real interpreters behind the real sandbox.

mod smoke;
