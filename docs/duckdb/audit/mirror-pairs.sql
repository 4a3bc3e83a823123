-- over: SELECT count(*) FROM questions WHERE type = 'interference'
-- Every interference question stands over both orders of its videos, once in
-- each direction, and otherwise the same. Orders that repeat a video may be
-- there too: each direction at most once for either video repeated.
WITH q AS (
  SELECT *, [l.value FOR l IN labels IF l.key = 'mirror_group'][1] AS pair,
         [l.value FOR l IN labels IF l.key = 'interference_direction'][1] AS direction,
         coalesce([l.value FOR l IN labels IF l.key = 'repetition'][1], 'none') AS repetition
  FROM questions WHERE type = 'interference')
SELECT pair, count(*) AS questions FROM q GROUP BY pair
HAVING NOT (pair IS NOT NULL
  AND list_sort(list(direction) FILTER (repetition = 'none')) = ['proactive', 'retroactive']
  AND bool_and(direction IN ('proactive', 'retroactive') AND repetition IN ('none', 'target', 'interferer'))
  AND count(DISTINCT {d: direction, r: repetition}) = count(*)
  AND count(DISTINCT media) = count(*)
  AND count(DISTINCT {q: question, m: question_mcq, o: options, a: answer_key}) = 1)
