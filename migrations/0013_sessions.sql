-- Edited by hand: WITHOUT ROWID, because the table is keyed by its own column.
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`key_id` text NOT NULL,
	`key_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`user_agent` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sessions_key` ON `sessions` (`key_id`);
