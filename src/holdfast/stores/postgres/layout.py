"""The tables and functions of a PostgreSQL store, as the steps that lead to them.

A step is never changed after its release: a new layout is a new step at the end. `{schema}` is the schema's name as an
identifier, `{schema_name}` as a text; `{channel}` starts the names of the channels that watchers listen on, and of the
locks.

Plans are changed by functions alone. Each runs with the rights of the tables' owner and a fixed search path, and first
asks whether the session's user may write in the namespace.
"""

from collections.abc import Mapping
from typing import LiteralString

INDEXED_START = 64
"""How many characters of a session's name are in an index."""

MIGRATIONS: Mapping[str, tuple[LiteralString, ...]] = {
    "namespaces and their members": (
        """
        CREATE TABLE {schema}.namespaces (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL UNIQUE,
            watched_until timestamptz NOT NULL DEFAULT '-infinity', -- until then, who writes tells watchers
            settled bigint NOT NULL DEFAULT 0, -- every change up to here is committed, or will never be
            settled_at timestamptz NOT NULL DEFAULT 'epoch' -- when that was last found out, or tried
        ) WITH (fillfactor = 50)
        """,
        """
        CREATE TABLE {schema}.members (
            namespace integer NOT NULL,
            role regrole NOT NULL,
            may_write boolean NOT NULL,
            PRIMARY KEY (namespace, role)
        )
        """,
        # Who calls is the session's user: inside of these functions the current user is their owner.
        """
        CREATE FUNCTION {schema}.own_namespaces() RETURNS integer[]
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
            SELECT coalesce(array_agg(namespace), '{{}}') FROM {schema}.members
            WHERE pg_has_role(session_user, role, 'MEMBER')
        $function$
        """,
        """
        CREATE FUNCTION {schema}.check_writer(its_namespace integer) RETURNS void
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        BEGIN
            IF NOT pg_has_role(session_user, current_user, 'MEMBER') AND NOT EXISTS (
                SELECT FROM {schema}.members
                WHERE namespace = its_namespace AND may_write AND pg_has_role(session_user, role, 'MEMBER')
            ) THEN
                RAISE insufficient_privilege USING MESSAGE =
                    format('role %I is no agent of namespace number %s', session_user, its_namespace);
            END IF;
        END
        $function$
        """,
        # A role that was not admitted is told the same whether there is such a namespace or not.
        """
        CREATE FUNCTION {schema}.open_namespace(its_name text) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        DECLARE
            number integer;
            is_owner boolean := pg_has_role(session_user, current_user, 'MEMBER');
        BEGIN
            SELECT id INTO number FROM {schema}.namespaces
            WHERE name = its_name AND (is_owner OR id = ANY ({schema}.own_namespaces()));
            IF number IS NULL AND NOT is_owner THEN
                RAISE insufficient_privilege USING MESSAGE =
                    format('role %I is not admitted to namespace %L', session_user, its_name);
            ELSIF number IS NULL THEN
                INSERT INTO {schema}.namespaces (name) VALUES (its_name) ON CONFLICT DO NOTHING;
                SELECT id INTO number FROM {schema}.namespaces WHERE name = its_name;
                EXECUTE format('CREATE SEQUENCE IF NOT EXISTS %I.%I', {schema_name}, 'changes_of_' || number);
            END IF;
            RETURN number;
        END
        $function$
        """,
    ),
    "boards and their changes": (
        # Names may be of any length, and an index entry may not: `key` is a digest of session and agent. No index
        # holds what a commit changes, so that the row is updated in its place.
        """
        CREATE TABLE {schema}.boards (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            namespace integer NOT NULL,
            key bytea NOT NULL,
            session text NOT NULL,
            agent text NOT NULL,
            revision integer NOT NULL,
            sequence bigint NOT NULL, -- of its newest change
            month date NOT NULL, -- of its newest change
            plan text NOT NULL, -- as it is now
            UNIQUE (namespace, key)
        ) WITH (fillfactor = 70)
        """,
        # An archived plan is here and not there, until its next change.
        """
        CREATE TABLE {schema}.archived_boards (LIKE {schema}.boards INCLUDING INDEXES)
        """,
        # Every change names the one before it on its board, and a board its newest: history is followed from there.
        # `month` is when the server got it: a month is a table that can be dropped or moved. `token` is what a writer
        # that lost its connection knows its own change by.
        """
        CREATE TABLE {schema}.changes (
            namespace integer NOT NULL,
            sequence bigint NOT NULL, -- counts in its namespace; a write that failed may leave a gap
            month date NOT NULL,
            board bigint NOT NULL,
            previous bigint NOT NULL, -- 0 for the first
            previous_month date NOT NULL,
            revision integer NOT NULL,
            number integer NOT NULL,
            at double precision NOT NULL,
            made_by text NOT NULL,
            action text NOT NULL,
            undoes integer NOT NULL,
            token uuid NOT NULL,
            delta text NOT NULL,
            PRIMARY KEY (namespace, sequence, month)
        ) PARTITION BY RANGE (month)
        """,
        # Asked of the catalog itself: to_regclass() may remember what it saw before we waited for the lock. To attach
        # a table holds up no writer, to create it as a partition would.
        """
        CREATE FUNCTION {schema}.add_month(its_month date) RETURNS void
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
        DECLARE
            its_name text := 'changes_' || to_char(its_month, 'YYYY_MM');
        BEGIN
            IF to_regclass(format('%I.%I', {schema_name}, its_name)) IS NOT NULL THEN
                RETURN;
            END IF;
            PERFORM pg_advisory_xact_lock(hashtextextended({channel} || 'months', 0));
            IF EXISTS (
                SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = {schema_name} AND c.relname = its_name
            ) THEN
                RETURN;
            END IF;
            EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE %1$I.changes INCLUDING ALL)', {schema_name}, its_name);
            EXECUTE format('ALTER TABLE %1$I.changes ATTACH PARTITION %1$I.%2$I FOR VALUES FROM (%3$L) TO (%4$L)',
                {schema_name}, its_name, its_month, its_month + interval '1 month');
        END
        $function$
        """,
        """
        CREATE FUNCTION {schema}.month_after(months integer) RETURNS date
        LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
            SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => months))::date
        $function$
        """,
        "SELECT {schema}.add_month({schema}.month_after(0)), {schema}.add_month({schema}.month_after(1))",
        # Commits of different boards do not wait for each other, so they can share a sync. A number may be committed
        # before a lower one; `settle` finds out up to where this is over, by the lock that every writer shares.
        """
        CREATE FUNCTION {schema}.keep_change(
            its_namespace integer, its_key bytea, its_session text, its_agent text,
            revision_before integer, revision_after integer, its_number integer, its_time double precision,
            its_maker text, its_action text, its_undoes integer, its_plan text, its_delta text, its_token uuid,
            is_archived boolean, OUT kept bigint, OUT is_due boolean
        ) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        DECLARE
            board record;
            was_archived boolean := false;
            this_month date := {schema}.month_after(0);
        BEGIN
            PERFORM {schema}.check_writer(its_namespace);
            IF revision_after <= revision_before THEN
                RAISE invalid_parameter_value USING MESSAGE = 'a change leads to a higher revision';
            ELSIF current_setting('synchronous_commit') = 'off' THEN
                PERFORM set_config('synchronous_commit', 'on', true);
            END IF;
            FOR try IN 1..3 LOOP -- again if another writer moved or created it meanwhile
                SELECT id, revision, sequence, month INTO board FROM {schema}.boards
                WHERE namespace = its_namespace AND key = its_key FOR NO KEY UPDATE;
                EXIT WHEN FOUND;
                SELECT id, revision, sequence, month INTO board FROM {schema}.archived_boards
                WHERE namespace = its_namespace AND key = its_key FOR UPDATE;
                was_archived := FOUND;
                EXIT WHEN FOUND;
                IF revision_before = 0 THEN
                    INSERT INTO {schema}.boards (namespace, key, session, agent, revision, sequence, month, plan)
                    VALUES (its_namespace, its_key, its_session, its_agent, 0, 0, this_month, '')
                    ON CONFLICT DO NOTHING;
                END IF;
            END LOOP;
            IF board.revision = 0 AND EXISTS (
                SELECT FROM {schema}.archived_boards WHERE namespace = its_namespace AND key = its_key
            ) THEN -- it was archived while we waited to create it
                DELETE FROM {schema}.boards WHERE id = board.id;
                RETURN;
            ELSIF board.id IS NULL THEN
                RETURN;
            ELSIF board.revision <> revision_before THEN -- too late; or ours, and the answer was lost
                WITH RECURSIVE chain AS (
                    SELECT c.* FROM {schema}.changes AS c
                    WHERE c.namespace = its_namespace AND c.sequence = board.sequence AND c.month = board.month
                    UNION ALL
                    SELECT c.* FROM chain JOIN {schema}.changes AS c ON c.namespace = its_namespace
                    AND c.sequence = chain.previous AND c.month = chain.previous_month
                    WHERE chain.revision > revision_after
                )
                SELECT sequence INTO kept FROM chain WHERE token = its_token;
                RETURN;
            END IF;
            PERFORM {schema}.add_month(this_month); -- it is there unless nobody wrote in the month before
            PERFORM pg_advisory_xact_lock_shared(hashtextextended({channel} || its_namespace, 0));
            kept := nextval(format('%I.%I', {schema_name}, 'changes_of_' || its_namespace)::regclass);
            INSERT INTO {schema}.changes VALUES (its_namespace, kept, this_month, board.id, board.sequence, board.month,
                revision_after, its_number, its_time, its_maker, its_action, its_undoes, its_token, its_delta);
            IF NOT is_archived AND NOT was_archived THEN
                UPDATE {schema}.boards SET revision = revision_after, sequence = kept, month = this_month,
                    plan = its_plan WHERE id = board.id;
            ELSE
                PERFORM {schema}.move_board(board.id, its_namespace, its_key, is_archived, revision_after, kept,
                    this_month, its_plan);
            END IF;
            SELECT watched_until > clock_timestamp() OR settled_at < clock_timestamp() - interval '1 second'
            INTO is_due FROM {schema}.namespaces WHERE id = its_namespace;
        END
        $function$
        """,
        """
        CREATE FUNCTION {schema}.move_board(
            its_id bigint, its_namespace integer, its_key bytea, is_archived boolean,
            its_revision integer, its_sequence bigint, its_month date, its_plan text
        ) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
        DECLARE
            board record;
        BEGIN
            DELETE FROM {schema}.archived_boards WHERE namespace = its_namespace AND key = its_key
            RETURNING session, agent INTO board;
            IF NOT FOUND THEN
                DELETE FROM {schema}.boards WHERE id = its_id RETURNING session, agent INTO board;
            END IF;
            IF is_archived THEN
                INSERT INTO {schema}.archived_boards VALUES (its_id, its_namespace, its_key, board.session,
                    board.agent, its_revision, its_sequence, its_month, its_plan);
            ELSE
                INSERT INTO {schema}.boards OVERRIDING SYSTEM VALUE VALUES (its_id, its_namespace, its_key,
                    board.session, board.agent, its_revision, its_sequence, its_month, its_plan);
            END IF;
        END
        $function$
        """,
    ),
    "watchers": (
        # Whoever has the lock alone knows that nobody is about to commit: what is not there by now never will be. Its
        # own commit comes later than all those, on a replica too. Nobody waits for it longer than a moment.
        """
        CREATE FUNCTION {schema}.settle(its_namespace integer) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        BEGIN
            IF NOT pg_has_role(session_user, current_user, 'MEMBER')
            AND its_namespace <> ALL ({schema}.own_namespaces()) THEN
                RAISE insufficient_privilege;
            END IF;
            PERFORM set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '500', true);
            PERFORM FROM {schema}.namespaces WHERE id = its_namespace FOR NO KEY UPDATE SKIP LOCKED;
            IF NOT FOUND THEN -- another one is about it
                RETURN;
            END IF;
            PERFORM {schema}.add_month({schema}.month_after(1));
            BEGIN
                PERFORM pg_advisory_xact_lock(hashtextextended({channel} || its_namespace, 0));
                UPDATE {schema}.namespaces SET settled_at = clock_timestamp(), settled = greatest(settled, (
                    SELECT max(sequence) FROM {schema}.changes WHERE namespace = its_namespace
                )) WHERE id = its_namespace;
            EXCEPTION WHEN lock_not_available THEN
                UPDATE {schema}.namespaces SET settled_at = clock_timestamp() WHERE id = its_namespace;
            END;
        END
        $function$
        """,
        # After a commit, and not with it: with NOTIFY, commits wait for each other until they are synced.
        """
        CREATE FUNCTION {schema}.tell_watchers(its_namespace integer) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        DECLARE
            mark record;
        BEGIN
            PERFORM {schema}.check_writer(its_namespace);
            SELECT watched_until > clock_timestamp() AS is_watched, clock_timestamp() - settled_at AS age INTO mark
            FROM {schema}.namespaces WHERE id = its_namespace;
            IF mark.is_watched THEN
                PERFORM pg_notify({channel} || its_namespace, '');
            END IF;
            IF mark.age > interval '1 minute' OR mark.age > interval '1 second' AND pg_try_advisory_xact_lock(
                hashtextextended({channel} || its_namespace, 0)
            ) THEN
                PERFORM {schema}.settle(its_namespace);
            END IF;
        END
        $function$
        """,
        # Of many watchers, the first whose time is half over renews the mark for all.
        """
        CREATE FUNCTION {schema}.mark_watched(its_namespace integer, seconds double precision) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        BEGIN
            PERFORM {schema}.check_writer(its_namespace);
            PERFORM set_config('synchronous_commit', 'off', true);
            UPDATE {schema}.namespaces SET watched_until = clock_timestamp() + make_interval(secs => seconds)
            WHERE id = its_namespace AND watched_until < clock_timestamp() + make_interval(secs => seconds / 2);
        END
        $function$
        """,
    ),
    "tallies": (
        """
        CREATE TABLE {schema}.tallies (
            namespace integer NOT NULL,
            key bytea NOT NULL,
            name text NOT NULL,
            total bigint NOT NULL,
            PRIMARY KEY (namespace, key, name)
        ) WITH (fillfactor = 70)
        """,
        """
        CREATE FUNCTION {schema}.add_tally(its_namespace integer, its_key bytea, its_name text, its_count bigint)
        RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        BEGIN
            PERFORM {schema}.check_writer(its_namespace);
            PERFORM set_config('synchronous_commit', 'off', true);
            INSERT INTO {schema}.tallies AS t VALUES (its_namespace, its_key, its_name, its_count)
            ON CONFLICT (namespace, key, name) DO UPDATE SET total = t.total + excluded.total;
        END
        $function$
        """,
    ),
    "leases": (
        """
        CREATE TABLE {schema}.leases (
            namespace integer NOT NULL,
            key bytea NOT NULL,
            what text NOT NULL,
            holder text NOT NULL,
            expires_at timestamptz NOT NULL, -- by this server's clock
            PRIMARY KEY (namespace, key, what)
        ) WITH (fillfactor = 70)
        """,
        """
        CREATE FUNCTION {schema}.acquire_lease(
            its_namespace integer, its_key bytea, its_what text, its_holder text, seconds double precision
        ) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        BEGIN
            PERFORM {schema}.check_writer(its_namespace);
            PERFORM set_config('synchronous_commit', 'off', true);
            INSERT INTO {schema}.leases AS l VALUES (its_namespace, its_key, its_what, its_holder,
                clock_timestamp() + make_interval(secs => seconds))
            ON CONFLICT (namespace, key, what) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
            WHERE l.holder = excluded.holder OR l.expires_at <= clock_timestamp();
            RETURN FOUND;
        END
        $function$
        """,
        """
        CREATE FUNCTION {schema}.release_lease(its_namespace integer, its_key bytea, its_what text, its_holder text)
        RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        BEGIN
            PERFORM {schema}.check_writer(its_namespace);
            PERFORM set_config('synchronous_commit', 'off', true);
            DELETE FROM {schema}.leases
            WHERE namespace = its_namespace AND key = its_key AND what = its_what AND holder = its_holder;
        END
        $function$
        """,
    ),
    "journals": (
        """
        CREATE TABLE {schema}.journals (
            namespace integer NOT NULL,
            key bytea NOT NULL,
            work text NOT NULL, -- what was done for the current todo since the last plan write
            PRIMARY KEY (namespace, key)
        ) WITH (fillfactor = 70)
        """,
        """
        CREATE FUNCTION {schema}.keep_work(its_namespace integer, its_key bytea, its_work text) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        BEGIN
            PERFORM {schema}.check_writer(its_namespace);
            PERFORM set_config('synchronous_commit', 'off', true);
            INSERT INTO {schema}.journals VALUES (its_namespace, its_key, its_work)
            ON CONFLICT (namespace, key) DO UPDATE SET work = excluded.work;
        END
        $function$
        """,
    ),
    "roles": (
        # Nobody but the owner may do anything by default. A role sees the rows of the namespaces that it is admitted
        # to, and changes them by the functions alone: there is no policy for a change.
        """
        DO $block$
        DECLARE
            one text;
        BEGIN
            FOREACH one IN ARRAY '{{own_namespaces,check_writer,open_namespace,add_month,month_after,keep_change,
                move_board,settle,tell_watchers,mark_watched,add_tally,acquire_lease,release_lease,
                keep_work}}'::text[] LOOP
                EXECUTE format('REVOKE ALL ON FUNCTION %I.%I FROM PUBLIC', {schema_name}, one);
            END LOOP;
            FOREACH one IN ARRAY '{{boards,archived_boards,changes,tallies,leases,journals}}'::text[] LOOP
                EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY', {schema_name}, one);
                EXECUTE format('CREATE POLICY own_namespaces ON %1$I.%2$I FOR SELECT USING '
                    '(namespace = ANY ((SELECT %1$I.own_namespaces())::integer[]))', {schema_name}, one);
            END LOOP;
        END
        $block$
        """,
        "ALTER TABLE {schema}.namespaces ENABLE ROW LEVEL SECURITY",
        """
        CREATE POLICY own_namespaces ON {schema}.namespaces FOR SELECT
        USING (id = ANY ((SELECT {schema}.own_namespaces())::integer[]))
        """,
        "ALTER TABLE {schema}.members ENABLE ROW LEVEL SECURITY",
        """
        CREATE FUNCTION {schema}.admit_viewer(its_role regrole, its_namespace text) RETURNS void
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
        BEGIN
            EXECUTE format('GRANT USAGE ON SCHEMA %I TO %s', {schema_name}, its_role);
            EXECUTE format('GRANT SELECT ON %1$I.migrations, %1$I.namespaces, %1$I.boards, %1$I.archived_boards, '
                '%1$I.changes, %1$I.tallies, %1$I.leases, %1$I.journals TO %2$s', {schema_name}, its_role);
            EXECUTE format('GRANT EXECUTE ON FUNCTION %1$I.open_namespace, %1$I.own_namespaces, %1$I.settle TO %2$s',
                {schema_name}, its_role);
            INSERT INTO {schema}.members VALUES ({schema}.open_namespace(its_namespace), its_role, false)
            ON CONFLICT (namespace, role) DO UPDATE SET may_write = false;
        END
        $function$
        """,
        """
        CREATE FUNCTION {schema}.admit_agent(its_role regrole, its_namespace text) RETURNS void
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
        BEGIN
            PERFORM {schema}.admit_viewer(its_role, its_namespace);
            EXECUTE format('GRANT EXECUTE ON FUNCTION %1$I.keep_change, %1$I.tell_watchers, '
                '%1$I.mark_watched, %1$I.add_tally, %1$I.acquire_lease, %1$I.release_lease, %1$I.keep_work TO %2$s',
                {schema_name}, its_role);
            UPDATE {schema}.members SET may_write = true
            WHERE role = its_role AND namespace = {schema}.open_namespace(its_namespace);
        END
        $function$
        """,
        "REVOKE ALL ON FUNCTION {schema}.admit_viewer, {schema}.admit_agent FROM PUBLIC",
    ),
    "starts of session names": (
        # For lists of sessions by the start of their names. A name may be longer than an index entry. A commit changes
        # neither column nor index.
        """
        ALTER TABLE {schema}.boards
        ADD COLUMN session_start text COLLATE "C" GENERATED ALWAYS AS (left(session, 64)) STORED
        """,
        """
        ALTER TABLE {schema}.archived_boards
        ADD COLUMN session_start text COLLATE "C" GENERATED ALWAYS AS (left(session, 64)) STORED
        """,
        "CREATE INDEX ON {schema}.boards (namespace, session_start)",
        "CREATE INDEX ON {schema}.archived_boards (namespace, session_start)",
    ),
    "deleted boards": (
        # What is left of a board that was deleted: with its last change, it keeps each number from being given twice.
        "CREATE TABLE {schema}.deleted_boards (LIKE {schema}.boards INCLUDING INDEXES)",
        """
        CREATE FUNCTION {schema}.refuse_deleted_board() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        BEGIN
            IF EXISTS (SELECT FROM {schema}.deleted_boards WHERE namespace = NEW.namespace AND key = NEW.key) THEN
                RETURN NULL; -- who wants to begin it has read it before it was there
            END IF;
            RETURN NEW;
        END
        $function$
        """,
        """
        CREATE TRIGGER refuse_deleted_board BEFORE INSERT ON {schema}.boards
        FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_deleted_board()
        """,
        # Not with the rights of the owner: an agent may write, and only the owner may delete.
        """
        CREATE FUNCTION {schema}.delete_board(
            its_namespace integer, its_key bytea, revision_before integer, revision_after integer, its_number integer,
            its_time double precision, its_maker text, its_action text, its_plan text, its_delta text, its_token uuid
        ) RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
        DECLARE
            board record;
            kept bigint;
            this_month date := {schema}.month_after(0);
        BEGIN
            PERFORM set_config('synchronous_commit', 'on', true);
            SELECT * INTO board FROM {schema}.boards WHERE namespace = its_namespace AND key = its_key FOR UPDATE;
            IF NOT FOUND THEN
                SELECT * INTO board FROM {schema}.archived_boards
                WHERE namespace = its_namespace AND key = its_key FOR UPDATE;
            END IF;
            IF NOT FOUND THEN -- ours, and the answer was lost
                SELECT c.sequence INTO kept FROM {schema}.deleted_boards AS d JOIN {schema}.changes AS c
                ON c.namespace = d.namespace AND c.sequence = d.sequence AND c.month = d.month
                WHERE d.namespace = its_namespace AND d.key = its_key AND c.token = its_token;
                RETURN kept;
            ELSIF board.revision <> revision_before THEN
                RETURN NULL;
            END IF;
            PERFORM {schema}.add_month(this_month);
            PERFORM pg_advisory_xact_lock_shared(hashtextextended({channel} || its_namespace, 0));
            kept := nextval(format('%I.%I', {schema_name}, 'changes_of_' || its_namespace)::regclass);
            WITH RECURSIVE chain AS (
                SELECT c.sequence, c.month, c.previous, c.previous_month FROM {schema}.changes AS c
                WHERE c.namespace = its_namespace AND c.sequence = board.sequence AND c.month = board.month
                UNION ALL
                SELECT c.sequence, c.month, c.previous, c.previous_month FROM chain JOIN {schema}.changes AS c
                ON c.namespace = its_namespace AND c.sequence = chain.previous AND c.month = chain.previous_month
            )
            DELETE FROM {schema}.changes AS c USING chain
            WHERE c.namespace = its_namespace AND c.sequence = chain.sequence AND c.month = chain.month;
            INSERT INTO {schema}.changes VALUES (its_namespace, kept, this_month, board.id, 0, this_month,
                revision_after, its_number, its_time, its_maker, its_action, 0, its_token, its_delta);
            DELETE FROM {schema}.boards WHERE id = board.id;
            DELETE FROM {schema}.archived_boards WHERE id = board.id;
            DELETE FROM {schema}.tallies WHERE namespace = its_namespace AND key = its_key;
            DELETE FROM {schema}.leases WHERE namespace = its_namespace AND key = its_key;
            DELETE FROM {schema}.journals WHERE namespace = its_namespace AND key = its_key;
            INSERT INTO {schema}.deleted_boards VALUES (board.id, its_namespace, its_key, board.session, board.agent,
                revision_after, kept, this_month, its_plan);
            RETURN kept;
        END
        $function$
        """,
        # For a write after that: the board comes back, with nothing in it.
        """
        CREATE FUNCTION {schema}.revive_board(its_namespace integer, its_key bytea, its_revision integer)
        RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
        DECLARE
            board record;
        BEGIN
            PERFORM {schema}.check_writer(its_namespace);
            DELETE FROM {schema}.deleted_boards
            WHERE namespace = its_namespace AND key = its_key AND revision = its_revision RETURNING * INTO board;
            IF NOT FOUND THEN
                RETURN false;
            END IF;
            INSERT INTO {schema}.boards OVERRIDING SYSTEM VALUE VALUES (board.id, board.namespace, board.key,
                board.session, board.agent, board.revision, board.sequence, board.month, board.plan);
            RETURN true;
        END
        $function$
        """,
        "REVOKE ALL ON FUNCTION {schema}.refuse_deleted_board, {schema}.delete_board FROM PUBLIC",
        "REVOKE ALL ON FUNCTION {schema}.revive_board FROM PUBLIC",
        "ALTER TABLE {schema}.deleted_boards ENABLE ROW LEVEL SECURITY",
        """
        CREATE POLICY own_namespaces ON {schema}.deleted_boards FOR SELECT
        USING (namespace = ANY ((SELECT {schema}.own_namespaces())::integer[]))
        """,
        # Who is admitted from now on gets the rights with `members`, and who was admitted before gets them here.
        """
        CREATE FUNCTION {schema}.grant_deleted_boards() RETURNS trigger
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
        BEGIN
            EXECUTE format('GRANT SELECT ON %I.deleted_boards TO %s', {schema_name}, NEW.role);
            IF NEW.may_write THEN
                EXECUTE format('GRANT EXECUTE ON FUNCTION %I.revive_board TO %s', {schema_name}, NEW.role);
            END IF;
            RETURN NULL;
        END
        $function$
        """,
        "REVOKE ALL ON FUNCTION {schema}.grant_deleted_boards FROM PUBLIC",
        """
        CREATE TRIGGER grant_deleted_boards AFTER INSERT OR UPDATE ON {schema}.members
        FOR EACH ROW EXECUTE FUNCTION {schema}.grant_deleted_boards()
        """,
        "UPDATE {schema}.members SET may_write = may_write",
    ),
}
"""The steps of the layout, in their order: each by its name, with its statements."""
