import type { CapabilityHandlers } from "../../../tools/connectors/contract.ts";
import { convertFormat } from "./convert.ts";
import { detectFormat } from "./detect.ts";

export const formatBridgeHandlers: CapabilityHandlers = {
  convert: convertFormat,
  detect: detectFormat,
};
