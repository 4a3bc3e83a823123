-- over: SELECT sum(n) FROM (SELECT len(options) AS size, count(DISTINCT coalesce([l.value FOR l IN labels IF l.key = 'mirror_group'][1], question_id)) AS n FROM questions WHERE type <> 'nback' AND len(options) > 0 GROUP BY type, size) WHERE n >= 5 * size
-- No position holds the correct option more often than chance allows (binomial
-- test at 0.001, shared out over the positions), for each number of options. A
-- question that stands over several orders of its videos counts once; with
-- fewer than five questions a position there is nothing to test. Types are
-- tested apart.
WITH unit AS (
  SELECT type, coalesce([l.value FOR l IN labels IF l.key = 'mirror_group'][1], question_id) AS id,
         len(options)::INT AS size, min(answer_key) AS key
  FROM questions WHERE type <> 'nback' AND len(options) > 0 GROUP BY ALL),
counts AS (
  SELECT type, size, key, count(*)::INT AS k, sum(count(*)) OVER (PARTITION BY type, size)::INT AS n
  FROM unit GROUP BY type, size, key),
tested AS (
  SELECT *, list_sum([exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - i * ln(size) + (n - i) * ln(1 - 1 / size))
                      FOR i IN range(k, n + 1)]) AS p
  FROM counts WHERE n >= 5 * size)
SELECT type, key, k, n, p FROM tested WHERE p < 0.001 / size
