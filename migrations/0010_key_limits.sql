ALTER TABLE `keys` ADD `limits` text;--> statement-breakpoint
CREATE INDEX `webhooks_push_creator` ON `webhooks` (`created_by`) WHERE "webhooks"."format" = 'a2a';