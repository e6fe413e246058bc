/** Capabilities on one page of the MCP list: some clients read only the first page, and models handle few tools well. */
export const MCP_TOOLS_PAGE_MAX = 500;
