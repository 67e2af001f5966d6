"""The SQL of a PostgreSQL store, with the name of its schema in place."""

from typing import LiteralString

from psycopg import sql

PAGE = 200
"""How many changes are read at a time."""

FIRST_PAGE = 20
"""How many changes of one board are read at first: mostly only the newest are asked for."""

PAGE_OF_BOARDS = 2_000
"""How many boards are looked at in one statement when old ones are sought."""

PAGE_OF_UNSETTLED = 1_000
"""How many changes that may have a gap before them are read at a time, at the start of a watcher."""

_COLUMNS = "c.sequence, c.board, c.previous, c.made_by, c.action, c.undoes, c.delta"
_BOARD = "namespace = %(namespace)s AND key = %(key)s"

# The plan itself is sent only if the caller does not know it. An archived plan is in the second table, what is
# left of a deleted one in the third.
_LOAD = f"""
    SELECT CASE WHEN revision = %(known)s THEN NULL ELSE plan END FROM {{schema}}.boards WHERE {_BOARD}
    UNION ALL
    SELECT CASE WHEN revision = %(known)s THEN NULL ELSE plan END FROM {{schema}}.archived_boards WHERE {_BOARD}
    UNION ALL
    SELECT CASE WHEN revision = %(known)s THEN NULL ELSE plan END FROM {{schema}}.deleted_boards WHERE {_BOARD}
    LIMIT 1
"""
_KEEP = """
    SELECT kept, is_due FROM {schema}.keep_change(%(namespace)s, %(key)s, %(session)s, %(agent)s, %(before)s, %(after)s,
        %(number)s, %(at)s, %(by)s, %(action)s, %(undoes)s, %(plan)s, %(delta)s, %(token)s, %(is_archived)s)
"""
_DELETE = """
    SELECT {schema}.delete_board(%(namespace)s, %(key)s, %(before)s, %(after)s, %(number)s, %(at)s, %(by)s, %(action)s,
        %(plan)s, %(delta)s, %(token)s)
"""
_REVIVE = "SELECT {schema}.revive_board(%(namespace)s, %(key)s, %(before)s)"
_TELL = "SELECT {schema}.tell_watchers(%(namespace)s)"
_SETTLE = "SELECT {schema}.settle(%(namespace)s)"
_HEAD = f"""
    SELECT sequence, month, plan FROM {{schema}}.boards WHERE {_BOARD}
    UNION ALL
    SELECT sequence, month, plan FROM {{schema}}.archived_boards WHERE {_BOARD}
    UNION ALL
    SELECT sequence, month, plan FROM {{schema}}.deleted_boards WHERE {_BOARD}
"""
_BACKWARD = f"""
    WITH RECURSIVE chain AS (
        SELECT {_COLUMNS}, c.previous_month, 1 AS place FROM {{schema}}.changes AS c
        WHERE c.namespace = %(namespace)s AND c.sequence = %(sequence)s AND c.month = %(month)s
        UNION ALL
        SELECT {_COLUMNS}, c.previous_month, chain.place + 1 FROM chain JOIN {{schema}}.changes AS c
        ON c.namespace = %(namespace)s AND c.sequence = chain.previous AND c.month = chain.previous_month
        WHERE chain.place < %(page)s
    )
    SELECT previous_month, {_COLUMNS} FROM chain AS c ORDER BY place
"""
# What is settled is of the same moment as the changes. Months that lie behind a watcher are not looked at.
_FORWARD = f"""
    SELECT n.settled, c.month, {_COLUMNS}, b.session, b.agent
    FROM {{schema}}.changes AS c
    JOIN {{schema}}.namespaces AS n ON n.id = c.namespace
    JOIN LATERAL (
        SELECT session, agent FROM {{schema}}.boards WHERE id = c.board
        UNION ALL
        SELECT session, agent FROM {{schema}}.archived_boards WHERE id = c.board
        UNION ALL
        SELECT session, agent FROM {{schema}}.deleted_boards WHERE id = c.board
    ) AS b ON true
    WHERE c.namespace = %(namespace)s AND c.sequence > %(sequence)s AND c.month >= %(month)s
    ORDER BY c.sequence LIMIT {PAGE}
"""
# Page by page, so that the server knows that they are few: it would else look through whole tables. The first page
# starts where everything is settled.
_UNSETTLED = f"""
    SELECT n.settled, c.sequence FROM {{schema}}.namespaces AS n
    LEFT JOIN LATERAL (
        SELECT sequence FROM {{schema}}.changes
        WHERE namespace = n.id AND sequence > coalesce(%(after)s::bigint, n.settled)
        ORDER BY sequence LIMIT {PAGE_OF_UNSETTLED}
    ) AS c ON true
    WHERE n.id = %(namespace)s ORDER BY c.sequence
"""
# The boards of the newest changes, each by its last one: no index of boards has to change with every write.
_NEWEST_BOARDS = """
    SELECT b.session, b.agent, b.sequence, b.plan FROM (
        SELECT board, max(sequence) AS sequence FROM (
            SELECT board, sequence FROM {schema}.changes WHERE namespace = %(namespace)s
            ORDER BY sequence DESC LIMIT %(looked)s
        ) AS newest GROUP BY board
    ) AS c JOIN LATERAL (
        SELECT session, agent, sequence, plan FROM {schema}.boards WHERE id = c.board AND sequence = c.sequence
        UNION ALL
        SELECT session, agent, sequence, plan FROM {schema}.archived_boards
        WHERE id = c.board AND sequence = c.sequence AND %(archived)s
    ) AS b ON true ORDER BY c.sequence DESC LIMIT %(limit)s
"""
_HAS_MORE = """
    SELECT 1 FROM {schema}.boards WHERE namespace = %(namespace)s
    UNION ALL
    SELECT 1 FROM {schema}.archived_boards WHERE namespace = %(namespace)s
    LIMIT 1 OFFSET %(limit)s
"""
_BOARDS = """
    SELECT session, agent, sequence, plan FROM {schema}.boards WHERE namespace = %(namespace)s
    UNION ALL
    SELECT session, agent, sequence, plan FROM {schema}.archived_boards
    WHERE namespace = %(namespace)s AND %(archived)s
    ORDER BY sequence DESC LIMIT %(limit)s
"""
_SESSIONS_STARTING = """
    SELECT session, agent FROM (
        SELECT session, agent, sequence, session_start, namespace FROM {schema}.boards
        UNION ALL
        SELECT session, agent, sequence, session_start, namespace FROM {schema}.archived_boards
    ) AS b
    WHERE namespace = %(namespace)s AND session_start >= %(first)s AND session_start <= %(last)s
    AND starts_with(session, %(start)s) ORDER BY sequence DESC
"""
_WITH_TEXT = """
    SELECT session, agent, sequence, plan FROM (
        SELECT session, agent, sequence, plan, namespace FROM {schema}.boards
        UNION ALL
        SELECT session, agent, sequence, plan, namespace FROM {schema}.archived_boards
    ) AS b
    WHERE namespace = %(namespace)s AND (
        lower(plan COLLATE "C") LIKE %(in_plan)s ESCAPE '~'
        OR lower(session COLLATE "C") LIKE %(in_name)s ESCAPE '~'
        OR lower(agent COLLATE "C") LIKE %(in_name)s ESCAPE '~'
    ) ORDER BY sequence DESC LIMIT %(limit)s
"""
# Looked at in the order of an index that only boards of this namespace are in: `e` is where the next page starts. If
# the last change is gone with its month, the plan is read: only it says when that was. A month is that of the storing.
_UNCHANGED_SINCE = f"""
    WITH page AS MATERIALIZED (
        SELECT key, namespace, session, agent, sequence, month, plan FROM {{table}}
        WHERE namespace = %(namespace)s AND key > %(start)s ORDER BY key LIMIT {PAGE_OF_BOARDS}
    )
    SELECT e.key, b.session, b.agent, b.sequence, b.plan
    FROM (SELECT key FROM page ORDER BY key DESC LIMIT 1) AS e LEFT JOIN (
        SELECT page.session, page.agent, page.sequence, page.plan FROM page LEFT JOIN {{schema}}.changes AS c
        ON c.namespace = page.namespace AND c.sequence = page.sequence AND c.month = page.month
        WHERE coalesce(c.at, 0) < %(before)s
    ) AS b ON true
"""
_TALLY = "SELECT {schema}.add_tally(%(namespace)s, %(key)s, %(name)s, %(count)s)"
_TALLIES = f"SELECT name, total FROM {{schema}}.tallies WHERE {_BOARD}"
_KEEP_WORK = "SELECT {schema}.keep_work(%(namespace)s, %(key)s, %(work)s)"
_KEPT_WORK = f"SELECT work FROM {{schema}}.journals WHERE {_BOARD}"
_ACQUIRE_LEASE = "SELECT {schema}.acquire_lease(%(namespace)s, %(key)s, %(what)s, %(holder)s, %(seconds)s)"
_RELEASE_LEASE = "SELECT {schema}.release_lease(%(namespace)s, %(key)s, %(what)s, %(holder)s)"
_ACTIVE_LEASES = f"""
    SELECT what, holder, extract(epoch FROM expires_at - clock_timestamp())::double precision
    FROM {{schema}}.leases WHERE {_BOARD} AND expires_at > clock_timestamp()
"""
_NAMESPACE = "SELECT {schema}.open_namespace(%(name)s)"
_WATCHED = "SELECT {schema}.mark_watched(%(namespace)s, %(seconds)s)"
_FIGURES = """
    SELECT (SELECT count(*) FROM {schema}.boards WHERE namespace = %(namespace)s)
           + (SELECT count(*) FROM {schema}.archived_boards WHERE namespace = %(namespace)s),
           (SELECT coalesce(max(sequence), 0) FROM {schema}.changes WHERE namespace = %(namespace)s),
           (SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class AS c
            JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = %(schema)s AND c.relkind = 'r'),
           (SELECT count(*) FROM {schema}.migrations)
"""


