/**
 * The maximum number of capabilities per page of the MCP tool list. Some clients read only the first page, but models
 * handle long tool lists poorly.
 */
export const MCP_TOOLS_PAGE_MAX = 500;
