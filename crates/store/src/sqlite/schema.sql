-- Schema 1 of a Ghosthand store. A change here is a new schema number in `open.rs`.

-- `revision`: newest revision of kv. `forgotten`: no deletion up to it is known any more.
-- `message`: newest message id.
CREATE TABLE counter (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counter VALUES ('forgotten', 0), ('message', 0), ('revision', 0);

-- A deleted key stays for a while without a value, so that a watch hears of it.
CREATE TABLE kv (
    key TEXT PRIMARY KEY,
    value TEXT,
    revision INTEGER NOT NULL UNIQUE,
    expires_at INTEGER,
    deleted_at INTEGER,
    CHECK ((value IS NULL) = (deleted_at IS NOT NULL))
) STRICT;
CREATE INDEX kv_expires ON kv (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX kv_deleted ON kv (deleted_at) WHERE deleted_at IS NOT NULL;

-- Records `first` to `last` exist; what lies before `first` was erased.
CREATE TABLE log (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL
) STRICT;
CREATE TABLE record (
    log INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    dedup TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (log, sequence)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX record_dedup ON record (log, dedup) WHERE dedup IS NOT NULL;

-- `ready_at`: when it can be claimed; for a claimed message the end of its lease.
-- `claims` only grows; `held` is the claim that holds the message, if one does.
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    body TEXT NOT NULL,
    dedup TEXT,
    ready_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    attempts_max INTEGER NOT NULL,
    claims INTEGER NOT NULL,
    held INTEGER,
    reason TEXT,
    died_at INTEGER
) STRICT;
CREATE UNIQUE INDEX message_dedup ON message (queue, dedup) WHERE dedup IS NOT NULL;
CREATE INDEX message_ready ON message (queue, ready_at, id) WHERE died_at IS NULL;
CREATE INDEX message_died ON message (queue, id) WHERE died_at IS NOT NULL;
