-- over: SELECT count(*) FROM questions WHERE type = 'nback'
-- The answer to an N-Back question is yes just where the labels table states the
-- same of the last clip and of the clip N before it.
WITH q AS (
  SELECT question_id, answer_text, media[1] AS media_id,
         [l.value FOR l IN labels IF l.key = 'attribute'][1] AS attribute,
         [l.value FOR l IN labels IF l.key = 'n_value'][1]::INT AS n
  FROM questions WHERE type = 'nback'),
clip AS (
  SELECT media_id, s.video::INT AS place, s.original, s."from" / fps AS start, s."to" / fps AS stop
  FROM (SELECT media_id, fps, unnest(recipe.segments) AS s FROM media WHERE recipe.layout = 'n-back')),
stated AS (
  SELECT c.media_id, c.place, l.attribute, min(l.value) AS label, count(DISTINCT l.value) AS labels
  FROM clip c JOIN labels l ON l.original = c.original
   AND (l."from" IS NULL OR abs(l."from" - c.start) < 1e-5 AND abs(l."to" - c.stop) < 1e-5)
  GROUP BY ALL),
last AS (SELECT media_id, max(place) AS place FROM clip GROUP BY media_id)
SELECT q.question_id, q.answer_text, a.label AS last_label, b.label AS earlier_label
FROM q JOIN last USING (media_id)
LEFT JOIN stated a ON a.media_id = q.media_id AND a.attribute = q.attribute AND a.place = last.place
LEFT JOIN stated b ON b.media_id = q.media_id AND b.attribute = q.attribute AND b.place = last.place - q.n
WHERE coalesce(a.labels <> 1 OR b.labels <> 1 OR (a.label = b.label) <> (q.answer_text = 'Yes'), true)
