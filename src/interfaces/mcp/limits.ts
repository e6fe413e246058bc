/** Capabilities on one page of the MCP door's list. Not every client asks for a second page, and few models can tell so many tools apart. */
export const MCP_TOOLS_PAGE_MAX = 500;