class Statements:
    """Each statement for a schema, as bytes for the driver."""

    def __init__(self, schema: str) -> None:
        name = sql.Identifier(schema.replace("%", "%%"))  # the driver takes a single one for a placeholder

        def within(text: LiteralString, table: str = "") -> bytes:
            return sql.SQL(text).format(schema=name, table=sql.SQL(".").join((name, sql.Identifier(table)))).as_bytes()

        self.load = within(_LOAD)
        self.keep = within(_KEEP)
        self.delete = within(_DELETE)
        self.revive = within(_REVIVE)
        self.tell = within(_TELL)
        self.settle = within(_SETTLE)
        self.head = within(_HEAD)
        self.backward = within(_BACKWARD)
        self.forward = within(_FORWARD)  # pyright: ignore[reportArgumentType] a number of ours is in it
        self.unsettled = within(_UNSETTLED)  # pyright: ignore[reportArgumentType] as above
        self.newest_boards = within(_NEWEST_BOARDS)
        self.has_more = within(_HAS_MORE)
        self.boards = within(_BOARDS)
        self.sessions_starting = within(_SESSIONS_STARTING)
        self.with_text = within(_WITH_TEXT)
        self.unchanged_since = within(_UNCHANGED_SINCE, "boards")  # pyright: ignore[reportArgumentType] as above
        self.archived_unchanged_since = within(_UNCHANGED_SINCE, "archived_boards")  # pyright: ignore[reportArgumentType]
        self.tally = within(_TALLY)
        self.tallies = within(_TALLIES)
        self.keep_work = within(_KEEP_WORK)
        self.kept_work = within(_KEPT_WORK)
        self.acquire_lease = within(_ACQUIRE_LEASE)
        self.release_lease = within(_RELEASE_LEASE)
        self.active_leases = within(_ACTIVE_LEASES)
        self.namespace = within(_NAMESPACE)
        self.watched = within(_WATCHED)
        self.figures = within(_FIGURES)
