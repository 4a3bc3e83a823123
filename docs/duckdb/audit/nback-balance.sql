-- over: SELECT count(*) FROM questions WHERE type = 'nback'
-- As many yes as no in each attribute, N and number of clips K.
WITH q AS (
  SELECT answer_text,
         [l.value FOR l IN labels IF l.key = 'attribute'][1] AS attribute,
         [l.value FOR l IN labels IF l.key = 'n_value'][1] AS n,
         [l.value FOR l IN labels IF l.key = 'clip_count'][1] AS k
  FROM questions WHERE type = 'nback')
SELECT attribute, n, k, count(*) FILTER (answer_text = 'Yes') AS yes, count(*) FILTER (answer_text = 'No') AS no
FROM q GROUP BY attribute, n, k HAVING yes <> no
