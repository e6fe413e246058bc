/**
 * The maximum number of capabilities per page of the MCP tool list. A large page helps clients that read only the first
 * page, but models handle long tool lists poorly.
 */
export const MCP_TOOLS_PAGE_MAX = 500;
