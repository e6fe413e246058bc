import type { AppContext } from "../../http/envelope.ts";
import { html, htmlPage, type Html } from "../../http/html-page.ts";
import { toIsoTime } from "../../kernel/text.ts";
import { DECISION_MESSAGE_CHARACTERS_MAX } from "../limits.ts";
import { formatSettlement, type Approval } from "../model/approval.ts";

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0 auto; max-width: 40rem; padding: 1rem; }
  h1 { font-size: 1.25rem; overflow-wrap: anywhere; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; }
  dt { opacity: 0.75; }
  dd { margin: 0; overflow-wrap: anywhere; }
  pre { border: 1px solid color-mix(in srgb, currentColor 30%, transparent); border-radius: 6px;
    overflow-x: auto; padding: 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
  textarea { box-sizing: border-box; font: inherit; min-height: 5rem; padding: 0.5rem; width: 100%; }
  .buttons { display: flex; gap: 1rem; margin-top: 1rem; }
  button { border: 0; border-radius: 6px; color: #fff; cursor: pointer; flex: 1; font: inherit;
    font-weight: 600; min-height: 48px; }
  button:focus-visible, textarea:focus-visible { outline: 3px solid #2563eb; outline-offset: 2px; }
  .approve { background: #15803d; }
  .deny { background: #b91c1c; }
`;

/** The page behind a link for a decision. It has no scripts, and opening it decides nothing. */
export function decisionPage(c: AppContext, approval: Approval, canDecide: boolean): Response {
  const { call, policies, status, expiresAt } = approval;
  const { toolId, capability } = call;
  const body = html`
    <h1>${toolId}/${capability}</h1>
    <p>${policies[0]?.reason ?? ""}</p>
    <dl>
      <dt>Agent</dt>
      <dd>${call.agentId ?? "none"}</dd>
      <dt>Sent to</dt>
      <dd>${call.destination ?? "a built-in tool"}</dd>
      <dt>Costs at most</dt>
      <dd>$${call.estimatedCost}</dd>
      ${
        call.taskId === null
          ? ""
          : html`<dt>Task</dt>
              <dd>${call.taskId}</dd>`
      }
      <dt>Expires</dt>
      <dd>${toIsoTime(expiresAt)}</dd>
    </dl>
    <h2>What will be sent</h2>
    <pre tabindex="0">${JSON.stringify(call.parameters, null, 2)}</pre>
    ${canDecide ? form() : html`<p role="status"><strong>${statusText(approval)}</strong></p>`}
  `;
  return page(c, 200, status === "pending" ? "Approve this call?" : "Approval", body);
}

/** A page that says why a link cannot be used. */
export function decisionProblemPage(
  c: AppContext,
  status: 400 | 401 | 403 | 404 | 409 | 413 | 503,
  text: string,
): Response {
  return page(
    c,
    status,
    "Approval",
    html`<h1>Approval</h1>
      <p role="alert">${text}</p>`,
  );
}

function form(): Html {
  return html`<form method="post">
    <label for="message">Message (the agent sees it if you deny the call)</label>
    <textarea id="message" name="message" maxlength="${DECISION_MESSAGE_CHARACTERS_MAX}"></textarea>
    <div class="buttons">
      <button class="approve" name="decision" value="approve">Approve</button>
      <button class="deny" name="decision" value="deny">Deny</button>
    </div>
  </form>`;
}

function statusText(approval: Approval): string {
  switch (approval.status) {
    case "pending":
      return "Your decision was recorded. Another person must also approve the call.";
    case "approved":
    case "executing":
      return "The call is approved and is being made.";
    default:
      return formatSettlement(approval);
  }
}

function page(
  c: AppContext,
  status: Parameters<typeof htmlPage>[1],
  title: string,
  body: Html,
): Response {
  return htmlPage(c, status, { title: `${title} – Bosun`, style: STYLE, body });
}
