-- The writes of schema 1, each one call. They return what happened and raise nothing that a caller
-- can cause, so that one of them cannot spoil the transaction that many share.

-- The time in milliseconds: the server's, unless a test gives another.
create function now_millis(given bigint) returns bigint language sql volatile as $$
    select coalesce(given, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)
$$;

-- The moment so much later, at most the latest that every engine can store; null stays null.
create function later(moment bigint, span bigint) returns bigint language sql immutable strict as $$
    select least(moment + span, 9007199254740992)
$$;

-- Locks what a transaction will write, always in the same order, so that two do not wait for
-- each other. The revision is counted in a setting of the transaction and stored once.
create function begin_batch(keys boolean, logs text[]) returns void language plpgsql as $$
declare newest bigint;
begin
    if keys then
        select revision into strict newest from counter for update;
        perform set_config('ghosthand.revision', newest::text, true);
    end if;
    if cardinality(logs) > 0 then
        perform 1 from log where name = any (logs) order by name for update;
    end if;
end $$;

create function end_batch() returns void language sql as $$
    update counter set revision = current_setting('ghosthand.revision')::bigint
    where revision <> current_setting('ghosthand.revision')::bigint
$$;

create function next_revision() returns bigint language sql volatile as $$
    select set_config('ghosthand.revision',
        (current_setting('ghosthand.revision')::bigint + 1)::text, true)::bigint
$$;

create function kv_put(k text, v text, until bigint) returns bigint language plpgsql as $$
declare new_revision bigint := next_revision();
begin
    insert into kv (key, value, revision, expires_at) values (k, v, new_revision, until)
    on conflict (key) do update set value = excluded.value, revision = excluded.revision,
        expires_at = excluded.expires_at, deleted_at = null;
    return new_revision;
end $$;

-- `expected`: null for any, 0 for absent, else a revision. `life`: null for never, -1 for
-- unchanged. `done` stays null on a conflict; `current` is the revision that was found.
create function kv_set(k text, v text, expected bigint, life bigint, given bigint,
    out done bigint, out current bigint) language plpgsql as $$
declare
    moment bigint := now_millis(given);
    old_until bigint;
begin
    select revision, expires_at into current, old_until from kv
    where key = k and value is not null and (expires_at is null or expires_at > moment);
    if expected <> coalesce(current, 0) then
        return;
    end if;
    done := kv_put(k, v, case when life = -1 then old_until else later(moment, life) end);
end $$;

-- `done`: the revision of the deletion; null with `conflict` false: there was nothing.
create function kv_delete(k text, expected bigint, given bigint,
    out done bigint, out current bigint, out conflict boolean) language plpgsql as $$
declare moment bigint := now_millis(given);
begin
    select revision into current from kv
    where key = k and value is not null and (expires_at is null or expires_at > moment);
    conflict := coalesce(expected <> coalesce(current, 0), false);
    if not conflict and current is not null then
        done := next_revision();
        update kv set value = null, revision = done, expires_at = null, deleted_at = moment
        where key = k;
    end if;
end $$;

-- Turns expired values into deletions and forgets old deletions, at most so many of each.
create function sweep_kv(given bigint, remembered bigint, most bigint) returns bigint
language plpgsql as $$
declare
    moment bigint := now_millis(given);
    newest bigint;
    expired bigint;
    forgotten_now bigint;
begin
    select revision into strict newest from counter for update;
    with due as (
        select key, row_number() over (order by expires_at, key) as place from kv
        where expires_at <= moment order by expires_at, key limit most
    )
    update kv set value = null, revision = newest + due.place, expires_at = null, deleted_at = moment
    from due where kv.key = due.key;
    get diagnostics expired = row_count;
    with gone as (
        delete from kv where key in (
            select key from kv where deleted_at < moment - remembered order by deleted_at limit most)
        returning revision
    )
    select max(revision) into forgotten_now from gone;
    update counter set revision = newest + expired,
        forgotten = greatest(forgotten, coalesce(forgotten_now, 0));
    return expired;
end $$;

-- The numbers of the records: positive if new, negative if the key was known.
create function log_append(log_name text, bodies text[], keys text[]) returns bigint[]
language plpgsql as $$
declare
    log_id bigint;
    newest bigint;
    known bigint;
    numbers bigint[] := '{}';
begin
    select id, last into log_id, newest from log where name = log_name for update;
    if not found then
        insert into log (name, first, last) values (log_name, 1, 0) on conflict (name) do nothing;
        select id, last into strict log_id, newest from log where name = log_name for update;
    end if;
    for place in 1 .. cardinality(bodies) loop
        known := null;
        if keys[place] is not null then
            select sequence into known from record where log = log_id and dedup = keys[place];
        end if;
        if known is null then
            newest := newest + 1;
            insert into record (log, sequence, dedup, body)
            values (log_id, newest, keys[place], bodies[place]);
            numbers := numbers || newest;
        else
            numbers := numbers || -known;
        end if;
    end loop;
    update log set last = newest where name = log_name and last <> newest;
    return numbers;
end $$;

create function log_erase(log_name text, most bigint) returns void language plpgsql as $$
declare
    old_id bigint;
    old_count bigint;
begin
    select id, last - first + 1 into old_id, old_count from log where name = log_name for update;
    if old_count > 0 then
        update log set id = nextval('log_id'), first = last + 1 where name = log_name;
        if old_count <= most then
            delete from record where log = old_id;
        else
            insert into erased (log) values (old_id);
        end if;
    end if;
end $$;

-- Deletes some records of erased logs.
create function sweep_erased(most bigint) returns void language plpgsql as $$
declare old_id bigint;
begin
    select log into old_id from erased order by log limit 1 for update skip locked;
    if not found then
        return;
    end if;
    delete from record where log = old_id and sequence <= (
        select max(sequence) from (
            select sequence from record where log = old_id order by sequence limit most) as oldest);
    if not exists (select from record where log = old_id) then
        delete from erased where log = old_id;
    end if;
end $$;

create function queue_push(q text, message_body text, key text, delay bigint, attempts bigint,
    given bigint, out number bigint, out known boolean) language plpgsql as $$
declare moment bigint := now_millis(given);
begin
    loop
        select id into number from message where queue = q and dedup = key;
        known := found;
        exit when found;
        number := nextval('message_id');
        insert into message (id, queue, body, dedup, ready_at, attempts, attempts_max, claims)
        values (number, q, message_body, key, later(moment, delay), 0, attempts, 0)
        on conflict (queue, dedup) where dedup is not null do nothing;
        exit when found;
    end loop;
end $$;

-- Claims the message that has been ready longest; those whose last attempt is over become dead
-- letters on the way.
create function queue_claim(q text, lease bigint, given bigint) returns setof message
language plpgsql as $$
declare
    moment bigint := now_millis(given);
    found_one message;
begin
    loop
        select * into found_one from message
        where queue = q and died_at is null and ready_at <= moment
        order by ready_at, id limit 1 for update skip locked;
        exit when not found;
        if found_one.attempts >= found_one.attempts_max then
            update message set died_at = moment, held = null, reason = null where id = found_one.id;
        else
            return query update message set attempts = attempts + 1, claims = claims + 1,
                held = claims + 1, ready_at = later(moment, lease)
            where id = found_one.id returning *;
            exit;
        end if;
    end loop;
end $$;
