CREATE TABLE `approvals` (
	`id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`status` text NOT NULL,
	`tool_id` text NOT NULL,
	`capability` text NOT NULL,
	`agent_id` text,
	`task_id` text,
	`team_id` text,
	`requested_by` text,
	`policies` text NOT NULL,
	`reason` text NOT NULL,
	`estimated_cost` real NOT NULL,
	`requested_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`decided_at` integer,
	`audited_decisions` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `approvals_requested_at` ON `approvals` (`requested_at`);--> statement-breakpoint
CREATE INDEX `approvals_status` ON `approvals` (`status`,`requested_at`);--> statement-breakpoint
CREATE INDEX `approvals_agent` ON `approvals` (`agent_id`,`tool_id`,`capability`);--> statement-breakpoint
ALTER TABLE `policies` ADD `approvers` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `policies` ADD `approvals` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `policies` ADD `expires_after` text DEFAULT '24h' NOT NULL;--> statement-breakpoint
ALTER TABLE `policies` ADD `remember` text DEFAULT 'none' NOT NULL;