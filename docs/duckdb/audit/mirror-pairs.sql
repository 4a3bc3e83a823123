-- Every interference question stands twice, over two videos, once in each
-- direction, and otherwise the same.
WITH q AS (
  SELECT *, [l.value FOR l IN labels IF l.key = 'mirror_group'][1] AS pair,
         [l.value FOR l IN labels IF l.key = 'interference_direction'][1] AS direction
  FROM questions WHERE type = 'interference')
SELECT pair, count(*) AS questions FROM q GROUP BY pair
HAVING NOT (pair IS NOT NULL AND count(*) = 2
  AND list_sort(list(direction)) = ['proactive', 'retroactive']
  AND count(DISTINCT media) = 2
  AND count(DISTINCT {q: question, m: question_mcq, o: options, a: answer_key}) = 1)
