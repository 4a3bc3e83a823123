"""Reads a release of memforge. Copy this one file; it needs Python 3.9 and DuckDB alone:

    pip install duckdb

    from memforge_loader import Release, for_solver
    release = Release("out/releases/memforge-films/1.0.0")
    for question in release.questions(family="video", split="test"):
        shown = for_solver(question)          # what a system under test may see
        right = question["answer_key"]        # never shown

A question has its options, its media with their paths, its evidence, its verdicts and its
task; sessions and turns come by task. A path is None where a release has no file of a
medium; "referenced" then says why, if memforge hydrate can make it. Rows come in batches, so memory does not grow with the release. Bytes of a release
are not trusted: paths stay inside it, links are refused, and open_media checks the digest.
"""
import hashlib
import json
import os
import re
import stat

import duckdb

__all__ = ["Release", "ReleaseError", "for_solver"]

_BATCH = 500
_MANIFEST_BYTES = 256 << 20
_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*")
_ID = re.compile(r"[0-9a-f]{64}")


class ReleaseError(Exception):
    """The folder is no release, or something in it is not as its manifest says."""


class Release:
    """A release's folder. Use it in a with block, or call close."""

    def __init__(self, folder):
        try:
            self._root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as err:
            raise ReleaseError(f"{folder} is no folder of a release: {err}") from err
        self.folder, self.files = os.path.realpath(folder), {}
        with self._open("manifest.json") as f:
            text = f.read(_MANIFEST_BYTES + 1)
        try:
            if len(text) > _MANIFEST_BYTES:
                raise ValueError(f"more than {_MANIFEST_BYTES} bytes")
            self.manifest = json.loads(text)
            self.files = {f["path"]: f for f in self.manifest["files"]}
            self.tables = {t["name"]: [s["path"] for s in t["splits"]] for t in self.manifest["tables"]}
        except (ValueError, KeyError, TypeError) as err:
            raise ReleaseError(f"manifest.json of {folder}: {err!r}") from err
        self._db = duckdb.connect(":memory:")
        self._db.execute("SET autoinstall_known_extensions = false")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._db.close()
        os.close(self._root)

    # Tables

    def rows(self, table, where="true", values=(), columns="*", order=None):
        """Yields the rows of a table as dictionaries. where is SQL with ? for values."""
        query = f"SELECT {columns} FROM {self._source(table)} WHERE {where}"
        if order:
            query += f" ORDER BY {order}"
        cursor = self._db.cursor()
        cursor.execute(query, list(values))
        names = [d[0] for d in cursor.description]
        while True:
            batch = cursor.fetchmany(_BATCH)
            if not batch:
                return
            for row in batch:
                yield dict(zip(names, row))

    def _source(self, table):
        """SQL that reads a table's files, which must be regular files of the release."""
        if table not in self.tables:
            raise ReleaseError(f"there is no table {table!r}; there are {', '.join(sorted(self.tables))}")
        paths = []
        for path in self.tables[table]:
            self._open(path).close()
            paths.append("'" + os.path.join(self.folder, path).replace("'", "''") + "'")
        if not paths:
            raise ReleaseError(f"table {table} has no file")
        return f"read_parquet([{', '.join(paths)}])"

    # Questions

    def questions(self, family=None, type=None, split=None, task=None, ids=None):
        """Yields questions by id, each with what belongs to it; every filter is a value or a list."""
        conditions, values = [], []
        for column, wanted in (("family", family), ("type", type), ("split", split), ("task_id", task), ("question_id", ids)):
            if wanted is None:
                continue
            wanted = [wanted] if isinstance(wanted, str) else list(wanted)
            conditions.append(_among(column, wanted))
            values += wanted
        batch = []
        for row in self.rows("questions", " AND ".join(conditions) or "true", values, order="question_id"):
            batch.append(row)
            if len(batch) == _BATCH:
                yield from self._joined(batch)
                batch = []
        yield from self._joined(batch)

    def _joined(self, questions):
        """Adds media, paths of evidence, verdicts and tasks to a batch of questions."""
        if not questions:
            return
        wanted = {m for q in questions for m in q["media"] + q["question_media"]}
        wanted |= {_media_of(e) for q in questions for e in q["evidence"]} - {None}
        media = self._media(wanted)
        tasks = {t["task_id"]: t for t in self._by("tasks", "task_id", {q["task_id"] for q in questions})}
        verdicts = {}
        for v in self._by("verdicts", "item", {q["question_id"] for q in questions}):
            verdicts.setdefault(v.pop("item"), []).append(v)
        for q in questions:
            q["labels"] = {pair["key"]: pair["value"] for pair in _pairs(q["labels"])}
            q["media"] = [media[m] for m in q["media"]]
            q["question_media"] = [media[m] for m in q["question_media"]]
            for e in q["evidence"]:
                medium = media.get(_media_of(e))
                e["path"] = medium["path"] if medium else None
                e["span"] = _span(e)
            q["verdicts"] = sorted(verdicts.get(q["question_id"], []), key=lambda v: v["gate"])
            q["task"] = tasks.get(q["task_id"])
            yield q

    def _by(self, table, column, keys, columns="*"):
        """Yields the rows of a table whose column is among keys."""
        keys = sorted(keys)
        for i in range(0, len(keys), _BATCH):
            some = keys[i:i + _BATCH]
            yield from self.rows(table, _among(column, some), some, columns)

    # Sessions

    def sessions(self, task):
        """Returns the sessions of a task in order, each with its turns; none for films."""
        if "sessions" not in self.tables:
            return []
        sessions = list(self.rows("sessions", "task_id = ?", [task], order='"order", session_id'))
        by_id = {s["session_id"]: s for s in sessions}
        for s in sessions:
            s["turns"] = []
        for turn in self._by("turns", "session_id", by_id):
            by_id[turn["session_id"]]["turns"].append(turn)
        attached = [a for s in sessions for t in s["turns"] for a in t["attachments"] or []]
        media = self._media({a["media_id"] for a in attached} - {None})
        for a in attached:
            a["path"] = media[a["media_id"]]["path"] if a["media_id"] in media else None
        for s in sessions:
            s["turns"].sort(key=lambda t: t["order"])
        return sessions

    # Media

    def path(self, media_id):
        """Returns the path of a video or picture, which may be given to a program as it is."""
        medium = self._media([media_id]).get(media_id)
        if not medium or not medium["path"]:
            why = medium and medium["referenced"] or "there is none"
            raise ReleaseError(f"no file of a medium {media_id}: {why}")
        return medium["path"]

    def open_media(self, media_id):
        """Opens a video or picture after comparing its bytes with its id, their SHA-256."""
        if not _ID.fullmatch(media_id):
            raise ReleaseError(f"{media_id!r} is no id of a medium")
        for m in self._by("media", "media_id", [media_id], "media_id, file_name, bytes"):
            f = self._open(m["file_name"], m["bytes"])
            digest = hashlib.sha256()
            for block in iter(lambda: f.read(1 << 20), b""):
                digest.update(block)
            if digest.hexdigest() != media_id:
                f.close()
                raise ReleaseError(f"{m['file_name']}: the bytes are not those of its id; run memforge verify")
            f.seek(0)
            return f
        raise ReleaseError(f"there is no medium {media_id}")

    def _media(self, ids):
        """Returns rows of media by id, with path, and referenced: why there is none, or None."""
        media = {}
        for m in self._by("media", "media_id", ids, "* EXCLUDE (image)"):
            m["path"], m["referenced"] = None, None
            listed = m["file_name"] in self.files
            if not listed and not os.path.lexists(os.path.join(self.folder, m["file_name"])):
                if self.manifest.get("media") == "licensed":
                    m["referenced"] = f"its licence {m['license'] or '(none stated)'} forbids shipping; memforge hydrate makes it of your copies of the originals"
            elif listed or self.manifest.get("media") == "licensed":
                self._open(m["file_name"], m["bytes"]).close()
                m["path"] = os.path.join(self.folder, m["file_name"])
            media[m["media_id"]] = m
        return media

    def _open(self, path, size=None):
        """Opens a file of the release, also a hydrated one of a size; links and paths out of it are refused."""
        if not isinstance(path, str) or not _PATH.fullmatch(path):
            raise ReleaseError(f"{path!r} is no path of a release")
        listed = self.files.get(path)
        if path != "manifest.json" and not listed and (size is None or self.manifest.get("media") != "licensed"):
            raise ReleaseError(f"{path} is not listed in manifest.json")
        *folders, name = path.split("/")
        at = os.dup(self._root)
        try:
            for folder in folders:
                below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = below
            f = os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at), "rb")
        except OSError as err:
            raise ReleaseError(f"{path}: {err.strerror}; links are not followed") from err
        finally:
            os.close(at)
        info = os.fstat(f.fileno())
        if not stat.S_ISREG(info.st_mode) or info.st_size != (listed["size"] if listed else size or info.st_size):
            f.close()
            raise ReleaseError(f"{path} is not the file that manifest.json lists; run memforge verify")
        return f


def for_solver(question):
    """Returns what a system under test may see of a question: no gold, roles, labels or evidence."""
    return {
        "question_id": question["question_id"],
        "prompt": question["question_mcq"] or question["question"],
        "options": [{"key": o["key"], "text": o["text"]} for o in question["options"]],
        "media": [m["path"] for m in question["media"]],
        "question_media": [m["path"] for m in question["question_media"]],
        "tools": question["tools"],
        "setting": question["setting"],
    }


def _among(column, values):
    return f"{column} IN ({', '.join('?' * len(values))})" if values else "false"


def _pairs(labels):
    """A map of Parquet comes as pairs, or as a dictionary, by DuckDB's version."""
    if isinstance(labels, dict):
        return [{"key": k, "value": v} for k, v in labels.items()]
    return labels or []


def _media_of(evidence):
    """The id of the medium that a piece of evidence shows, or None."""
    if evidence["media"]:
        return evidence["media"]
    return evidence["ref"].split("#")[0] if evidence["kind"] == "media" else None


def _span(evidence):
    """Start and end in seconds of the medium, or None for all of it."""
    found = re.search(r"#t=([0-9.]+),([0-9.]+)$", evidence["ref"] or "")
    return (float(found[1]), float(found[2])) if found else None
