"""The SQL of a PostgreSQL store, with the name of its schema in place."""

from typing import LiteralString

from psycopg import sql

PAGE = 200
"""How many changes are read at a time."""

_COLUMNS = "c.sequence, c.board, c.previous, c.made_by, c.action, c.undoes, c.delta"
_BOARD = "namespace = %(namespace)s AND key = %(key)s"
_UNSYNCED = "set_config('synchronous_commit', 'off', true) IS NOT NULL"
"""For values that may be lost in a crash of the server."""

# The plan itself is sent only if the caller does not know it.
_LOAD = f"SELECT CASE WHEN revision = %(known)s THEN NULL ELSE plan END FROM {{schema}}.boards WHERE {_BOARD}"
_KEEP = """
    SELECT {schema}.keep_change(%(namespace)s, %(key)s, %(session)s, %(agent)s, %(before)s, %(after)s, %(number)s,
        %(at)s, %(by)s, %(action)s, %(undoes)s, %(plan)s, %(delta)s, %(token)s)
"""
_HEAD = f"SELECT sequence, plan FROM {{schema}}.boards WHERE {_BOARD}"
_BACKWARD = f"""
    WITH RECURSIVE chain AS (
        SELECT {_COLUMNS}, 1 AS place FROM {{schema}}.changes AS c
        WHERE c.namespace = %(namespace)s AND c.sequence = %(sequence)s
        UNION ALL
        SELECT {_COLUMNS}, chain.place + 1 FROM chain JOIN {{schema}}.changes AS c
        ON c.namespace = %(namespace)s AND c.sequence = chain.previous
        WHERE chain.place < {PAGE}
    )
    SELECT {_COLUMNS} FROM chain AS c ORDER BY place
"""
_FORWARD = f"""
    SELECT {_COLUMNS}, boards.session, boards.agent
    FROM {{schema}}.changes AS c JOIN {{schema}}.boards ON boards.id = c.board
    WHERE c.namespace = %(namespace)s AND c.sequence > %(sequence)s ORDER BY c.sequence LIMIT {PAGE}
"""
_NEWEST = "SELECT coalesce(max(sequence), 0) FROM {schema}.changes WHERE namespace = %(namespace)s"
_BOARDS = """
    SELECT session, agent, sequence, plan FROM {schema}.boards WHERE namespace = %(namespace)s ORDER BY sequence DESC
"""
_TALLY = f"""
    INSERT INTO {{schema}}.tallies AS t
    SELECT %(namespace)s, %(key)s, %(name)s, %(count)s WHERE {_UNSYNCED}
    ON CONFLICT (namespace, key, name) DO UPDATE SET total = t.total + excluded.total
"""
_TALLIES = f"SELECT name, total FROM {{schema}}.tallies WHERE {_BOARD}"
_KEEP_WORK = f"""
    INSERT INTO {{schema}}.journals
    SELECT %(namespace)s, %(key)s, %(work)s WHERE {_UNSYNCED}
    ON CONFLICT (namespace, key) DO UPDATE SET work = excluded.work
"""
_KEPT_WORK = f"SELECT work FROM {{schema}}.journals WHERE {_BOARD}"
_ACQUIRE_LEASE = f"""
    INSERT INTO {{schema}}.leases AS l
    SELECT %(namespace)s, %(key)s, %(what)s, %(holder)s, clock_timestamp() + make_interval(secs => %(seconds)s)
    WHERE {_UNSYNCED}
    ON CONFLICT (namespace, key, what) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE l.holder = excluded.holder OR l.expires_at <= clock_timestamp()
"""
_RELEASE_LEASE = (
    f"DELETE FROM {{schema}}.leases WHERE {_BOARD} AND what = %(what)s AND holder = %(holder)s AND {_UNSYNCED}"
)
_ACTIVE_LEASES = f"""
    SELECT what, holder, extract(epoch FROM expires_at - clock_timestamp())::double precision
    FROM {{schema}}.leases WHERE {_BOARD} AND expires_at > clock_timestamp()
"""
_NAMESPACE = "SELECT id FROM {schema}.namespaces WHERE name = %(name)s"
_NEW_NAMESPACE = "INSERT INTO {schema}.namespaces (name) VALUES (%(name)s) ON CONFLICT DO NOTHING"
# Of many watchers, the first whose time is half over renews the mark for all.
_WATCHED = """
    UPDATE {schema}.namespaces SET watched_until = clock_timestamp() + make_interval(secs => %(seconds)s)
    WHERE id = %(namespace)s AND watched_until < clock_timestamp() + make_interval(secs => %(seconds)s / 2)
"""
_FIGURES = """
    SELECT (SELECT count(*) FROM {schema}.boards WHERE namespace = %(namespace)s),
           (SELECT coalesce(max(sequence), 0) FROM {schema}.changes WHERE namespace = %(namespace)s),
           (SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class AS c
            JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = %(schema)s AND c.relkind = 'r'),
           (SELECT count(*) FROM {schema}.migrations)
"""


class Statements:
    """Each statement for a schema, as bytes for the driver."""

    def __init__(self, schema: str) -> None:
        name = sql.Identifier(schema.replace("%", "%%"))  # the driver takes a single one for a placeholder

        def within(text: LiteralString) -> bytes:
            return sql.SQL(text).format(schema=name).as_bytes(None)

        self.load = within(_LOAD)
        self.keep = within(_KEEP)
        self.head = within(_HEAD)
        self.backward = within(_BACKWARD)  # pyright: ignore[reportArgumentType] a number of ours is in it
        self.forward = within(_FORWARD)  # pyright: ignore[reportArgumentType] likewise
        self.newest = within(_NEWEST)
        self.boards = within(_BOARDS)
        self.tally = within(_TALLY)
        self.tallies = within(_TALLIES)
        self.keep_work = within(_KEEP_WORK)
        self.kept_work = within(_KEPT_WORK)
        self.acquire_lease = within(_ACQUIRE_LEASE)
        self.release_lease = within(_RELEASE_LEASE)
        self.active_leases = within(_ACTIVE_LEASES)
        self.namespace = within(_NAMESPACE)
        self.new_namespace = within(_NEW_NAMESPACE)
        self.watched = within(_WATCHED)
        self.figures = within(_FIGURES)
