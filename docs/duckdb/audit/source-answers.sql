-- over: SELECT n FROM (SELECT count(DISTINCT coalesce([l.value FOR l IN labels IF l.key = 'mirror_group'][1], question_id)) AS n FROM questions WHERE type IN ('false_memory_discrimination', 'source_memory')) WHERE n >= 20
-- In which of two videos something happens: one, the other, both and neither are
-- right about as often (binomial test at 0.001, shared out over the four). A
-- question that stands over several variants counts once; below twenty there is
-- nothing to test.
WITH unit AS (
  SELECT coalesce([l.value FOR l IN labels IF l.key = 'mirror_group'][1], question_id) AS id,
         min([l.value FOR l IN labels IF l.key = 'target'][1]) AS target
  FROM questions WHERE type IN ('false_memory_discrimination', 'source_memory') GROUP BY ALL),
counts AS (SELECT target, count(*)::INT AS k, sum(count(*)) OVER ()::INT AS n FROM unit GROUP BY target),
tested AS (
  SELECT *, list_sum([exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - i * ln(4) + (n - i) * ln(0.75))
                      FOR i IN range(k, n + 1)]) AS p
  FROM counts WHERE n >= 20)
SELECT target, k, n, p FROM tested WHERE p < 0.001 / 4
