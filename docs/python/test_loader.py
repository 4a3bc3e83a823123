"""Tries memforge_loader.py on a release, and on broken ones that it must refuse.

    python3 test_loader.py RELEASE
"""
import collections
import json
import os
import shutil
import sys
import tempfile

from memforge_loader import Release, ReleaseError, for_solver


def check_joins(folder):
    with Release(folder) as release:
        rows = {t["name"]: t["rows"] for t in release.manifest["tables"]}
        families, verdicts, spans, seen = collections.Counter(), 0, 0, None
        for q in release.questions():
            assert seen is None or seen < q["question_id"], "questions are sorted"
            seen = q["question_id"]
            families[q["family"]] += 1
            verdicts += len(q["verdicts"])
            assert q["verdicts"] and q["task"]["task_id"] == q["task_id"]
            assert not q["options"] or q["answer_key"] in [o["key"] for o in q["options"]]
            assert all(os.path.getsize(m["path"]) == m["bytes"] for m in q["media"] + q["question_media"])
            for e in q["evidence"]:
                spans += e["span"] is not None
                assert e["span"] is None or 0 <= e["span"][0] < e["span"][1]
                assert e["kind"] != "media" or os.path.isfile(e["path"])
            hidden = json.dumps(for_solver(q))
            assert '"role"' not in hidden and "answer" not in for_solver(q) and "evidence" not in for_solver(q)
        assert sum(families.values()) == rows["questions"] > 0, families
        assert set(families) == {"video", "visual", "crosssource", "lifelong"}, families
        assert 0 < verdicts <= rows["verdicts"] and spans > 0
        check_filters(release, families)
        check_sessions(release)
        check_media(release)
    print(f"{sum(families.values())} questions of {dict(families)}, {verdicts} verdicts, {spans} spans")


def check_filters(release, families):
    only = list(release.questions(family="visual"))
    assert len(only) == families["visual"] and {q["family"] for q in only} == {"visual"}
    both = sum(1 for _ in release.questions(family=["visual", "lifelong"], split="test"))
    assert both == families["visual"] + families["lifelong"]
    one = only[0]
    assert [q["question_id"] for q in release.questions(ids=one["question_id"])] == [one["question_id"]]
    assert all(q["type"] == one["type"] for q in release.questions(type=one["type"], family="visual"))
    for nothing in ({"split": "nowhere"}, {"ids": []}, {"family": "' OR true --"}):
        assert list(release.questions(**nothing)) == [], nothing


def check_sessions(release):
    question = next(q for q in release.questions(family="lifelong"))
    sessions = release.sessions(question["task_id"])
    assert sessions and [s["order"] for s in sessions] == sorted(s["order"] for s in sessions)
    turns = [t for s in sessions for t in s["turns"]]
    assert turns and all([t["order"] for t in s["turns"]] == sorted(t["order"] for t in s["turns"]) for s in sessions)
    assert any(a["path"] and os.path.isfile(a["path"]) for t in turns for a in t["attachments"] or [])
    cited = {e["ref"] for e in question["evidence"] if e["kind"] == "turn"}
    assert cited <= {t["turn_id"] for t in turns}, "evidence leads to turns of its task"


def check_media(release):
    for medium in release.rows("media", "kind = ?", ["video"], "media_id", "media_id LIMIT 2"):
        with release.open_media(medium["media_id"]) as f:
            assert f.read(12)[4:8] == b"ftyp"
        assert release.path(medium["media_id"]).startswith(release.folder)
    for wrong in ("0" * 64, "../manifest.json", ""):
        refused(ReleaseError, release.open_media, wrong)


def check_broken(folder):
    """Changes a copy of the small files in turn; the media are not needed."""
    with Release(folder) as release:
        medium = next(release.rows("media", "kind = ?", ["image"], "media_id, file_name"))
    for name, change, text in (
        ("a path out of the release", lambda m, _: m["tables"][0]["splits"][0].update(path="../../etc/passwd"), "no path of a release"),
        ("an absolute path", lambda m, _: m["tables"][0]["splits"][0].update(path="/etc/passwd"), "no path of a release"),
        ("an address", lambda m, _: m["tables"][0]["splits"][0].update(path="https://example.org/q.parquet"), "no path of a release"),
        ("a pattern", lambda m, _: m["tables"][0]["splits"][0].update(path="data/*/*.parquet"), "no path of a release"),
        ("a file that is not listed", lambda m, _: m.update(files=[]), "not listed"),
        ("a picture that is not shipped", lambda m, _: m.update(files=[f for f in m["files"] if f["path"] != medium["file_name"]]), "not listed"),
        ("a link", lambda _, at: link(at, "questions"), "links are not followed"),
        ("a folder that is a link", link_folder, "links are not followed"),
        ("another size", lambda _, at: open(parquet(at, "questions"), "ab").write(b"x"), "not the file"),
        ("a pipe", lambda _, at: pipe(parquet(at, "questions")), "not the file"),
        ("no tables", lambda m, _: m.pop("tables"), "manifest.json"),
        ("other bytes of a picture", lambda m, at: swap(at, medium["file_name"]), "not those of its id"),
    ):
        with tempfile.TemporaryDirectory() as at:
            shutil.copytree(os.path.join(folder, "data"), os.path.join(at, "data"))
            target = os.path.join(at, medium["file_name"])
            os.makedirs(os.path.dirname(target))
            shutil.copy(os.path.join(folder, medium["file_name"]), target)
            with open(os.path.join(folder, "manifest.json")) as f:
                manifest = json.load(f)
            change(manifest, at)
            with open(os.path.join(at, "manifest.json"), "w") as f:
                json.dump(manifest, f)

            def use():
                with Release(at) as release:
                    release.open_media(medium["media_id"]).close()
                    list(release.rows("questions", columns="question_id"))
            assert text in refused(ReleaseError, use), name
    refused(ReleaseError, Release, "/nowhere")


def parquet(at, table):
    folder = os.path.join(at, "data", table)
    return os.path.join(folder, os.listdir(folder)[0])


def link(at, table):
    path = parquet(at, table)
    os.rename(path, path + ".moved")
    os.symlink(path + ".moved", path)


def pipe(path):
    os.remove(path)
    os.mkfifo(path)


def link_folder(_, at):
    folder = os.path.join(at, "data", "questions")
    os.rename(folder, folder + "2")
    os.symlink(folder + "2", folder)


def swap(at, name):
    with open(os.path.join(at, name), "r+b") as f:
        f.seek(40)
        byte = f.read(1)
        f.seek(40)
        f.write(bytes([byte[0] ^ 1]))


def refused(error, call, *args):
    """Calls what must fail, and returns what it said."""
    try:
        call(*args)
    except error as err:
        return str(err)
    raise AssertionError(f"{call.__name__}{args} was not refused")


if __name__ == "__main__":
    check_joins(sys.argv[1])
    check_broken(sys.argv[1])
    print("loader: all is as it should be")
