"""SQL queries that read a stored run."""

PLACE = "SELECT id, suite, condition, agent FROM cells WHERE key = ?"
CONDITIONS = "SELECT condition FROM cells GROUP BY condition ORDER BY min(id)"
COUNTED_CONDITIONS = """
SELECT condition FROM (SELECT DISTINCT condition FROM tallies WHERE standing = 'planned') AS planned
ORDER BY (SELECT id FROM cells WHERE cells.condition = planned.condition ORDER BY id LIMIT 1)
"""
# The query uses only the index of episodes: for a long plan that is nearly complete, it reads few
# cells.
UNPLAYED = """
SELECT id, key FROM (
    SELECT before, (SELECT min(cell) FROM episodes WHERE cell > before) AS after
    FROM (SELECT 0 AS before UNION ALL SELECT DISTINCT cell FROM episodes)
    WHERE NOT EXISTS (SELECT 1 FROM episodes WHERE cell = before + 1)
) CROSS JOIN cells ON id > before AND id < coalesce(after, 9223372036854775807) ORDER BY id
"""
BROKEN = """
SELECT cells.id, key FROM episodes JOIN cells ON cells.id = cell
WHERE fault AND attempt = (SELECT max(attempt) FROM episodes AS every WHERE every.cell = cells.id)
"""
UNSCORED = """
SELECT 1 FROM episodes WHERE {among}
attempt = (SELECT max(attempt) FROM episodes AS every WHERE every.cell = episodes.cell)
AND NOT EXISTS (
    SELECT 1 FROM scores WHERE scores.cell = episodes.cell AND scores.attempt = episodes.attempt
    AND rules = ? AND judge = ? AND metric = ?
) LIMIT 1
"""
TRIES = (
    "SELECT max(attempt), sum(NOT fault) FROM episodes "
    "WHERE cell = (SELECT id FROM cells WHERE key = ?)"
)

# Only the last attempt at a cell counts; earlier ones failed through infrastructure or the
# simulated user.
LAST_ATTEMPTS = """
SELECT key, cells.id, attempt, fault{data}
FROM cells CROSS JOIN episodes ON cells.id = episodes.cell
WHERE attempt = (SELECT max(attempt) FROM episodes AS every WHERE every.cell = cells.id)
ORDER BY cells.id
"""
SCORES = """
SELECT key, last.* FROM cells
JOIN (
    SELECT cell, max(attempt), data FROM scores
    WHERE rules = ? AND judge = ? AND metric = ? GROUP BY cell
) AS last ON cells.id = last.cell
"""

EARLIER = (
    "FROM cells JOIN {table} AS early ON cells.id = early.cell WHERE early.attempt < "
    "(SELECT max(attempt) FROM episodes WHERE episodes.cell = early.cell)"
)
EARLIER_EPISODES = (
    f"SELECT key, early.attempt, early.fault, early.data {EARLIER.format(table='episodes')}"
)
EARLIER_SCORES = (
    f"SELECT key, early.attempt, early.data {EARLIER.format(table='scores')} "
    "AND rules = ? AND judge = ? AND metric = ?"
)
# The query uses the index, so rows of the reward, which have rules, are not read.
MEASURED = """
SELECT key, attempt, rules, judge, metric, data FROM cells
JOIN scores ON cells.id = scores.cell
WHERE scores.id IN (SELECT id FROM scores INDEXED BY scores_by_key WHERE rules = '')
ORDER BY scores.id
"""
CELL = "SELECT id, suite, condition, agent, task, trial FROM cells WHERE key = ?"
CELL_AT = "SELECT key, suite, condition, agent, task, trial FROM cells WHERE id = ?"
LAST_ROWS = "SELECT (SELECT max(id) FROM episodes), (SELECT max(id) FROM scores)"
STATE = (
    "SELECT name, value FROM meta ORDER BY name",
    "SELECT * FROM episodes ORDER BY id DESC LIMIT 1",
    "SELECT * FROM scores ORDER BY id DESC LIMIT 1",
)
ROWS_AFTER = "SELECT id, cell FROM {table} WHERE id > ? ORDER BY id LIMIT ?"
ATTEMPTS_AT = """
SELECT cells.id, key, attempt, fault, data FROM cells JOIN episodes ON cells.id = episodes.cell
WHERE cells.id IN (SELECT value FROM json_each(?)) ORDER BY cells.id, attempt
"""
COUNTED_AT = """
SELECT cells.id, key, attempt, rules, judge, metric, data
FROM cells JOIN scores ON cells.id = scores.cell
WHERE cells.id IN (SELECT value FROM json_each(?))
AND (rules = '' OR (rules = ? AND judge = ? AND metric = ?)) ORDER BY scores.id
"""
