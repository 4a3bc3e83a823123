-- over: SELECT count(*) FROM questions WHERE type = 'interference'
-- One correct option, two intrusions, one unrelated; no key or text twice; the
-- answer is the correct option.
SELECT question_id, list_sort([o.role FOR o IN options]) AS roles, answer_key
FROM questions
WHERE type = 'interference' AND NOT (
      list_sort([o.role FOR o IN options]) = ['correct', 'intrusion', 'intrusion', 'irrelevant_distractor']
  AND len(list_distinct([o.key FOR o IN options])) = 4
  AND len(list_distinct([lower(trim(regexp_replace(o.text, '\s+', ' ', 'g'))) FOR o IN options])) = 4
  AND list_contains([{k: o.key, t: o.text} FOR o IN options IF o.role = 'correct'], {k: answer_key, t: answer_text}))
