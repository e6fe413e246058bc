-- Edited by hand: WITHOUT ROWID, because the table is keyed by its own column.
CREATE TABLE `deleted_agents` (
	`id` text PRIMARY KEY NOT NULL,
	`deleted_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `agents` ADD `executor_settings` text;--> statement-breakpoint
ALTER TABLE `agents` ADD `sealed` text;--> statement-breakpoint
ALTER TABLE `agents` ADD `max_concurrent_tasks` integer;--> statement-breakpoint
ALTER TABLE `agents` ADD `require_review` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `members_agent` ON `members` (`agent_id`);