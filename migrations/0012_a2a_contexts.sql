DROP INDEX `webhooks_push_creator`;--> statement-breakpoint
CREATE INDEX `webhooks_push_creator` ON `webhooks` (`created_by`) WHERE "webhooks"."format" = 'a2a' and "webhooks"."enabled";--> statement-breakpoint
ALTER TABLE `directory` ADD `context_id` text;--> statement-breakpoint
CREATE INDEX `directory_context` ON `directory` (`context_id`) WHERE "directory"."context_id" is not null;