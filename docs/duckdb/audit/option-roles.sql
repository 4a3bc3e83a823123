-- over: SELECT count(*) FROM questions WHERE type IN ('interference', 'source_identification', 'order_understanding', 'content_retention', 'spatial_grounding', 'temporal_grounding', 'false_memory_discrimination', 'source_memory', 'nback')
-- The options that each question type asks for: interference has one correct
-- option, two intrusions and one unrelated; N-Back two, every other type four,
-- with one correct. No key or text twice; the answer is the correct option; and
-- what happens in neither video is a false memory, and nothing else is.
WITH q AS (
  SELECT *, list_sort([o.role FOR o IN options]) AS roles, [l.value FOR l IN labels IF l.key = 'target'][1] AS target
  FROM questions
  WHERE type IN ('interference', 'source_identification', 'order_understanding', 'content_retention', 'spatial_grounding',
                 'temporal_grounding', 'false_memory_discrimination', 'source_memory', 'nback'))
SELECT question_id, type, roles, answer_key FROM q
WHERE NOT (
      roles = CASE type WHEN 'interference' THEN ['correct', 'intrusion', 'intrusion', 'irrelevant_distractor']
                        WHEN 'nback' THEN ['correct', 'distractor']
                        ELSE ['correct', 'distractor', 'distractor', 'distractor'] END
  AND len(list_distinct([o.key FOR o IN options])) = len(options)
  AND len(list_distinct([lower(trim(regexp_replace(o.text, '\s+', ' ', 'g'))) FOR o IN options])) = len(options)
  AND list_contains([{k: o.key, t: o.text} FOR o IN options IF o.role = 'correct'], {k: answer_key, t: answer_text})
  AND (type = 'false_memory_discrimination') = (coalesce(target, '') = 'neither'))
