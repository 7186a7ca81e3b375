-- Schema 1 of a Ghosthand store in PostgreSQL. A change here is a new number in `migrate.rs`.
-- Names are compared by their bytes (collate "C"); bodies are text, so that they come back as
-- they were given.

-- The newest revision of kv; `forgotten`: no deletion up to it is known any more. Whoever writes
-- keys holds this row until the commit, so revisions become visible in their order.
create table counter (
    only_row boolean primary key default true check (only_row),
    revision bigint not null,
    forgotten bigint not null
) with (fillfactor = 50);
insert into counter (revision, forgotten) values (0, 0);

-- A deleted key stays for a while without a value, so that a watch hears of it.
create table kv (
    key text collate "C" primary key,
    value text,
    revision bigint not null unique,
    expires_at bigint,
    deleted_at bigint,
    check ((value is null) = (deleted_at is not null))
);
create index kv_expires on kv (expires_at) where expires_at is not null;
create index kv_deleted on kv (deleted_at) where deleted_at is not null;

-- Records `first` to `last` exist; what lies before `first` was erased. An erased log gets a new
-- id: its old records belong to nothing, and are deleted in pieces (`erased`).
create sequence log_id;
create table log (
    name text collate "C" primary key,
    id bigint not null unique default nextval('log_id'),
    first bigint not null,
    last bigint not null
);
create table record (
    log bigint not null,
    sequence bigint not null,
    dedup text collate "C",
    body text not null,
    primary key (log, sequence)
);
create unique index record_dedup on record (log, dedup) where dedup is not null;
create table erased (log bigint primary key);

-- `ready_at`: when it can be claimed; for a claimed message the end of its lease.
-- `claims` only grows; `held` is the claim that holds the message, if one does.
create sequence message_id;
create table message (
    id bigint primary key,
    queue text collate "C" not null,
    body text not null,
    dedup text collate "C",
    ready_at bigint not null,
    attempts bigint not null,
    attempts_max bigint not null,
    claims bigint not null,
    held bigint,
    reason text,
    died_at bigint
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 200);
create unique index message_dedup on message (queue, dedup) where dedup is not null;
create index message_ready on message (queue, ready_at, id) where died_at is null;
create index message_died on message (queue, id) where died_at is not null;
