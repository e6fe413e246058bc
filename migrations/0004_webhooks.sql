-- Edited by hand: WITHOUT ROWID, because the table is keyed by its own column.
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`format` text NOT NULL,
	`url` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`types` text,
	`agent_id` text,
	`team_id` text,
	`task_id` text,
	`sealed` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`disabled_reason` text,
	`disabled_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `webhooks_task` ON `webhooks` (`task_id`) WHERE "webhooks"."task_id" is not null;