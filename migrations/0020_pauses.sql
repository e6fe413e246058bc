-- Edited by hand: WITHOUT ROWID, because the table is keyed by its own columns.
CREATE TABLE `failed_attempts` (
	`agent_id` text NOT NULL,
	`failed_at` integer NOT NULL,
	`task_id` text NOT NULL,
	`attempt` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `failed_at`, `task_id`, `attempt`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `agents` ADD `pause` text;--> statement-breakpoint
ALTER TABLE `agents` ADD `resumed_at` integer;--> statement-breakpoint
ALTER TABLE `agents` ADD `no_progress` text;