"""Stands in for the package duckdb where no index of Python packages is reached: what
docs/python needs of it, over the library of the npm package that .ci/duckdb.sh installs.
The engine is DuckDB's own; only the bindings are these. Values travel as JSON.
"""
import ctypes
import json
import os

_lib = ctypes.CDLL(os.environ["LIBDUCKDB"])
_pointer = ctypes.POINTER(ctypes.c_void_p)


class _Result(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint64) for n in ("columns", "rows", "changed")] + [(n, ctypes.c_void_p) for n in ("data", "message", "internal")]


_result = ctypes.POINTER(_Result)
for _name, _returns, _takes in (
    ("open", ctypes.c_int, [ctypes.c_char_p, _pointer]), ("connect", ctypes.c_int, [ctypes.c_void_p, _pointer]),
    ("disconnect", None, [_pointer]), ("close", None, [_pointer]),
    ("prepare", ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, _pointer]), ("prepare_error", ctypes.c_char_p, [ctypes.c_void_p]),
    ("bind_varchar", ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p]),
    ("execute_prepared", ctypes.c_int, [ctypes.c_void_p, _result]), ("destroy_prepare", None, [_pointer]),
    ("result_error", ctypes.c_char_p, [_result]), ("row_count", ctypes.c_uint64, [_result]), ("destroy_result", None, [_result]),
    ("column_count", ctypes.c_uint64, [_result]), ("column_name", ctypes.c_char_p, [_result, ctypes.c_uint64]),
    ("value_varchar", ctypes.c_void_p, [_result, ctypes.c_uint64, ctypes.c_uint64]), ("free", None, [ctypes.c_void_p]),
):
    _f = getattr(_lib, "duckdb_" + _name)
    _f.restype, _f.argtypes = _returns, _takes


class Error(Exception):
    pass


class Connection:
    def __init__(self, database):
        self._database, self._handle, self._rows, self.description = database, ctypes.c_void_p(), [], []
        if _lib.duckdb_connect(database, self._handle):
            raise Error("connect")

    def cursor(self):
        return Connection(self._database)

    def execute(self, query, values=()):
        names = [n for n, _ in self._run("DESCRIBE " + query, values)] if query.startswith("SELECT") else []
        if names:
            query = f"SELECT to_json(COLUMNS(*))::VARCHAR FROM ({query})"
        rows = self._run(query, values)
        self._rows = [tuple(json.loads(v) if v else None for v in row) for row in rows] if names else []
        self.description = [(n,) for n in names]
        return self

    def _run(self, query, values):
        statement, result = ctypes.c_void_p(), _Result()
        try:
            if _lib.duckdb_prepare(self._handle, query.encode(), statement):
                raise Error(_lib.duckdb_prepare_error(statement).decode())
            for i, v in enumerate(values, 1):
                if _lib.duckdb_bind_varchar(statement, i, v.encode()):
                    raise Error(f"parameter {i}")
            if _lib.duckdb_execute_prepared(statement, result):
                raise Error(_lib.duckdb_result_error(result).decode())
            width = 2 if query.startswith("DESCRIBE") else _lib.duckdb_column_count(result)
            return [tuple(self._value(result, c, r) for c in range(width)) for r in range(_lib.duckdb_row_count(result))]
        finally:
            _lib.duckdb_destroy_result(result)
            _lib.duckdb_destroy_prepare(statement)

    @staticmethod
    def _value(result, column, row):
        at = _lib.duckdb_value_varchar(result, column, row)
        if not at:
            return None
        text = ctypes.string_at(at).decode()
        _lib.duckdb_free(at)
        return text

    def fetchmany(self, size=1):
        some, self._rows = self._rows[:size], self._rows[size:]
        return some

    def fetchall(self):
        return self.fetchmany(len(self._rows))

    def close(self):
        _lib.duckdb_disconnect(self._handle)


def connect(path=":memory:"):
    database = ctypes.c_void_p()
    if _lib.duckdb_open(path.encode(), database):
        raise Error("open " + path)
    return Connection(database)
