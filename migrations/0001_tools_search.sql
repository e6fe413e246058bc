-- Substring search over the catalogue: a trigram index of names and descriptions, with the category to narrow a search.
-- The two unit separators after each name and description also let tools_terms find one or two letters at the end.
CREATE VIRTUAL TABLE tools_search USING fts5(name, description, category, content='', contentless_delete=1, tokenize='trigram');
--> statement-breakpoint
CREATE VIRTUAL TABLE tools_terms USING fts5vocab(tools_search, instance);
--> statement-breakpoint
CREATE TRIGGER tools_search_insert AFTER INSERT ON tools BEGIN
  INSERT INTO tools_search(rowid, name, description, category)
  VALUES (new.seq, new.name || char(31, 31), new.description || char(31, 31), new.category);
END;
--> statement-breakpoint
CREATE TRIGGER tools_search_update AFTER UPDATE OF name, description, category ON tools
WHEN (new.name, new.description, new.category) <> (old.name, old.description, old.category) BEGIN
  UPDATE tools_search SET name = new.name || char(31, 31), description = new.description || char(31, 31), category = new.category
  WHERE rowid = old.seq;
END;
--> statement-breakpoint
CREATE TRIGGER tools_search_delete AFTER DELETE ON tools BEGIN
  DELETE FROM tools_search WHERE rowid = old.seq;
END;
