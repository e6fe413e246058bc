-- Edited by hand: added the triggers that maintain the table, and WITHOUT ROWID, because the table is keyed by its own
-- column. Tasks that do not count towards a key (key_id is null) write no row here.
CREATE TABLE `key_usage` (
	`key_id` text PRIMARY KEY NOT NULL,
	`live_tasks` integer NOT NULL,
	`stored_bytes` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `directory` ADD `key_id` text;--> statement-breakpoint
ALTER TABLE `directory` ADD `stored_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE TRIGGER `directory_usage_added` AFTER INSERT ON `directory`
WHEN new.key_id IS NOT NULL
BEGIN
	INSERT INTO key_usage (key_id, live_tasks, stored_bytes)
	VALUES (new.key_id, new.ended_at IS NULL, new.stored_bytes)
	ON CONFLICT (key_id) DO UPDATE SET
		live_tasks = live_tasks + excluded.live_tasks,
		stored_bytes = stored_bytes + excluded.stored_bytes;
END;--> statement-breakpoint
CREATE TRIGGER `directory_usage_changed` AFTER UPDATE OF ended_at, stored_bytes ON `directory`
WHEN new.key_id IS NOT NULL
	AND ((new.ended_at IS NULL) <> (old.ended_at IS NULL) OR new.stored_bytes <> old.stored_bytes)
BEGIN
	UPDATE key_usage SET
		live_tasks = live_tasks + (new.ended_at IS NULL) - (old.ended_at IS NULL),
		stored_bytes = stored_bytes + new.stored_bytes - old.stored_bytes
	WHERE key_id = new.key_id;
END;--> statement-breakpoint
CREATE TRIGGER `directory_usage_removed` AFTER DELETE ON `directory`
WHEN old.key_id IS NOT NULL
BEGIN
	UPDATE key_usage SET
		live_tasks = live_tasks - (old.ended_at IS NULL),
		stored_bytes = stored_bytes - old.stored_bytes
	WHERE key_id = old.key_id;
END;
