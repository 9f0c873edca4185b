-- A store of schema 3 as Holm made it before there were jobs. Never changed: stores like this one are out there.
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (
   no INTEGER PRIMARY KEY AUTOINCREMENT,
   id TEXT NOT NULL UNIQUE,
   created INTEGER NOT NULL,
   key BLOB,
   named BLOB,
   holder TEXT,
   holder_name TEXT
);
CREATE TABLE records (id INTEGER PRIMARY KEY, line BLOB NOT NULL);
CREATE TABLE snapshots (run INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE tags (run INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (run, tag)) WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag);
CREATE TABLE blobs (
   run INTEGER NOT NULL, name TEXT NOT NULL, file TEXT NOT NULL, bytes INTEGER NOT NULL,
   PRIMARY KEY (run, name)
) WITHOUT ROWID;
CREATE INDEX blobs_by_name ON blobs (name);
CREATE INDEX blobs_by_file ON blobs (file);
CREATE TABLE stones (
   id TEXT PRIMARY KEY, at INTEGER NOT NULL, records INTEGER NOT NULL, chain TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE heads (
   run INTEGER PRIMARY KEY,
   records INTEGER NOT NULL,
   updated INTEGER NOT NULL,
   agent TEXT NOT NULL,
   model TEXT NOT NULL,
   title BLOB,
   folded INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX heads_by_time ON heads (updated, run);
CREATE TABLE moved (run INTEGER PRIMARY KEY);
INSERT INTO moved SELECT no FROM runs;
CREATE TABLE usage (
   run INTEGER NOT NULL, day INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL,
   calls INTEGER NOT NULL, failed INTEGER NOT NULL,
   input INTEGER NOT NULL, output INTEGER NOT NULL,
   cached INTEGER NOT NULL, cache_write INTEGER NOT NULL, reasoning INTEGER NOT NULL,
   cost INTEGER NOT NULL, unpriced INTEGER NOT NULL, millis INTEGER NOT NULL, bytes INTEGER NOT NULL,
   PRIMARY KEY (run, day, kind, name)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE texts USING fts5 (
   text, content = '', contentless_delete = 1, tokenize = 'trigram'
);
CREATE TABLE ledger (
   run INTEGER NOT NULL, kind TEXT NOT NULL, model TEXT NOT NULL,
   calls INTEGER NOT NULL, tasks INTEGER NOT NULL, successes INTEGER NOT NULL,
   rejections INTEGER NOT NULL, invalid_calls INTEGER NOT NULL, step_ups INTEGER NOT NULL,
   whys BLOB NOT NULL,
   PRIMARY KEY (run, kind, model)
) WITHOUT ROWID;
CREATE INDEX ledger_by_kind ON ledger (kind);
DELETE FROM heads; DELETE FROM usage; DELETE FROM texts;
INSERT OR IGNORE INTO moved SELECT no FROM runs;
PRAGMA application_id = 1752132717;
PRAGMA user_version = 3;
PRAGMA journal_mode = WAL;
