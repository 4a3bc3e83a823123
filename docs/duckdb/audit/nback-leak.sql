-- over: SELECT count(*) FROM questions WHERE type = 'nback'
-- No clip count, first clip, sequence or length goes with one answer more often
-- than chance allows (two-sided binomial test at 0.001, shared out over the
-- values of each feature), no more videos have one answer to all their questions
-- than chance allows, and a question has one medium named by its digest.
WITH q AS (
  SELECT question_id, answer_text = 'Yes' AS yes, media,
         [l.value FOR l IN labels IF l.key = 'clip_count'][1] AS k,
         [l.value FOR l IN labels IF l.key = 'first_clip'][1] AS first_clip,
         [l.value FOR l IN labels IF l.key = 'sequence'][1] AS sequence,
         [l.value FOR l IN labels IF l.key = 'frames'][1]::BIGINT AS frames
  FROM questions WHERE type = 'nback'),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY k ORDER BY frames, question_id) > count(*) OVER (PARTITION BY k) // 2 AS longer FROM q),
features AS (
  SELECT 'clip count' AS feature, k AS value, yes FROM q
  UNION ALL SELECT 'first clip', first_clip, yes FROM q
  UNION ALL SELECT 'sequence', sequence, yes FROM q
  UNION ALL SELECT 'length', k || CASE WHEN longer THEN ' clips, longer half' ELSE ' clips, shorter half' END, yes FROM ranked),
counts AS (
  SELECT feature, value, count(*)::INT AS n, count(*) FILTER (yes)::INT AS yes,
         count(*) OVER (PARTITION BY feature) AS groups
  FROM features GROUP BY feature, value),
tested AS (
  SELECT *, 2 * list_sum([exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - n * ln(2))
                          FOR i IN range(greatest(yes, n - yes), n + 1)]) AS p
  FROM counts),
files AS (
  SELECT media[1] AS file, count(*)::INT AS asked, count(*) FILTER (yes)::INT AS yes FROM q GROUP BY file),
alike AS (
  SELECT asked, count(*)::INT AS videos, count(*) FILTER (yes IN (0, asked))::INT AS alike, pow(2, 1 - asked) AS chance,
         count(*) OVER () AS groups
  FROM files GROUP BY asked),
unanimous AS (
  SELECT *, list_sum([exp(lgamma(videos + 1) - lgamma(i + 1) - lgamma(videos - i + 1)) * pow(chance, i) * pow(1 - chance, videos - i)
                      FOR i IN range(alike, videos + 1)]) AS p
  FROM alike)
SELECT feature || ': ' || value AS what, yes, n, p FROM tested WHERE p < 0.001 / groups
UNION ALL
SELECT 'videos with one answer to ' || asked || ' questions', alike, videos, p FROM unanimous WHERE asked > 1 AND p < 0.001 / groups
UNION ALL
SELECT 'media of ' || question_id, NULL, len(media), NULL FROM q
WHERE len(media) <> 1 OR NOT regexp_full_match(media[1], '[0-9a-f]{64}')
